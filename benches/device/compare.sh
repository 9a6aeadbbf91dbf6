#!/usr/bin/env bash
# Everything there is to say about a device, in one call: does it compute what the CPU computes, how fast, and how fast is
# transformers on the same shape there.
#
#   benches/device/compare.sh FOLDER [--device cuda] [--shape llama3-8b] [--checkpoints DIR] [--skip-peers]
#
# FOLDER takes the results: selftest.json, bench-WORKLOAD.json, peer-WORKLOAD-STYLE.json, what each step said in .log, and
# summary.txt, which is made anew after every step. SURPRISAL names the binary (default: target/release/surprisal), PYTHON a Python with
# torch and transformers. NVIDIA's libraries are found where Python's packages are. Nothing is built or fetched. Exit code 1:
# something is too far from the CPU, 2: something failed.
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
if [ "$device" != cpu ]; then
    # shellcheck source=benches/device/libraries.sh
    . "$here/libraries.sh"
fi

# step NAME COMMAND…: keeps what it writes, says how it ended, and sums up what there is so far.
step() {
    local name=$1 begin=$SECONDS code=0
    shift
    "$@" > "$out/$name.json" 2> "$out/$name.log" || code=$?
    echo "$name: exit code $code, $((SECONDS - begin)) s" >&2
    [ "$code" = 0 ] || tail -n 1 "$out/$name.log" >&2
    "$python" "$here/summary.py" "$out" > "$out/summary.txt"
    return "$code"
}

selftest=(selftest --device "$device" --dtype "$types")
if [ ${#checkpoints[@]} -gt 0 ]; then
    selftest+=(--checkpoints "${checkpoints[0]}")
    if [ -n "$peers" ] && step bounds "$python" "$here/bounds.py" "${checkpoints[0]}" --device "$device"; then
        selftest+=(--bounds "$out/bounds.json")
    fi
fi
step selftest "$surprisal" "${selftest[@]}" --json
# 1: compared, and too far. Anything else did not come to that.
case $? in 0) ;; 1) status=1 ;; *) status=2 ;; esac

for workload in mmlu5 hellaswag10 gen; do
    step "bench-$workload" "$surprisal" bench --device "$device" --synthetic "$shape" --workload $workload --repeat 3 --json || status=2
    [ -n "$peers" ] || continue
    styles=(opencompass lm-eval)
    [ $workload != gen ] || styles=(opencompass)
    for style in "${styles[@]}"; do
        step "peer-$workload-$style" "$python" "$here/peer.py" "$shape" $workload --style "$style" --device "${device%%:*}" || status=2
    done
done
cat "$out/summary.txt"
exit $status
