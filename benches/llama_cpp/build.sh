# Builds llama.cpp's programs from the sources that llama-cpp-python's package on PyPI holds. To be sourced after peers.sh; sets
# $llama_cpp (the programs), $libraries (what they are to load first) and $gguf_package (its Python package).
#
# They are built for this machine, and a second time without AVX-512 for INSTRUCTIONS=avx2, where only the library that computes
# differs. JOBS says how many compilers run at once (default 1).

sources=$scratch/llama_cpp_python
if ! compgen -G "$sources/vendor/llama.cpp/CMakeLists.txt" > /dev/null; then
    installed cmake ninja scikit-build-core
    rm -rf "$scratch/sdist"
    PATH=$(dirname "$python"):$PATH "$python" -m pip download --quiet --disable-pip-version-check --no-deps --no-build-isolation \
        --no-binary llama-cpp-python --dest "$scratch/sdist" llama-cpp-python==0.3.36
    mkdir -p "$sources"
    tar -xzf "$scratch"/sdist/llama_cpp_python-*.tar.gz -C "$sources" --strip-components=1
fi
gguf_package=$sources/vendor/llama.cpp/gguf-py

# built FOLDER TARGETS… -- OPTIONS…: configures and builds once.
built() {
    local folder=$1 targets=()
    shift
    while [ "$1" != -- ]; do targets+=("$1"); shift; done
    shift
    [ -f "$folder/complete" ] && return
    installed cmake ninja
    local tools
    tools=$(dirname "$python")
    {
        PATH=$tools:$PATH cmake -S "$sources/vendor/llama.cpp" -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release \
            -DBUILD_SHARED_LIBS=ON -DLLAMA_CURL=OFF -DLLAMA_OPENSSL=OFF -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF \
            -DLLAMA_BUILD_SERVER=OFF "$@" && PATH=$tools:$PATH nice ninja -C "$folder" -j "${JOBS:-1}" "${targets[@]}"
    } > "$folder.log" 2>&1 || { tail -n 20 "$folder.log" >&2; exit 2; }
    touch "$folder/complete"
}

if [ -z "${LLAMA_CPP:-}" ]; then
    echo "llama.cpp: building (once)" >&2
    built "$scratch/llama_cpp" llama-bench llama-batched-bench llama-perplexity llama-quantize -- -DGGML_NATIVE=ON
    LLAMA_CPP=$scratch/llama_cpp/bin
fi
llama_cpp=$(cd "$LLAMA_CPP" && pwd)
libraries=$llama_cpp
case ${INSTRUCTIONS:-} in
    '') ;;
    avx2)
        built "$scratch/llama_cpp_avx2" ggml-cpu -- -DGGML_NATIVE=OFF -DGGML_AVX512=OFF
        libraries=$scratch/llama_cpp_avx2/bin:$llama_cpp
        ;;
    *) echo "build.sh: INSTRUCTIONS can only be avx2" >&2; exit 2 ;;
esac
