#!/usr/bin/env bash
# Exports the tables of small runs and reads them with pandas, DuckDB and Polars by their plain calls.
#
#   tests/compat/export.sh [FOLDER]
#
# A virtual environment is made in FOLDER, which is kept and used again, or in a temporary one. SURPRISAL names the
# program; target/release/surprisal without it. The last line tells how many checks there were. Exit code 1: one failed.
set -euo pipefail

packages=(pandas==3.1.1 pyarrow==26.0.1 duckdb==2.0.0 polars==2.1.0)

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repository=$(cd "$here/../.." && pwd)
surprisal=$(realpath "${SURPRISAL:-${CARGO_TARGET_DIR:-$repository/target}/release/surprisal}")
if [ ! -x "$surprisal" ]; then
    echo "no program at $surprisal: build it with cargo build --release, or name it in SURPRISAL" >&2
    exit 2
fi

if [ $# -gt 0 ]; then
    mkdir -p "$1"
    folder=$(cd "$1" && pwd)
else
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
fi
python=$folder/venv/bin/python

if [ ! -x "$python" ]; then
    python3 -m venv "$folder/venv"
fi
"$python" -m pip install --quiet --disable-pip-version-check "${packages[@]}"

rm -rf "$folder/runs"
mkdir "$folder/runs"
"$python" "$here/export.py" "$surprisal" "$repository" "$folder/runs"
