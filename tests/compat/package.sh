# The package of OpenCompass, unpacked, and beside it the words that one of its benchmarks draws from and the tables of
# elements that three ask. To be sourced after environment.sh; nothing of them is part of this repository.
#
# Sets $package, the folder that holds `opencompass/`, `wonderwords/` and `smact/`.

opencompass=0.5.4
wonderwords=3.0.1
smact=3.0.2

package=$folder/package-$opencompass
# Without dependencies, which are gigabytes. Unpacked under another name first, so that an interrupted run leaves no half.
unpacked() {
    local name=$1 version=$2
    [ -d "$package/$name" ] && return
    "$python" -m pip download --quiet --disable-pip-version-check --no-deps --dest "$folder" "$name==$version"
    rm -rf "$folder/unpacking"
    # Some wheels write their names in capitals.
    "$python" -m zipfile -e "$(find "$folder" -maxdepth 1 -iname "$name-$version-*.whl")" "$folder/unpacking"
    mkdir -p "$package"
    mv "$folder/unpacking/$name" "$package/$name"
}
unpacked opencompass "$opencompass"
unpacked wonderwords "$wonderwords"
unpacked smact "$smact"
