#!/usr/bin/env bash
# Installs a wheel as anybody would, into a virtual environment with nothing else, and tries what it holds from an empty folder.
#
#   packaging/wheel_test.sh WHEEL [LM_EVAL_FOLDER]
#
# LM_EVAL_FOLDER is the virtual environment that tests/compat/lm_eval_model.sh keeps: the tests of the Python package are then run with
# the package and the program of the wheel.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
wheel=$(realpath "${1:?"wheel_test.sh: name a wheel"}")
lm_eval=${2:-}
source "$here/tally.sh"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Nothing of the checkout may be found: neither its package, nor a program, nor files of the demo.
unset PYTHONPATH SURPRISAL VIRTUAL_ENV
export HOME=$scratch/home HF_HUB_OFFLINE=1
mkdir -p "$HOME" "$scratch/empty"
cd "$scratch/empty"
python3 -m venv "$scratch/venv"
bin=$scratch/venv/bin

demo() {
    "$bin/surprisal" demo -w "$scratch/demo" >"$scratch/demo.txt" &&
        grep -q choices "$scratch/demo.txt"
}

# PATH leads to no program: the package finds the one that came with it.
package() {
    PATH=/usr/bin:/bin "$bin/python" - <<'END'
import importlib.metadata, pathlib, subprocess, sys
import surprisal.conversations, surprisal.requests
from surprisal.program import binary_path
path = pathlib.Path(binary_path())
assert path.parent == pathlib.Path(sys.executable).parent, path
said = subprocess.run([path, "--version"], check=True, capture_output=True, text=True).stdout
assert said.split() == ["surprisal", importlib.metadata.version("surprisal")], said
END
}

licences() {
    "$bin/python" - <<'END'
import importlib.metadata
names = [str(path) for path in importlib.metadata.files("surprisal")]
for wanted in ("LICENSE-MIT", "LICENSE-APACHE", "cyclonedx.json"):
    assert any(name.endswith(wanted) for name in names), names
END
}

# The package's own tests, on a copy: beside it they would take the package of the checkout.
package_tests() {
    local environment=$scratch/with-lm-eval theirs
    mkdir -p "$scratch/tests/python" &&
        cp -r "$here/../python/tests" "$scratch/tests/python/tests" &&
        cp -r "$here/../models" "$here/../configs" "$scratch/tests/" &&
        python3 -m venv "$environment" &&
        theirs=$("$lm_eval/bin/python" -c "$site") &&
        echo "$theirs" >"$("$environment/bin/python" -c "$site")/lm_eval.pth" &&
        "$environment/bin/python" -m pip install --quiet --disable-pip-version-check --no-index --no-deps "$wheel" &&
        "$environment/bin/python" -m unittest discover -s "$scratch/tests/python/tests" &&
        "$environment/bin/surprisal-lm-eval" --help
}
site='import sysconfig; print(sysconfig.get_path("purelib"))'

trial install "$bin/python" -m pip install --quiet --disable-pip-version-check --no-index "$wheel"
trial version "$bin/surprisal" --version
trial licences licences
trial package package
trial completions "$bin/surprisal" completions bash
trial demo demo
[ -z "$lm_eval" ] || trial package_tests package_tests
tally wheel
