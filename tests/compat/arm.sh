#!/usr/bin/env bash
# Runs the tests of the tensor operations as an Arm processor would, on a computer that has another.
#
#   tests/compat/arm.sh FOLDER [FILTER...]
#
# The standard library for aarch64-unknown-linux-gnu comes from rustup, for the very compiler that is used otherwise. The C compiler and
# QEMU are packages of Debian, unpacked in FOLDER: nothing is installed and nobody has to be root. FOLDER is kept and used again. Without
# FILTER it is `ops::`. The last line is `arm: N passed, M failed`.
#
# What runs there has an Arm processor's bits. Its speed is QEMU's and says nothing.
set -euo pipefail

folder=${1:?usage: arm.sh FOLDER [FILTER...]}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
filters=("${@:2}")
[ ${#filters[@]} -gt 0 ] || filters=(ops::)
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
target=aarch64-unknown-linux-gnu

cd "$repository"
rustup target add --toolchain "$(rustup show active-toolchain | cut -d' ' -f1)" "$target"

root=$folder/root
if [ ! -d "$root" ]; then
    # Unpacked under another name first, so that an interrupted run leaves no half of a package.
    rm -rf "$folder/packages" "$folder/unpacking"
    mkdir "$folder/packages" "$folder/unpacking"
    # apt says what this computer lacks for them; that and no more is fetched.
    apt-get install --simulate --no-install-recommends \
        gcc-aarch64-linux-gnu g++-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static |
        awk '/^Inst / { print $2 }' >"$folder/packages/names"
    (cd "$folder/packages" && xargs apt-get download --quiet <names)
    for package in "$folder"/packages/*.deb; do dpkg-deb -x "$package" "$folder/unpacking"; done
    mv "$folder/unpacking" "$root"
    rm -rf "$folder/packages"
fi
# What the packages' programs are linked with lies beside them. QEMU is linked with nothing: what it runs would inherit this.
libraries=$root/usr/lib/$(uname -m)-linux-gnu
# Where the packages were not fetched because they are installed, their programs are found as usual.
export PATH="$root/usr/bin:$PATH"
if [ -d "$root/usr/aarch64-linux-gnu" ]; then sysroot=$root; else sysroot=/; fi
for program in gcc g++ ar; do
    [ "$program" = ar ] && option= || option="--sysroot='$sysroot'"
    cat >"$folder/$program" <<END
#!/bin/sh
export LD_LIBRARY_PATH='$libraries'
exec aarch64-linux-gnu-$program $option "\$@"
END
    chmod +x "$folder/$program"
done

export CC_aarch64_unknown_linux_gnu=$folder/gcc CXX_aarch64_unknown_linux_gnu=$folder/g++
export AR_aarch64_unknown_linux_gnu=$folder/ar
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=$folder/gcc
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64-static -L $sysroot/usr/aarch64-linux-gnu"

# Few optimisations: compiling takes longer than running.
cargo test --locked --release --target "$target" --target-dir "$folder/target" \
    --config 'profile.release.opt-level=1' --config 'profile.release.package.zstd-sys.opt-level=1' \
    --lib -- "${filters[@]}" 2>&1 | tee "$folder/log" ||
    true
awk '/^test result:/ { passed += $4; failed += $6; ran = 1 }
    END { if (!ran) { print "arm: nothing ran"; exit 1 }
        printf "arm: %d passed, %d failed\n", passed, failed; exit failed > 0 }' "$folder/log"
