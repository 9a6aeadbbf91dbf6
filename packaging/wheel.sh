#!/usr/bin/env bash
# Makes the wheel: the program and the Python package, for every Linux with glibc 2.17 or newer.
#
#   packaging/wheel.sh FOLDER            from the last commit, for others
#   packaging/wheel.sh --local FOLDER    from this folder and what is built in it, for this machine; quick
#
# Prints the wheel's path.
set -euo pipefail

source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

if [ "${1:-}" = --local ]; then
    folder=$(mkdir -p "${2:?"wheel.sh: name a folder for the wheel"}" && cd "$2" && pwd)
    cd "$repository"
    PATH=$tools/bin:$PATH maturin build --quiet --release --compatibility linux --out "$folder" >&2
    ls "$folder/surprisal-$version"-*-linux_*.whl
    exit
fi

folder=$(mkdir -p "${1:?"wheel.sh: name a folder for the wheel"}" && cd "$1" && pwd)
settle

# Always the same place, because the program and its list of parts depend on it.
build=/tmp/surprisal-release-build
mkdir "$build" || {
    echo "wheel.sh: $build is there: another release is being built, or one was cut off; remove it then" >&2
    exit 1
}
trap 'rm -rf "$build"' EXIT
git -C "$repository" archive HEAD | tar -x -C "$build"

cd "$build"
cargo fetch --locked --quiet --target "$triple"
python3 packaging/third_party_licenses.py "$triple" >LICENSE-THIRD-PARTY
PATH=$tools/bin:$PATH maturin build --release --zig --target "$triple" --compatibility manylinux_2_17 --out "$folder" >&2
ls "$folder/surprisal-$version"-*manylinux*.whl
