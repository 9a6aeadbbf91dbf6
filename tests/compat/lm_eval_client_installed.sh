#!/usr/bin/env bash
# Installs from PyPI what asks servers: lm-eval with its models behind HTTP, and `openai`. Tokenizers are transformers'; torch is left out.
#
#   tests/compat/lm_eval_client_installed.sh PYTHON
#
# PYTHON is that of a virtual environment. What is there already is left as it is.
set -euo pipefail

python=${1:?"lm_eval_client_installed.sh: name the Python of a virtual environment"}
# What transformers imports for a tokenizer.
imported=(filelock fsspec safetensors==0.8.0 tokenizers==0.23.3 packaging pyyaml regex requests tqdm huggingface_hub typer numpy)

pip() { "$python" -m pip install --quiet --disable-pip-version-check "$@"; }
pip lm-eval==0.4.13 openai==3.57.0 aiohttp tenacity "${imported[@]}"
pip --no-deps transformers==5.23.0
