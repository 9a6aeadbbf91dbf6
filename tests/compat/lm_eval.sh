#!/usr/bin/env bash
# Fetches the release of lm-evaluation-harness whose tasks are read in place.
#
#   tests/compat/lm_eval.sh FOLDER
#
# The package is fetched from PyPI into FOLDER, which is kept and used again. Nothing of it is part of this repository. Its tasks
# are in FOLDER/package-0.4.13/lm_eval/tasks, where SURPRISAL_TASKS is to point.
set -euo pipefail

lm_eval=0.4.13

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# Nothing of ours is run.
export SURPRISAL=/bin/true
source "$here/environment.sh" "$@"
if [ ! -d "$folder/package-$lm_eval" ]; then
    "$python" -m pip download --quiet --disable-pip-version-check --no-deps --dest "$folder" "lm-eval==$lm_eval"
    # Unpacked under another name first, so that an interrupted run leaves no half of a package.
    rm -rf "$folder/unpacking"
    "$python" -m zipfile -e "$folder/lm_eval-$lm_eval-py3-none-any.whl" "$folder/unpacking"
    mv "$folder/unpacking" "$folder/package-$lm_eval"
fi
