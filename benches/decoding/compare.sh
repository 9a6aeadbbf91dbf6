#!/usr/bin/env bash
# Continues prompts with surprisal and with transformers' `generate`, on the same cores, and compares speed and texts.
#
#   benches/decoding/compare.sh FOLDER [PROMPTS …] [--new-tokens N] [--json]
#
# FOLDER holds the likelihood workloads; the first 1, 16 and 64 questions of mmlu_like, or as many as PROMPTS says, are
# continued by 128 tokens. Environment: see benches/peers.sh. Exit code 1: texts differ where the choice was not a near-tie.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
counts=()
new_tokens=128
json=()
while [ $# -gt 0 ]; do
    case $1 in
        --new-tokens) new_tokens=${2:?"--new-tokens needs a number"}; shift ;;
        --json) json=(--json) ;;
        -*) echo "compare.sh: there is no option $1" >&2; exit 2 ;;
        *[!0-9]*) workloads=$(cd "$1" && pwd) ;;
        *) counts+=("$1") ;;
    esac
    shift
done
workloads=${workloads:-${SURPRISAL_LIKELIHOOD:?"compare.sh: name the folder of the likelihood workloads"}}
[ ${#counts[@]} -gt 0 ] || counts=(1 16 64)

source "$here/../peers.sh"
python_with peers
weights llama25m

# ours TOKENS: surprisal's run of this length, and what it cost.
ours() {
    SURPRISAL_NEW_TOKENS=$1 measured "$results/run_$1.cost.json" "$surprisal" run "$here/continue.py" --model "$model" \
        --json --work-dir "$results/outputs_$1" > "$results/run_$1.json"
    "$surprisal" export latest --work-dir "$results/outputs_$1" --table tokens --output "$results/tokens_$1.jsonl"
}

folders=()
for count in "${counts[@]}"; do
    results=$scratch/results/decoding_$count
    folders+=("$results")
    rm -rf "$results"
    mkdir -p "$results"
    export SURPRISAL_PROMPTS=$results/prompts.jsonl
    "$python" "$here/prompts.py" "$workloads/mmlu_like.jsonl" "$count" > "$SURPRISAL_PROMPTS"
    echo "$count prompts: surprisal" >&2
    ours 1
    ours "$new_tokens"
    echo "$count prompts: transformers" >&2
    measured "$results/peer.cost.json" "$python" "$here/peer.py" "$SURPRISAL_PROMPTS" --model "$model" \
        --new-tokens "$new_tokens" --threads "$threads" --out "$results/peer.json"
done

"$python" "$here/report.py" "${json[@]}" --model "$model" --new-tokens "$new_tokens" "${folders[@]}"
