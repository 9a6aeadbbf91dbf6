#!/usr/bin/env bash
# lm-eval's own `hf` model beside the model `surprisal` of the Python package: the same tasks, on the same checkpoint.
#
#   tests/compat/lm_eval_model.sh [--short] FOLDER
#
# lm-eval, torch and transformers are installed from PyPI into FOLDER (some 2 GB), which is kept and used again. SURPRISAL names a
# binary; without it, one is built. With --short the package's tests are run and nothing else, which needs neither torch nor
# transformers. Exit code 1: a figure, a prompt or a log-likelihood differs, or a test failed.
set -euo pipefail

short=
if [ "${1:-}" = --short ]; then
    short=yes
    shift
fi
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/environment.sh" "${1:?"lm_eval_model.sh: name a folder for what is installed"}"
export SURPRISAL=$surprisal PYTHONPATH=$repository/python

if [ -n "$short" ]; then
    # What lm-eval's interface of models imports.
    "$python" -m pip install --quiet --disable-pip-version-check numpy requests pyyaml jinja2 tqdm
    "$python" -m pip install --quiet --disable-pip-version-check --no-deps lm-eval==0.4.13
else
    "$here/lm_eval_installed.sh" "$python"
fi

"$python" - "$repository/python/tests" <<'END'
import sys, unittest
ended = unittest.TextTestRunner(stream=sys.stderr).run(unittest.defaultTestLoader.discover(sys.argv[1]))
failed = len(ended.failures) + len(ended.errors)
print(f"python_package: {ended.testsRun - failed - len(ended.skipped)} passed, {failed} failed", flush=True)
sys.exit(failed > 0)
END
[ -n "$short" ] || "$python" "$here/lm_eval_model.py" "$repository/models/pocket" "$folder/comparison"
