#!/usr/bin/env bash
# Makes ggml_products.json and llama_cpp_surprisals.json in tests/fixtures: `tests/ggml_products/make.sh SOURCES LIBRARIES`, the folders
# of llama.cpp's sources and of its built libraries (see benches/llama_cpp/build.sh).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
fixtures=$here/../fixtures
sources=${1:?"make.sh: name the folder of llama.cpp's sources"} libraries=$(cd "${2:?"make.sh: name the folder of its libraries"}" && pwd)
programs=$(mktemp -d)
trap 'rm -rf "$programs"' EXIT
for name in products surprisals; do
    c++ -O2 -I "$sources/include" -I "$sources/ggml/include" "$here/$name.cpp" -o "$programs/$name" -L "$libraries" \
        -lllama -lggml -lggml-cpu -lggml-base -Wl,-rpath,"$libraries"
done
"$programs/products" > "$fixtures/ggml_products.json"
"$programs/surprisals" "$fixtures/gguf/llama-q4_0.gguf" > "$fixtures/llama_cpp_surprisals.json"
