#!/usr/bin/env bash
# 200 questions with four candidates on 50 images: what they cost here and with transformers, one after the other on the same cores.
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
taskset -c "$cores" cargo bench --quiet --manifest-path "$repository/Cargo.toml" --bench vision -- "$workload" "$results/ours.json"
taskset -c "$cores" "$python" "$here/peer.py" "$workload" --threads "$threads" --out "$results/peer.json"
"$python" "$here/report.py" "$results/ours.json" "$results/peer.json"
