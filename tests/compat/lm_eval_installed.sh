#!/usr/bin/env bash
# Installs lm-eval with its own `hf` model from PyPI: torch and transformers for CPUs, without NVIDIA's wheels.
#
#   tests/compat/lm_eval_installed.sh PYTHON
#
# PYTHON is that of a virtual environment. What is there already is left as it is.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
python=${1:?"lm_eval_installed.sh: name the Python of a virtual environment"}
# What torch and transformers import.
imported=(filelock fsspec jinja2 networkx sympy typing-extensions safetensors==0.8.0 tokenizers==0.23.3 packaging pyyaml regex
    requests tqdm huggingface_hub psutil typer click rich numpy)

pip() { "$python" -m pip install --quiet --disable-pip-version-check "$@"; }
pip lm-eval==0.4.13 "${imported[@]}"
pip --no-deps torch==2.15.0 transformers==5.23.0 accelerate==1.15.0
"$python" -c 'import torch' 2>/dev/null || "$python" "$here/stub_cuda.py"
