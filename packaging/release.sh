#!/usr/bin/env bash
# Makes a release of the last commit, tries it, and stops before anything is published.
#
#   packaging/release.sh FOLDER
#
# FOLDER then holds the wheel, the archive, the list of parts (CycloneDX), the container files and SHA256SUMS. Needs root for the try in
# a clean Debian (packaging/clean_root.sh).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/environment.sh"
folder=$(mkdir -p "${1:?"release.sh: name a folder for the release"}" && cd "$1" && pwd)
step() { echo "== $1" >&2; }

cd "$repository"
if [ -n "$(git status --porcelain)" ]; then
    echo "release.sh: there are changes that are not committed; a release is made of the last commit" >&2
    exit 1
fi
if [ -n "$(ls -A "$folder")" ]; then
    echo "release.sh: $folder is not empty" >&2
    exit 1
fi
step "licences, bans, sources"
"$here/licences.sh"
step wheel
wheel=$("$here/wheel.sh" "$folder")
step archive
archive=$("$here/archive.sh" "$wheel" "$folder")
step "list of parts, container files"
tar -xf "$archive" -C "$folder" --strip-components=4 --wildcards '*/share/doc/surprisal/*.cyclonedx.json'
mv "$folder"/*.cyclonedx.json "$folder/surprisal-$version.cyclonedx.json"
cp -r "$here/containers" "$folder/containers"
step "wheel in an environment of its own"
"$here/wheel_test.sh" "$wheel"
step "wheel and archive in a Debian of their own"
"$here/clean_root.sh" "$wheel" "$archive"
step checksums
(cd "$folder" && find . -type f ! -name SHA256SUMS -printf '%P\n' | sort | xargs sha256sum >SHA256SUMS && cat SHA256SUMS)

cat >&2 <<END

Nothing is published. What is left, by hand:
  packaging/same_bytes.sh $folder   # the same again, from nothing
  cargo deny check advisories         # needs the network
  the first heading of CHANGELOG.md   # names the version
  git tag -s v$version && git push origin v$version
  maturin upload $wheel
  cargo publish
and $(basename "$archive"), the list of parts and SHA256SUMS beside the tag.
END
