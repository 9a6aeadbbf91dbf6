#!/usr/bin/env bash
# Builds wheel and archive of the last commit again, from nothing, and compares them with a release byte by byte.
#
#   packaging/same_bytes.sh RELEASE_FOLDER
#
# The second build has other paths and another time of day: a copy of cargo's folder in another place, another checkout, another home.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
release=$(realpath "${1:?"same_bytes.sh: name the folder that release.sh filled"}")
source "$here/tally.sh"
repository=$(cd "$here/.." && pwd)

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
git clone --quiet "$repository" "$scratch/checkout"
mkdir -p "$scratch/cargo" "$scratch/home"
cp -r "${CARGO_HOME:-$HOME/.cargo}/registry" "$scratch/cargo/"

sysroot=$(rustc --print sysroot)
again() {
    env -u SOURCE_DATE_EPOCH -u RUSTFLAGS HOME="$scratch/home" CARGO_HOME="$scratch/cargo" PATH="$sysroot/bin:$PATH" \
        SURPRISAL_RELEASE_TOOLS="${SURPRISAL_RELEASE_TOOLS:-$repository/target/release-tools}" "$@"
}
wheel=$(again "$scratch/checkout/packaging/wheel.sh" "$scratch/again")
again "$scratch/checkout/packaging/archive.sh" "$wheel" "$scratch/again" >/dev/null

for made in "$scratch"/again/*; do
    trial "$(basename "$made")" cmp "$made" "$release/$(basename "$made")"
done
tally same_bytes
