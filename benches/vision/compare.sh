#!/usr/bin/env bash
# 200 questions with four candidates on 50 images: what they cost here and with transformers, in turns on the same cores.
#
#   benches/vision/compare.sh FOLDER
#
# FOLDER is tests/fixtures/vision or another with `models/llava`, for its tokenizer. Environment: see benches/peers.sh. Exit code 1: the
# two do not agree.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
fixtures=$(cd "${1:?"compare.sh: name the folder with models/llava"}" && pwd)

source "$here/../peers.sh"
python_with peers
workload=$scratch/vision results=$scratch/results/vision
mkdir -p "$results"
"$python" "$here/workload.py" "$workload" --tokenizer "$fixtures/models/llava"
# In turns, so that a machine whose speed changes is as fast for one as for the other.
parts=4
ours() { taskset -c "$cores" cargo bench --quiet --manifest-path "$repository/Cargo.toml" --bench vision -- "$workload" "$results/ours-$1.json"; }
for part in $(seq "$parts"); do
    ours "$part"
    taskset -c "$cores" "$python" "$here/peer.py" "$workload" --threads "$threads" --part "$part/$parts" --out "$results/peer-$part.json"
done
ours "$((parts + 1))"
"$python" "$here/report.py" --ours "$results"/ours-*.json --peer "$results"/peer-*.json
