#!/usr/bin/env bash
# Scores the likelihood workloads with surprisal and its peers in one sitting, on the same cores, and compares cost and answers.
#
#   benches/likelihood/compare.sh FOLDER [mmlu_like|cloze_like|qwen05b …] [--limit N] [--skip-peers] [--json]
#
# FOLDER holds the workloads: rows, tokenizer, reference values, and the scripts that draw the weights and run the peers.
# Without a name, mmlu_like and cloze_like are run; qwen05b is four questions on a model of 2 GB. --limit takes the first N
# questions (40 at most) of each; --skip-peers runs surprisal alone. The peers are lm-eval's own loglikelihood and OpenCompass's
# formula, batched as it does, both on PyTorch. Environment: see benches/peers.sh. Exit code 1: an answer is not that of the
# reference, 2: something failed.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
names=()
limit=
peers=peers
json=()
while [ $# -gt 0 ]; do
    case $1 in
        --limit) limit=${2:?"--limit needs a number"}; shift
                 if [ "$limit" -gt 40 ]; then echo "compare.sh: --limit is 40 at most: one subject" >&2; exit 2; fi ;;
        --skip-peers) peers= ;;
        --json) json=(--json) ;;
        -*) echo "compare.sh: there is no option $1" >&2; exit 2 ;;
        mmlu_like | cloze_like | qwen05b) names+=("$1") ;;
        *) if [ -n "${workloads:-}" ]; then echo "compare.sh: no workload is called $1" >&2; exit 2; fi
           workloads=$(cd "$1" && pwd) ;;
    esac
    shift
done
workloads=${workloads:-${SURPRISAL_LIKELIHOOD:?"compare.sh: name the folder of the likelihood workloads"}}
[ ${#names[@]} -gt 0 ] || names=(mmlu_like cloze_like)

source "$here/../peers.sh"
python_with "${peers:-light}"
export SURPRISAL_LIKELIHOOD=$workloads SURPRISAL_CLOZE_LIKE=$scratch/cloze_like.jsonl
"$python" "$here/choice_columns.py" "$workloads/cloze_like.jsonl" > "$SURPRISAL_CLOZE_LIKE"

# peer MODE BATCH [OPTION…]: one of the peers' ways of scoring, on the questions that surprisal scores.
peer() {
    local mode=$1 batch=$2
    shift 2
    measured "$results/$mode.cost.json" "$python" "$here/peer.py" "$workloads/score.py" "$mode" --model "$model" \
        --data "$workloads/$rows.jsonl" --batch "$batch" --threads "$threads" --out "$results/$mode.json" "$@"
}

tables=()
for name in "${names[@]}"; do
    rows=$name batch=8 questions=$limit reference=$workloads/results/$name.shared.json
    if [ "$name" = qwen05b ]; then
        rows=mmlu_like batch=4 reference=$scratch/qwen05b.shared.json
        questions=$((${limit:-4} < 4 ? ${limit:-4} : 4))
        weights qwen05b
    else
        weights llama25m
    fi
    results=$scratch/results/$name
    tables+=("$results")
    rm -rf "$results"
    mkdir -p "$results"
    wc -c < "$model/model.safetensors" > "$results/weights_bytes"
    ours=() theirs=()
    if [ -n "$questions" ]; then
        ours=(--limit "$questions") theirs=(--subjects 1 --limit "$questions")
    fi
    echo "$name: surprisal" >&2
    measured "$results/check.cost.json" "$surprisal" check "$here/$rows.py" --model "$model" --json "${ours[@]}" \
        > "$results/check.json"
    measured "$results/run.cost.json" "$surprisal" run "$here/$rows.py" --model "$model" --json "${ours[@]}" \
        --work-dir "$results/outputs" > "$results/run.json"
    for table in samples candidates tokens; do
        "$surprisal" export latest --work-dir "$results/outputs" --table "$table" --output "$results/$table.jsonl"
    done
    if [ -n "$peers" ]; then
        for mode in lmeval oc; do
            echo "$name: $mode" >&2
            peer "$mode" "$batch" "${theirs[@]}"
        done
    fi
    if [ ! -f "$reference" ]; then
        # Only this one is not beside the rows. It is computed for all its questions and kept.
        echo "$name: reference" >&2
        python_with peers
        peer shared 1 --subjects 1 --limit 4
        mv "$results/shared.json" "$reference"
    fi
    "$python" "$here/agreement.py" "$results" --reference "$reference" --rows "$workloads/$rows.jsonl" --model "$model" \
        > "$results/agreement.json"
done

"$python" "$here/report.py" "${json[@]}" "${tables[@]}"
