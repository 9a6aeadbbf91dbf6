#!/usr/bin/env bash
# Matrix products and attention of `surprisal bench --kernels` and of PyTorch, in turn on the same cores, and their ratios.
#
#   benches/ops/compare.sh [--rounds N] [--json]
#
# Every kernel is timed once in each of N rounds (default 3), first by one program, then by the other; the call with the least CPU
# seconds counts. PyTorch comes from PyPI into SCRATCH, unless PYTHON names a Python that has it. Environment: see benches/peers.sh;
# THREADS=1 is for one core, INSTRUCTIONS=avx2 holds both to AVX2.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
rounds=3 json=()
while [ $# -gt 0 ]; do
    case $1 in
        --rounds) rounds=${2:?"--rounds needs a number"}; shift ;;
        --json) json=(--json) ;;
        *) echo "compare.sh: there is no option $1" >&2; exit 2 ;;
    esac
    shift
done

source "$here/../peers.sh"
if [ -n "${PYTHON:-}" ]; then
    python=$PYTHON
else
    python=$scratch/torch/bin/python
    [ -x "$python" ] || python3 -m venv "$scratch/torch"
    # Without what it declares: gigabytes of CUDA.
    installed --no-deps torch==2.15.0
    installed filelock fsspec jinja2 networkx sympy typing-extensions numpy
    "$python" -c 'import torch' 2> "$scratch/torch.log" ||
        "$python" "$repository/tests/compat/stub_cuda.py" >> "$scratch/torch.log"
fi

pin=()
if command -v taskset > /dev/null; then pin=(taskset -c "$cores"); fi
results=$scratch/results/ops
rm -rf "$results"
mkdir -p "$results"
for ((round = 1; round <= rounds; round++)); do
    echo "round $round of $rounds: surprisal" >&2
    "${pin[@]}" "$surprisal" bench --kernels --json > "$results/ours_$round.json"
    echo "round $round of $rounds: PyTorch" >&2
    "${pin[@]}" "$python" "$here/peer.py" "$results/ours_$round.json" --threads "$threads" > "$results/theirs_$round.json"
done
"$python" "$here/report.py" "${json[@]}" "$results"
