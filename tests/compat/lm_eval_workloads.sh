#!/usr/bin/env bash
# The likelihood workloads as tasks of lm-eval: by its own `hf` model, by the model of the Python package, and by `surprisal run`.
#
#   tests/compat/lm_eval_workloads.sh WORKLOADS FOLDER
#
# WORKLOADS is the folder of the workloads: rows, tokenizer, and the script that draws the weights. lm-eval, torch and transformers
# are installed from PyPI into FOLDER (some 2 GB), which is kept and used again. SURPRISAL names a binary; without it, one is built.
# `surprisal diff` must find that both agree within 1e-4 nats, and must name each fault that is planted in lm-eval's run. CPU seconds
# of the three are told. Takes some 15 minutes on two cores. Exit code 1: something differs.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
workloads=$(cd "${1:?"lm_eval_workloads.sh: name the folder of the workloads"}" && pwd)
source "$here/environment.sh" "${2:?"lm_eval_workloads.sh: name a folder for what is installed"}"
export SURPRISAL=$surprisal PYTHONPATH=$repository/python
"$here/lm_eval_installed.sh" "$python"
"$python" "$here/lm_eval_workloads.py" "$workloads" "$folder"
