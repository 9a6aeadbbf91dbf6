#!/usr/bin/env bash
# Installs CUDA's compiler into a folder, without a GPU, a driver or root, and prints what to export:
#
#     eval "$(kernels/toolchain.sh FOLDER)"
#     cargo build --release --features cuda
#
# Compiler, headers and the static runtime are wheels from PyPI (105 MB; 273 MB on disk). The program is
# linked with the driver and cuBLAS by trampolines that open the real library at the first call, so that
# it starts where there is none: cuInit then answers CUDA_ERROR_NO_DEVICE. FOLDER may be used again; the
# exports are needed for every cargo call, because build scripts run anew when they change.
#
# CUDA_COMPUTE_CAP (default 80) is the oldest GPU that candle's own kernels are compiled for; ours are
# compiled for all that build.rs names.
set -euo pipefail

folder=${1:?usage: toolchain.sh FOLDER}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
root=$(cd "$(dirname "$0")/.." && pwd)
home=$folder/nvidia/cu13
compute_cap=${CUDA_COMPUTE_CAP:-80}

# Versions that fit each other; others are not tried.
wheels=(nvidia-cuda-nvcc==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-nvvm==13.0.88
    nvidia-cuda-runtime==13.0.96 nvidia-cuda-cccl==13.0.85)
stamp=$folder/installed-$(printf '%s\n' "${wheels[@]}" | sha256sum | cut -c1-12)
if [ ! -e "$stamp" ]; then
    "${PYTHON:-python3}" -m pip install --quiet --no-deps --upgrade --target "$folder" "${wheels[@]}" >&2
    touch "$stamp"
fi
chmod +x "$home"/bin/* "$home"/nvvm/bin/*
ln -sfn lib "$home/lib64" # where nvcc and cudarc look

# The symbols of each library are those that cudarc's bindings name.
(cd "$root" && cargo fetch --locked --quiet) >&2
bindings=$(find "${CARGO_HOME:-$HOME/.cargo}/registry/src" -maxdepth 2 -type d -name 'cudarc-0.19.*' | sort -V | tail -1)
[ -n "$bindings" ] || { echo "cudarc's sources are not in cargo's registry" >&2; exit 1; }
made=$folder/trampolines
mkdir -p "$made"

# A static library `lib$1.a` for the shared library $2. Its functions, those of cudarc's module $3, jump
# through slots that hold their addresses once they were called; without the library they return $4.
trampolines() {
    local name=$1 library=$2 module=$3 missing=$4
    grep -ohE '^ {12}fn [A-Za-z0-9_]+' "$bindings/src/$module/sys/mod.rs" | awk '{print $2}' | sort -u >"$made/$name.txt"
    {
        echo '.text'
        awk -v name="$name" '{
            printf ".globl %s\n.type %s,@function\n.p2align 4\n%s: jmp *slots_%s+%d(%%rip)\n", $1, $1, $1, name, 8 * (NR - 1)
            printf "first_%s_%d: pushq $%d\n jmp resolve_%s\n", name, NR - 1, NR - 1, name
        }' "$made/$name.txt"
        # On the stack: the function's number, the return address. All argument registers are live.
        cat <<EOF
.p2align 4
resolve_$name:
 pushq %rdi; pushq %rsi; pushq %rdx; pushq %rcx; pushq %r8; pushq %r9; pushq %rax
 subq \$136,%rsp
 movups %xmm0,0(%rsp); movups %xmm1,16(%rsp); movups %xmm2,32(%rsp); movups %xmm3,48(%rsp)
 movups %xmm4,64(%rsp); movups %xmm5,80(%rsp); movups %xmm6,96(%rsp); movups %xmm7,112(%rsp)
 movq 192(%rsp),%rdi
 call find_$name
 movq %rax,%r11
 movups 0(%rsp),%xmm0; movups 16(%rsp),%xmm1; movups 32(%rsp),%xmm2; movups 48(%rsp),%xmm3
 movups 64(%rsp),%xmm4; movups 80(%rsp),%xmm5; movups 96(%rsp),%xmm6; movups 112(%rsp),%xmm7
 addq \$136,%rsp
 popq %rax; popq %r9; popq %r8; popq %rcx; popq %rdx; popq %rsi; popq %rdi
 addq \$8,%rsp
 jmp *%r11
.data
.p2align 3
.globl slots_$name
.hidden slots_$name
slots_$name:
EOF
        awk -v name="$name" '{ printf " .quad first_%s_%d\n", name, NR - 1 }' "$made/$name.txt"
        echo '.section .note.GNU-stack,"",@progbits'
    } >"$made/$name.S"
    {
        cat <<EOF
#include <dlfcn.h>
#include <string.h>
extern void *slots_$name[] __attribute__((visibility("hidden")));
static const char *const names[] = {
EOF
        sed 's/.*/    "&",/' "$made/$name.txt"
        cat <<EOF
};
static void *opened(void) {
    static void *library;
    static int tried;
    if (__atomic_load_n(&tried, __ATOMIC_ACQUIRE)) return library;
    static const char *const places[] = {
        "$library", "lib$name.so", "/usr/local/cuda/lib64/$library",
        "/usr/local/cuda/targets/x86_64-linux/lib/$library", "/usr/lib/x86_64-linux-gnu/$library",
        "/usr/lib/wsl/lib/$library", 0,
    };
    void *found = 0;
    for (int i = 0; !found && places[i]; i++) found = dlopen(places[i], RTLD_LAZY | RTLD_GLOBAL);
    library = found;
    __atomic_store_n(&tried, 1, __ATOMIC_RELEASE);
    return found;
}
static long missing(void) { return $missing; }
static long missing_text(int error, const char **text) {
    (void)error;
    if (text) *text = "$library is not installed";
    return 0;
}
__attribute__((visibility("hidden"))) void *find_$name(unsigned long number) {
    void *library = opened();
    void *function = library ? dlsym(library, names[number]) : 0;
    if (!function) {
        int is_text = !strcmp(names[number], "cuGetErrorName") || !strcmp(names[number], "cuGetErrorString");
        function = is_text ? (void *)missing_text : (void *)missing;
    }
    __atomic_store_n(&slots_$name[number], function, __ATOMIC_RELEASE);
    return function;
}
EOF
    } >"$made/$name.c"
    cc -O2 -fPIC -c -o "$made/${name}_find.o" "$made/$name.c"
    cc -fPIC -c -o "$made/${name}_jump.o" "$made/$name.S"
    rm -f "$home/lib/lib$name.so" "$home/lib/lib$name.a"
    ar rcs "$home/lib/lib$name.a" "$made/${name}_find.o" "$made/${name}_jump.o"
}
trampolines cuda libcuda.so.1 driver 100               # CUDA_ERROR_NO_DEVICE
trampolines cublas libcublas.so.13 cublas 1            # CUBLAS_STATUS_NOT_INITIALIZED
trampolines cublasLt libcublasLt.so.13 cublaslt 1      # the same
trampolines curand libcurand.so.10 curand 203          # CURAND_STATUS_INITIALIZATION_FAILED
trampolines nvrtc libnvrtc.so.13 nvrtc 11              # NVRTC_ERROR_INTERNAL_ERROR
rm -f "$home/lib/libcudart.so"
cp "$home/lib/libcudart_static.a" "$home/lib/libcudart.a"

cat <<EOF
export CUDA_HOME='$home'
export CUDA_PATH='$home'
export NVCC='$home/bin/nvcc'
export CUDA_COMPUTE_CAP=$compute_cap
export CUDARC_CUDA_VERSION=13000
export CUDAFORGE_THREADS=\${CUDAFORGE_THREADS:-2}
export NVCC_APPEND_FLAGS="--compress-mode=size"
export PATH="$home/bin:\$PATH"
EOF
