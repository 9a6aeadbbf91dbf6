#!/usr/bin/env bash
# The manifest of `surprisal submit kubernetes` against the schemas that Kubernetes publishes, which kubernetes-validate from PyPI holds.
#
#   tests/compat/kubernetes.sh [FOLDER]
#
# The package is installed into FOLDER, which is kept and used again, or into a temporary one. SURPRISAL names a binary; without it,
# one is built.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/environment.sh" "$@"
"$python" -m pip install --quiet --disable-pip-version-check kubernetes-validate
"$python" "$here/kubernetes.py" "$surprisal"
