#!/usr/bin/env bash
# Scores the likelihood workloads once and holds the rules of the answer against lm-eval's formulas.
#
#   tests/compat/likelihood_rules.sh WORKLOADS [FOLDER]
#
# WORKLOADS is the folder of the workloads: rows, tokenizer, reference values, and the script that draws the weights. A
# virtual environment and the weights are made in FOLDER, which is kept and used again, or in a temporary one. SURPRISAL
# names a binary; without it, one is built. Exit code 1: a prediction differs.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
workloads=$(cd "${1:?"likelihood_rules.sh: name the folder of the workloads"}" && pwd)
shift
source "$here/environment.sh" "$@"
"$python" -m pip install --quiet --disable-pip-version-check numpy

rm -rf "$folder/runs"
"$python" "$here/likelihood_rules.py" "$surprisal" "$repository" "$workloads" "$folder"
