#!/usr/bin/env bash
# An hour on a GPU that is lent, in five calls, each of at most ten minutes:
#
#   BIN=surprisal-cuda benches/device/session.sh A|B|C|D|E FOLDER [--dry-run]
#
#   A  is it right, how fast on prompts, how fast when it writes: what to know if there is no second call
#   D  more rows a pass, more sequences at once, whole checkpoints beside the CPU
#   B  NVIDIA's checkers of memory and races, and a profile of single kernels
#   C  transformers on the same shapes, and PyTorch's products
#   E  a whole run of MMLU's shape by a checkpoint of 16 GB, both made up: from the command to the page
#
# BIN is the stripped program with the feature `cuda`, or that in .gz. FOLDER keeps what every step wrote, to stdout and to stderr,
# as it is written: a call that is cut off loses the step at hand and nothing else. --dry-run says the steps and does nothing.
#
#   DEV (cuda)  SHAPE (llama3-8b)  TYPES (f32,bf16,f16)  what is measured
#   QUESTIONS (984)  CONTEXTS (200)                      of mmlu5 and hellaswag10
#   PYTHON (python3)                                     has torch and transformers, for C and E
#   SCRATCH (FOLDER)                                     where E makes its checkpoint, which is deleted afterwards
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
part=${1:-} out=${2:-} dry=${3:-}
case $part in A | B | C | D | E) ;; *) echo "session.sh: name a part, A to E, and a folder for the results" >&2; exit 2 ;; esac
[ -n "$out" ] || { echo "session.sh: name a folder for the results" >&2; exit 2; }
case $dry in '' | --dry-run) ;; *) echo "session.sh: there is no option $dry" >&2; exit 2 ;; esac
device=${DEV:-cuda} shape=${SHAPE:-llama3-8b} types=${TYPES:-f32,bf16,f16}
questions=${QUESTIONS:-984} contexts=${CONTEXTS:-200} python=${PYTHON:-python3} scratch=${SCRATCH:-$out}
surprisal=${BIN:?"BIN names the program with the feature cuda"}
[ -f "$surprisal" ] || { echo "session.sh: BIN: there is no file $surprisal" >&2; exit 2; }
failures=0

if [ -z "$dry" ]; then
    mkdir -p "$out" || exit 2
    case $surprisal in
        *.gz)
            gunzip -c "$surprisal" > "$out/surprisal" || exit 2
            chmod +x "$out/surprisal"
            surprisal=$out/surprisal
            ;;
    esac
    # shellcheck source=benches/device/libraries.sh
    . "$here/libraries.sh"
fi

# step NAME SECONDS COMMAND…: runs it for so long, keeps what it writes, and says how it ended.
step() {
    local name=$1 limit=$2 begin=$SECONDS code=0
    shift 2
    if [ -n "$dry" ]; then
        echo "$name: $*"
        return
    fi
    timeout "$limit" "$@" > "$out/$name" 2> "$out/$name.err" || code=$?
    [ "$code" = 0 ] || failures=$((failures + 1))
    echo "$name: exit code $code, $((SECONDS - begin)) s; $(tail -n 1 "$out/$name.err" | cut -c1-160)"
}

# kept NAME PATTERN LINES: the last lines of a step's output that have the pattern.
kept() { [ -n "$dry" ] || grep -E -- "$2" "$out/$1" | tail -n "$3"; }

# without NAME PATTERN LINES: the first lines that have it not.
without() { [ -n "$dry" ] || grep -vE -- "$2" "$out/$1" | head -n "$3"; }

bench() {
    local name=$1
    shift
    step "bench-$name.json" 120 "$surprisal" bench --device "$device" --synthetic "$shape" --json "$@"
    [ -n "$dry" ] || "$python" "$here/summary.py" "$out/bench-$name.json" 2>&1 | tail -n +2
}

machine() {
    nvidia-smi || true
    ldconfig -p | grep -E 'libcuda\.so|libcublas' || true
    echo "LD_LIBRARY_PATH=${LD_LIBRARY_PATH:-}"
    "$surprisal" --version
}

# stamped COMMAND…: runs it, with the seconds before each line of stderr.
stamped() {
    local begin
    begin=$(date +%s%N)
    "$@" 2> >(while IFS= read -r line; do
        local now=$((($(date +%s%N) - begin) / 100000000))
        printf '%4d.%d s  %s\n' $((now / 10)) $((now % 10)) "$line" >&2
    done)
}
export -f machine stamped
export surprisal

case $part in
    A)
        step machine.txt 30 bash -c machine
        if [ -z "$dry" ] && command -v nvidia-smi > /dev/null; then
            nvidia-smi dmon -s puc -d 2 > "$out/dmon.txt" 2>&1 &
            dmon=$!
            trap 'kill "$dmon" 2> /dev/null' EXIT
        fi
        step operations.txt 150 "$surprisal" selftest --device "$device" --dtype "$types"
        without operations.txt ' ok *$' 40
        bench mmlu --workload mmlu5 --limit "$questions" --repeat 2
        bench hellaswag --workload hellaswag10 --limit "$contexts" --repeat 2
        for sequences in 1 64; do bench "gen-$sequences" --workload gen --limit $sequences; done
        ;;
    D)
        for rows in 2048 4096 16384; do
            bench "mmlu-$rows" --workload mmlu5 --limit "$questions" --batch-tokens $rows
        done
        for sequences in 16 256; do bench "gen-$sequences" --workload gen --limit $sequences; done
        bench trace --workload mmlu5 --limit "$((questions / 4))" --trace "$out/trace.json"
        step checkpoints.txt 150 "$surprisal" selftest --device "$device" --dtype "$types" \
            --checkpoints "$here/../../tests/fixtures/models"
        without checkpoints.txt ' (ok|not judged) *$' 40
        ;;
    B)
        one_type=${types##*f32,}
        one_type=${one_type%%,*}
        checked=("$surprisal" selftest --device "$device" --dtype "$one_type")
        step memcheck.txt 200 compute-sanitizer --tool memcheck --track-stream-ordered-races all "${checked[@]}"
        kept memcheck.txt '.' 3
        # Not of single kernels alone: with a filter of names the tool itself ends in an error.
        step racecheck.txt 200 compute-sanitizer --tool racecheck "${checked[@]}"
        kept racecheck.txt '.' 3
        # Two layers and a little; what makes random weights has other names.
        step profile.txt 180 ncu --clock-control none --section SpeedOfLight --section Occupancy --section LaunchStats \
            --kernel-name 'regex:attention|nvjet|gemm|cutlass|residual|rotary|gated|finish|token_|embedding' \
            --launch-skip 300 --launch-count 20 \
            "$surprisal" bench --device "$device" --synthetic "$shape" --workload mmlu5 --limit 246
        kept profile.txt '^  [a-z_A-Z].*\(|Duration|Compute \(SM\) Thr|DRAM Throughput|Theoretical Occ|Registers' 150
        ;;
    C)
        peer() {
            local name=$1
            shift
            step "peer-$name.json" 140 "$python" "$here/peer.py" "$shape" "$@" --device "${device%%:*}"
            kept "peer-$name.json" '.' 1
        }
        peer mmlu5-lm-eval mmlu5 --style lm-eval --batch 32
        peer mmlu5-opencompass mmlu5 --batch 8
        peer gen-opencompass gen --batch 64
        peer hellaswag10-lm-eval hellaswag10 --style lm-eval --batch 32
        step products.txt 60 "$python" "$here/products.py" --device "${device%%:*}"
        kept products.txt '.' 8
        ;;
    E)
        [ -n "$dry" ] || trap 'rm -rf "$scratch/whole"' EXIT
        step data.txt 60 "$python" "$here/mmlu.py" "$scratch/whole/mmlu"
        step checkpoint.txt 120 "$python" "$here/checkpoint.py" "$scratch/whole/checkpoint"
        step run.txt 300 bash -c "time stamped '$surprisal' run '$scratch/whole/mmlu/mmlu.py' --model '$scratch/whole/checkpoint' \
            --device '$device' --work-dir '$scratch/whole/out'"
        kept run.txt.err '^[0-9. ]+s |^real' 40
        ;;
esac
if [ -z "$dry" ] && [ "$failures" -gt 0 ]; then
    echo "$failures steps failed; what they said is in $out" >&2
    exit 1
fi
