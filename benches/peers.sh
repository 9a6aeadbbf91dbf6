# What the comparisons with other programs share: the binary, Python, weights, and measuring on fixed cores. To be sourced,
# with $workloads set to the folder of the likelihood workloads.
#
# SURPRISAL     a binary; without it, one is built
# PYTHON        a Python that has what is needed; without it, an environment is made from PyPI
# SCRATCH       the folder for it, for weights and for results (default: target/peers); kept and used again
# THREADS       for every program (default 2)
# CORES         for every program, as `taskset -c` reads them (default: the first THREADS)
# INSTRUCTIONS  avx2 or avx512 holds every program to less than the processor has

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
scratch=${SCRATCH:-${CARGO_TARGET_DIR:-$repository/target}/peers}
threads=${THREADS:-2}
cores=${CORES:-0-$((threads - 1))}
mkdir -p "$scratch"
scratch=$(cd "$scratch" && pwd)

export RAYON_NUM_THREADS=$threads OMP_NUM_THREADS=$threads MKL_NUM_THREADS=$threads
# Threads that wait without burning CPU seconds, as they would be counted.
export OMP_WAIT_POLICY=PASSIVE
# Each library of PyTorch's is held by a variable of its own.
case ${INSTRUCTIONS:-} in
    '') ;;
    avx2) export ONEDNN_MAX_CPU_ISA=AVX2 MKL_ENABLE_INSTRUCTIONS=AVX2 ATEN_CPU_CAPABILITY=avx2 ;;
    avx512) export ONEDNN_MAX_CPU_ISA=AVX512_CORE MKL_ENABLE_INSTRUCTIONS=AVX512 ATEN_CPU_CAPABILITY=avx512 ;;
    *) echo "INSTRUCTIONS can be avx2 or avx512, not $INSTRUCTIONS" >&2; exit 2 ;;
esac
[ -z "${INSTRUCTIONS:-}" ] || export SURPRISAL_INSTRUCTIONS=$INSTRUCTIONS
export HF_HUB_OFFLINE=1 TRANSFORMERS_VERBOSITY=error
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$repository/benches

if [ -n "${SURPRISAL:-}" ]; then
    surprisal=$(realpath "$SURPRISAL")
else
    cargo build --release --quiet --manifest-path "$repository/Cargo.toml"
    surprisal=$(realpath "${CARGO_TARGET_DIR:-$repository/target}/release/surprisal")
fi

# python_with light|peers: sets $python. `light` draws weights and tokenises; `peers` also has the programs to compare with.
python_with() {
    if [ -n "${PYTHON:-}" ]; then
        python=$PYTHON
        return
    fi
    python=$scratch/venv/bin/python
    [ -x "$python" ] || python3 -m venv "$scratch/venv"
    installed numpy tokenizers==0.23.3
    [ "$1" = peers ] || return 0
    # Without what they declare: data sets and metrics that are not used, and gigabytes of CUDA.
    installed --no-deps torch==2.15.0 transformers==5.23.0 lm-eval==0.4.13 accelerate==1.15.0
    installed filelock fsspec jinja2 networkx sympy typing-extensions safetensors==0.8.0 packaging pyyaml regex requests \
        tqdm huggingface_hub psutil typer click rich more_itertools
    "$python" -c 'import torch' 2> "$scratch/torch.log" || "$python" "$workloads/stub_cuda.py" >> "$scratch/torch.log"
}

# installed REQUIREMENT…: what pip says, such as that declared packages are missing, is shown only if it fails.
installed() {
    if ! "$python" -m pip install --quiet --disable-pip-version-check "$@" 2> "$scratch/pip.log"; then
        cat "$scratch/pip.log" >&2
        exit 2
    fi
}

# weights NAME: sets $model to a checkpoint of this name, drawn from integers and so the same everywhere.
weights() {
    model=$scratch/$1
    [ -f "$model/complete" ] && return
    "$python" "$workloads/gen.py" model "$1" "$model" >&2
    touch "$model/complete"
}

# measured COST COMMAND…: runs it on the chosen cores and writes what it cost; its talk goes to a log beside.
measured() {
    local cost=$1 pin=()
    shift
    if command -v taskset > /dev/null; then pin=(taskset -c "$cores"); fi
    if ! "${pin[@]}" "$python" "$repository/benches/measure.py" "$cost" "$@" 2> "${cost%.json}.log"; then
        cat "${cost%.json}.log" >&2
        exit 2
    fi
}
