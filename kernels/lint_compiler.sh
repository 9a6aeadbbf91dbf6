#!/usr/bin/env bash
# Stands in for nvcc where no GPU is at hand: compiles our kernels, and leaves those of candle empty.
#
#     eval "$(kernels/toolchain.sh FOLDER)"
#     NVCC=$PWD/kernels/lint_compiler.sh cargo clippy --features cuda
#
# Ours are compiled for two kinds of GPUs, whatever is asked for: the others differ in no instruction that we write.
# candle's kernels take longer than everything else together and are not ours to check. What is built with it works on
# emulated GPUs alone (`kernels/emulator/run.sh`), which have all kernels themselves.
set -euo pipefail

nvcc=${CUDA_HOME:?eval "\$(kernels/toolchain.sh FOLDER)" first}/bin/nvcc
kind=
output=
folder=.
previous=
for argument in "$@"; do
    case $argument in
    -c | --ptx) kind=$argument ;;
    esac
    case $previous in
    -o) output=$argument ;;
    --output-directory) folder=$argument ;;
    esac
    previous=$argument
done
case $kind in
-c) cc -c -x c -o "$output" - <<<'' ;;
--ptx) : >"$folder/$(basename "${previous%.cu}").ptx" ;;
*)
    kept=()
    while [ $# -gt 0 ]; do
        case "$1 ${2:-}" in
        "-gencode arch=compute_80,"* | "-gencode arch=compute_90,"*) kept+=("$1" "$2") && shift ;;
        "-gencode "*) shift ;;
        *) kept+=("$1") ;;
        esac
        shift
    done
    exec "$nvcc" "${kept[@]}"
    ;;
esac
