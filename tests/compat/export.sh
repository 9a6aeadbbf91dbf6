#!/usr/bin/env bash
# Exports the tables of small runs and reads them with pandas, DuckDB and Polars by their plain calls.
#
#   tests/compat/export.sh [FOLDER]
#
# A virtual environment is made in FOLDER, which is kept and used again, or in a temporary one. SURPRISAL names a
# binary; without it, one is built. The last line tells how many checks there were. Exit code 1: one failed.
set -euo pipefail

packages=(pandas==3.1.1 pyarrow==26.0.1 duckdb==2.0.0 polars==2.1.0)

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/environment.sh" "$@"
"$python" -m pip install --quiet --disable-pip-version-check "${packages[@]}"

rm -rf "$folder/runs"
mkdir "$folder/runs"
"$python" "$here/export.py" "$surprisal" "$repository" "$folder/runs"
