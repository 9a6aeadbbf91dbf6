#!/usr/bin/env bash
# Runs a program that was built with the feature `cuda` on emulated GPUs, without a GPU or a driver:
#
#     kernels/emulator/run.sh FOLDER target/release/surprisal selftest --device cuda
#
# FOLDER takes the libraries that stand in for NVIDIA's. EMULATED_GPUS and EMULATED_GPU_MIB say how many
# devices there are, and how much memory each has.
set -euo pipefail

folder=${1:?usage: run.sh FOLDER PROGRAM [ARGUMENT ...]}
shift
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
library=$folder/libcuda.so.1
if [ ! -e "$library" ] || [ -n "$(find "$here/.." -type f -newer "$library")" ]; then
    compile() { "${CXX:-c++}" -x c++ -std=c++17 -fPIC -ffp-contract=off -I "$here" "$@"; }
    compile -O2 -c -o "$folder/driver.o" "$here/driver/driver.cpp"
    # Products are sums in any order.
    compile -O3 -march=native -fassociative-math -fno-signed-zeros -fno-trapping-math \
        -c -o "$folder/blas.o" "$here/driver/blas.cpp"
    "${CXX:-c++}" -shared -o "$library" "$folder/driver.o" "$folder/blas.o"
    ln -sf libcuda.so.1 "$folder/libcublas.so.13"
    ln -sf libcuda.so.1 "$folder/libcurand.so.10"
fi
LD_LIBRARY_PATH="$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" exec "$@"
