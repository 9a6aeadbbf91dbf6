#!/usr/bin/env bash
# Searches vectors that are given, exactly and by HNSW, and texts by BM25: what each costs, and what HNSW passes over.
#
#   benches/passages/compare.sh [PASSAGES [QUERIES]]
#
# PASSAGES (1000000) with 384 numbers each and QUERIES (10000) are drawn once and kept in SCRATCH (target/peers). HNSW is run
# three times: stopped by SIGKILL when half of its graphs are kept, run again, and once more with all graphs kept.
#
# SKIP_EXACT  leaves exact search out, and with it recall
# The rest of the environment: see benches/peers.sh.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
passages=${1:-1000000} queries=${2:-10000}
workloads=
source "$here/../peers.sh"
python=${PYTHON:-$scratch/venv/bin/python}
[ -x "$python" ] || python3 -m venv "$scratch/venv"
installed numpy

data=$scratch/passages-$passages-$queries
results=$scratch/results/passages-$passages-$queries
rm -rf "$results"
mkdir -p "$results"
if [ ! -f "$data/complete" ]; then
    "$python" "$here/clustered.py" "$data" "$passages" "$queries"
    touch "$data/complete"
fi

# searched NAME ARGUMENT…: a search for all queries, with what it prints in a file of this name.
searched() {
    local name=$1
    shift
    measured "$results/$name.cost.json" "$surprisal" search "$data/corpus.jsonl" --queries "$data/queries.jsonl" \
        --work-dir "$results/work" --json "$@" > "$results/$name.json"
}

given=(--by dense --vectors "$data/passages.npy" --query-vectors "$data/queries.npy")
graphs=$(((passages + 131071) / 131072))

# The killed one: a process of its own, so that only it is stopped.
if [ "$graphs" -gt 1 ]; then
    RAYON_NUM_THREADS=$threads "$surprisal" search "$data/corpus.jsonl" --queries "$data/queries.jsonl" \
        --work-dir "$results/work" --json "${given[@]}" --index hnsw > /dev/null 2>&1 &
    killed=$!
    while kill -0 "$killed" 2> /dev/null; do
        kept=$(find "$results/work" -name '*.hnsw' 2> /dev/null | wc -l)
        if [ "$kept" -ge $((graphs / 2)) ]; then
            kill -KILL "$killed"
            break
        fi
        sleep 1
    done
    wait "$killed" 2> /dev/null || true
    searched resumed "${given[@]}" --index hnsw
    grep 'kept in' "$results/resumed.cost.log" >&2 || true
    mv "$results/work" "$results/half"
fi
searched hnsw "${given[@]}" --index hnsw
searched again "${given[@]}" --index hnsw
[ -n "${SKIP_EXACT:-}" ] || searched exact "${given[@]}" --index exact
searched bm25 --by bm25
"$python" "$here/report.py" "$results"
