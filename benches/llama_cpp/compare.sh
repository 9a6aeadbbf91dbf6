#!/usr/bin/env bash
# Runs surprisal and llama.cpp on the same GGUF files and the same cores in one sitting, and compares CPU seconds.
#
#   benches/llama_cpp/compare.sh FOLDER [TYPE …] [--tasks-only|--skip-tasks] [--activations q8] [--json]
#
# FOLDER holds the likelihood workloads. For each TYPE (Q8_0, Q4_0, Q4_K_M and Q6_K without one), a model with the matrices of
# Llama 3.2 1B and half its layers reads prompts of 512 tokens, and continues 1 and 16 short ones. Then a small model scores both
# workloads, in f32, beside `llama-perplexity --multiple-choice`. What loading costs is measured by itself and taken off; it varies, so each
# program runs ROUNDS times, in turn, and the least counts.
#
# ROUNDS     how often each program runs; 3 without it
# LLAMA_CPP  a folder with llama.cpp's programs; without it, they are built from the sources of llama-cpp-python on PyPI
# The rest of the environment: see benches/peers.sh, but for THREADS, which is 1, and INSTRUCTIONS, which can only be avx2.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
types=()
speed=1 tasks=1
json=() ours_more=()
while [ $# -gt 0 ]; do
    case $1 in
        --skip-tasks) tasks= ;;
        --tasks-only) speed= ;;
        --activations) ours_more=(--activations "${2:?"--activations needs a type"}"); shift ;;
        --json) json=(--json) ;;
        -*) echo "compare.sh: there is no option $1" >&2; exit 2 ;;
        Q* | F* | BF16) types+=("$1") ;;
        *) workloads=$(cd "$1" && pwd) ;;
    esac
    shift
done
workloads=${workloads:-${SURPRISAL_LIKELIHOOD:?"compare.sh: name the folder of the likelihood workloads"}}
[ ${#types[@]} -gt 0 ] || types=(Q8_0 Q4_0 Q4_K_M Q6_K)

export THREADS=${THREADS:-1}
rounds=${ROUNDS:-3}
source "$here/../peers.sh"
python_with light
installed pyyaml requests tqdm
source "$here/build.sh"
export PYTHONPATH=$PYTHONPATH:$gguf_package:$repository/tests/gguf
export SURPRISAL_LIKELIHOOD=$workloads SURPRISAL_CLOZE_LIKE=$scratch/cloze_like.jsonl
results=$scratch/results/llama_cpp
rm -rf "$results"
mkdir -p "$results"

# theirs NAME PROGRAM…: one of llama.cpp's programs, with what it prints in a file of this name.
theirs() {
    local name=$1 program=$2
    shift 2
    LD_LIBRARY_PATH=$libraries measured "$results/$name.cost.json" "$llama_cpp/$program" "$@" --threads "$threads" \
        > "$results/$name.txt"
}

# continued NAME PROMPTS NEW_TOKENS: surprisal's continuation of a file of prompts.
continued() {
    SURPRISAL_PROMPTS=$2 SURPRISAL_NEW_TOKENS=$3 measured "$results/$1.cost.json" "$surprisal" run \
        "$here/../decoding/continue.py" --model "$file" "${ours_more[@]}" --threads "$threads" --json \
        --work-dir "$results/$1" > "$results/$1.json"
}

if [ -n "$speed" ]; then
    "$python" "$here/checkpoint.py" "$workloads" wide f16 "$scratch/wide.gguf"
    for count in 1 5; do
        "$python" "$here/prompts.py" "$workloads" "$count" 512 > "$results/long_$count.jsonl"
    done
    for count in 1 16; do
        "$python" "$here/prompts.py" "$workloads" "$count" 16 > "$results/short_$count.jsonl"
    done
fi
for type in ${speed:+"${types[@]}"}; do
    file=$scratch/wide-$type.gguf
    if [ ! -f "$file" ]; then
        "$llama_cpp/llama-quantize" "$scratch/wide.gguf" "$file.part" "$type" > "$results/quantize_$type.txt" 2>&1
        mv "$file.part" "$file"
    fi
    for round in $(seq "$rounds"); do
        echo "$type, round $round: reading prompts" >&2
        for count in 1 5; do
            continued "ours_${type}_read_$count.$round" "$results/long_$count.jsonl" 1
            theirs "theirs_${type}_read_$count.$round" llama-bench -m "$file" -p 512 -n 0 -r "$count" --no-warmup -o json
        done
        for count in 1 16; do
            echo "$type, round $round: continuing $count" >&2
            # One at a time is quick, so it goes on for longer.
            for tokens in 8 $((count == 1 ? 264 : 72)); do
                continued "ours_${type}_${count}_$tokens.$round" "$results/short_$count.jsonl" "$tokens"
                theirs "theirs_${type}_${count}_$tokens.$round" llama-batched-bench -m "$file" -c 2048 -npp 16 -ntg "$tokens" -npl "$count"
            done
        done
    done
done

if [ -n "$tasks" ]; then
    file=$scratch/llama25m.gguf
    "$python" "$here/checkpoint.py" "$workloads" llama25m f32 "$file"
    "$python" "$repository/benches/likelihood/choice_columns.py" "$workloads/cloze_like.jsonl" > "$SURPRISAL_CLOZE_LIKE"
    for name in mmlu_like cloze_like; do
        echo "$name" >&2
        "$python" "$here/tasks.py" "$workloads/$name.jsonl" > "$results/$name.bin"
        measured "$results/ours_$name.cost.json" "$surprisal" run "$repository/benches/likelihood/$name.py" --model "$file" \
            --threads "$threads" --json --work-dir "$results/$name" > "$results/ours_$name.json"
        theirs "theirs_$name" llama-perplexity -m "$file" --multiple-choice -bf "$results/$name.bin" -c 4096 -b 4096
    done
fi

"$python" "$here/report.py" "${json[@]}" "$results" "${types[@]}"
