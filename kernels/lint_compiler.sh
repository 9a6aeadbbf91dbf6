#!/usr/bin/env bash
# Stands in for nvcc where code is only checked and never run: compiles our kernels, and leaves those of candle empty.
#
#     eval "$(kernels/toolchain.sh FOLDER)"
#     NVCC=$PWD/kernels/lint_compiler.sh cargo clippy --features cuda
#
# candle's kernels take longer than everything else together and are not ours to check; what is linked with them does not
# work, so nothing is built with it.
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
-c) cc -c -x c -o "$output" /dev/null ;;
--ptx) : >"$folder/$(basename "${previous%.cu}").ptx" ;;
*) exec "$nvcc" "$@" ;;
esac
