#!/usr/bin/env bash
# Everything there is to say about a device, in one call: does it compute what the CPU computes, how fast, and how fast is
# transformers on the same shape there.
#
#   benches/device/compare.sh FOLDER [--device cuda] [--shape llama3-8b] [--checkpoints DIR] [--skip-peers]
#
# FOLDER takes the results: selftest.json, bench-WORKLOAD.json, peer-WORKLOAD-STYLE.json, and summary.txt, which is printed.
# SURPRISAL names the binary (default: target/release/surprisal), PYTHON a Python with torch and transformers. Nothing is
# built or fetched. Exit code 1: something is too far from the CPU, 2: something failed.
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
device=cuda shape=llama3-8b checkpoints=() peers=peers out=
while [ $# -gt 0 ]; do
    case $1 in
        --device) device=${2:?"--device needs a name"}; shift ;;
        --shape) shape=${2:?"--shape needs a name"}; shift ;;
        --checkpoints) checkpoints=("${2:?"--checkpoints needs a folder"}"); shift ;;
        --skip-peers) peers= ;;
        -*) echo "compare.sh: there is no option $1" >&2; exit 2 ;;
        *) out=$1 ;;
    esac
    shift
done
out=${out:?"compare.sh: name a folder for the results"}
mkdir -p "$out"
surprisal=${SURPRISAL:-$here/../../target/release/surprisal}
python=${PYTHON:-python3}
types=f32
[ "$device" = cpu ] || types=f32,bf16
status=0

selftest=(selftest --device "$device" --dtype "$types")
if [ ${#checkpoints[@]} -gt 0 ]; then
    selftest+=(--checkpoints "${checkpoints[0]}")
    if [ -n "$peers" ] && "$python" "$here/bounds.py" "${checkpoints[0]}" --device "$device" > "$out/bounds.json"; then
        selftest+=(--bounds "$out/bounds.json")
    fi
fi
"$surprisal" "${selftest[@]}" --json > "$out/selftest.json" || status=1

for workload in mmlu5 hellaswag10 gen; do
    "$surprisal" bench --device "$device" --synthetic "$shape" --workload $workload --repeat 3 --json \
        > "$out/bench-$workload.json" || status=2
    [ -n "$peers" ] || continue
    styles=(opencompass lm-eval)
    [ $workload != gen ] || styles=(opencompass)
    for style in "${styles[@]}"; do
        "$python" "$here/peer.py" "$shape" $workload --style "$style" --device "${device%%:*}" \
            > "$out/peer-$workload-$style.json" || status=2
    done
done
"$python" "$here/summary.py" "$out" | tee "$out/summary.txt"
exit $status
