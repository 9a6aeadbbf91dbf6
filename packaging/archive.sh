#!/usr/bin/env bash
# Makes the archive: the program of a wheel, completions for shells, manual pages, licences and the list of parts.
#
#   packaging/archive.sh WHEEL FOLDER
#
# Prints the archive's path. Refuses a program that needs a newer C library than glibc 2.17, one with paths of this machine in
# it, and an archive above 25 MB.
set -euo pipefail

source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
wheel=$(realpath "${1:?"archive.sh: name a wheel"}")
folder=$(mkdir -p "${2:?"archive.sh: name a folder for the archive"}" && cd "$2" && pwd)
settle
glibc=2.17
most_bytes=25000000

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python3 -m zipfile -e "$wheel" "$scratch/wheel"
name=surprisal-$version-x86_64-linux
root=$scratch/$name
install -D -m 755 "$scratch/wheel/surprisal-$version.data/scripts/surprisal" "$root/bin/surprisal"
surprisal=$root/bin/surprisal

newest=$(readelf --version-info "$surprisal" | grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -1)
if [ "$(printf '%s\n' "GLIBC_$glibc" "$newest" | sort -V | tail -1)" != "GLIBC_$glibc" ]; then
    echo "archive.sh: the program needs $newest" >&2
    exit 1
fi

if grep -aqF -e "$HOME/" -e "$cargo_home" "$surprisal"; then
    echo "archive.sh: the program has paths of this machine in it" >&2
    exit 1
fi

mkdir -p "$root"/share/{man/man1,bash-completion/completions,zsh/site-functions,fish/vendor_completions.d,doc/surprisal}
"$surprisal" man "$root/share/man/man1" 2>/dev/null
"$surprisal" completions bash >"$root/share/bash-completion/completions/surprisal"
"$surprisal" completions zsh >"$root/share/zsh/site-functions/_surprisal"
"$surprisal" completions fish >"$root/share/fish/vendor_completions.d/surprisal.fish"
information=$scratch/wheel/surprisal-$version.dist-info
cp "$repository/README.md" "$repository/CHANGELOG.md" "$information"/licenses/* "$information"/sboms/* "$root/share/doc/surprisal"

archive=$folder/$name.tar.xz
chmod -R u=rwX,go=rX "$root"
tar -c -C "$scratch" --format=ustar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner "$name" |
    xz -9 --threads=1 >"$archive"
bytes=$(stat -c %s "$archive")
if [ "$bytes" -gt "$most_bytes" ]; then
    echo "archive.sh: $archive has $bytes bytes, more than $most_bytes" >&2
    exit 1
fi
echo "$archive"
