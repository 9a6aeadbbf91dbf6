#!/usr/bin/env bash
# Matrix products and attention of `surprisal bench --kernels` and of PyTorch, in turn on the same cores, and their ratios.
#
#   benches/ops/compare.sh [--instructions avx2] [--rounds N] [--json]
#
# --instructions holds both sides to less than the processor has: avx2 or avx512. Every kernel is timed once in each of N rounds
# (default 3), first by one program, then by the other; the call with the least CPU seconds counts. PyTorch comes from PyPI into
# SCRATCH, unless PYTHON names a Python that has it. Environment: see benches/peers.sh; THREADS=1 is for one core.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
instructions= rounds=3 json=()
while [ $# -gt 0 ]; do
    case $1 in
        --instructions) instructions=${2:?"--instructions needs a name"}; shift ;;
        --rounds) rounds=${2:?"--rounds needs a number"}; shift ;;
        --json) json=(--json) ;;
        *) echo "compare.sh: there is no option $1" >&2; exit 2 ;;
    esac
    shift
done
# Each library of PyTorch's is held by a variable of its own.
case $instructions in
    '') ;;
    avx2) export ONEDNN_MAX_CPU_ISA=AVX2 MKL_ENABLE_INSTRUCTIONS=AVX2 ATEN_CPU_CAPABILITY=avx2 ;;
    avx512) export ONEDNN_MAX_CPU_ISA=AVX512_CORE MKL_ENABLE_INSTRUCTIONS=AVX512 ATEN_CPU_CAPABILITY=avx512 ;;
    *) echo "compare.sh: --instructions is avx2 or avx512, not $instructions" >&2; exit 2 ;;
esac
[ -z "$instructions" ] || export SURPRISAL_INSTRUCTIONS=$instructions

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
