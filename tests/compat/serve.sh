#!/usr/bin/env bash
# `surprisal serve` in the hands of clients from PyPI: the package `openai`, and lm-eval's `local-completions` and
# `local-chat-completions` on tasks of invented rows, and OpenCompass's `OpenAI` and `OpenAISDK`, beside the program itself.
#
#   tests/compat/serve.sh FOLDER
#
# They are installed into FOLDER, which is kept and used again; torch is not needed. SURPRISAL names a binary; without it, one is
# built. Exit code 1: an answer or a figure differs.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/environment.sh" "${1:?"serve.sh: name a folder for what is installed"}"
export SURPRISAL=$surprisal

"$here/lm_eval_client_installed.sh" "$python"
"$python" "$here/serve_openai.py" "$repository/models/pocket_dialogue"
"$python" "$here/serve_lm_eval.py" "$repository/models/pocket" "$folder/serve" 16

# OpenCompass's own classes, from its package.
"$python" -m pip install --quiet --disable-pip-version-check mmengine-lite==0.11.0rc3 addict rich termcolor tiktoken jieba httpx
source "$here/package.sh"
"$python" "$here/serve_opencompass.py" "$package" "$repository/models/pocket_dialogue" "$folder/opencompass"
