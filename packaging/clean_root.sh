#!/usr/bin/env bash
# Tries a wheel and an archive in a Debian that has nothing but its base and Python: no Rust, no compiler, no network.
#
#   packaging/clean_root.sh WHEEL ARCHIVE [ROOT]
#
# ROOT is kept and used again; without it the root is made in a temporary folder. Needs root (chroot, and a namespace without network)
# and debootstrap, which is installed if it is missing.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
wheel=$(realpath "${1:?"clean_root.sh: name a wheel"}")
archive=$(realpath "${2:?"clean_root.sh: name an archive"}")
source "$here/tally.sh"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=${3:-$scratch/root}
if [ ! -e "$root/made" ]; then
    command -v debootstrap >/dev/null || { apt-get update -qq && apt-get install -qq -y debootstrap; } >&2
    mkdir -p "$root"
    debootstrap --variant=minbase --include=python3-venv bookworm "$root" >&2
    touch "$root/made"
fi
rm -rf "$root/try"
mkdir -p "$root/try/archive" "$root/try/empty"
cp "$wheel" "$root/try/"
tar -xf "$archive" -C "$root/try/archive" --strip-components=1

# A command in an empty folder of the root, with nothing of this machine's environment.
inside() {
    unshare --net --pid --fork --mount chroot "$root" /usr/bin/env -i HOME=/try PATH="/usr/bin:/bin" TERM=dumb \
        sh -c 'mount -t proc proc /proc && cd /try/empty && exec "$@"' sh "$@"
}

no_rust() {
    ! inside sh -c 'command -v cargo || command -v rustc || command -v cc'
}
no_network() {
    inside sh -c '! grep -v -e lo: -e "|" /proc/net/dev'
}
demo() {
    inside "$1" demo -w "/try/demo-$2" >"$scratch/demo.txt" &&
        grep -q choices "$scratch/demo.txt"
}
files() {
    cd "$root/try/archive/share" &&
        test -s man/man1/surprisal.1 && test -s man/man1/surprisal-run.1 &&
        test -s doc/surprisal/LICENSE-THIRD-PARTY && test -s doc/surprisal/surprisal.cyclonedx.json &&
        inside bash -n /try/archive/share/bash-completion/completions/surprisal
}

trial no_rust no_rust
trial no_network no_network
trial archive_version inside /try/archive/bin/surprisal --version
trial archive_files files
trial archive_demo demo /try/archive/bin/surprisal archive
trial wheel_install inside sh -c 'python3 -m venv /try/venv && /try/venv/bin/pip install --quiet --no-index /try/*.whl'
trial wheel_version inside /try/venv/bin/surprisal --version
trial wheel_package inside /try/venv/bin/python -c 'from surprisal.program import binary_path; assert binary_path() == "/try/venv/bin/surprisal"'
trial wheel_demo demo /try/venv/bin/surprisal wheel
tally clean_root
