# The package of OpenCompass, unpacked, and beside it the words that one of its benchmarks draws from. To be sourced after
# environment.sh; nothing of them is part of this repository.
#
# Sets $package, the folder that holds `opencompass/` and `wonderwords/`.

opencompass=0.5.4
wonderwords=3.0.1

package=$folder/package-$opencompass
# Without dependencies, which are gigabytes. Unpacked under another name first, so that an interrupted run leaves no half.
unpacked() {
    local name=$1 version=$2
    [ -d "$package/$name" ] && return
    "$python" -m pip download --quiet --disable-pip-version-check --no-deps --dest "$folder" "$name==$version"
    rm -rf "$folder/unpacking"
    "$python" -m zipfile -e "$folder/$name-$version-py3-none-any.whl" "$folder/unpacking"
    mkdir -p "$package"
    mv "$folder/unpacking/$name" "$package/$name"
}
unpacked opencompass "$opencompass"
unpacked wonderwords "$wonderwords"
