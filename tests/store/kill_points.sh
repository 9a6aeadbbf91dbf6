#!/usr/bin/env bash
# Kills a run at every write, sync and rename in turn, and repeats the command: it has to end with the figures of
# a run that was never killed. Needs strace.
#
#   tests/store/kill_points.sh [POINTS]      at least so many points, or all there are, spread over all; 200 without it
set -euo pipefail
cd "$(dirname "$0")/../.."
points=${1:-200}
program=${SURPRISAL:-$PWD/target/release/surprisal}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
calls=pwrite64,write,fsync,fdatasync,rename,ftruncate

config=configs/demo.py
run() { "$program" run "$config" --limit 6 --device cpu -w "$1" --json 2>"$work/said"; }
figures() { python3 -c 'import json,sys; print(json.dumps(json.load(sys.stdin)["results"]))'; }

run "$work/whole" | figures >"$work/expected"
strace -f -qq -e trace=$calls -o "$work/trace" "$program" run "$config" --limit 6 --device cpu -w "$work/traced" \
    --json >/dev/null 2>&1
total=$(wc -l <"$work/trace")
step=$((total / points))
[ "$step" -gt 0 ] || step=1
passed=0 failed=0
for ((point = 1; point <= total; point += step)); do
    folder=$work/killed-$point
    # The braces take the shell's word that something was killed.
    {
        strace -f -qq -e trace=$calls -e inject=$calls:signal=KILL:when="$point" -o /dev/null \
            "$program" run "$config" --limit 6 --device cpu -w "$folder" --json >/dev/null || true
    } 2>/dev/null
    if run "$folder" | figures | cmp -s - "$work/expected"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "killed at call $point of $total: other figures, or a refusal: $(tail -1 "$work/said")" >&2
    fi
    rm -rf "$folder"
done
echo "kill_points: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
