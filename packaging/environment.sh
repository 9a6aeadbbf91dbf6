# What all parts of a release share. To be sourced.
#
# Sets $repository, $version, $triple, $cargo_home and $tools (a virtual environment with maturin and zig).

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$repository/Cargo.toml" | head -1)
triple=x86_64-unknown-linux-gnu

# Other versions may write other bytes.
maturin=1.16.0
zig=0.17.1

tools=${SURPRISAL_RELEASE_TOOLS:-$repository/target/release-tools}
if ! "$tools/bin/python" -c "
import importlib.metadata as m, sys
sys.exit((m.version('maturin'), m.version('ziglang')) != ('$maturin', '$zig'))" 2>/dev/null; then
    "${PYTHON:-python3}" -m venv "$tools"
    "$tools/bin/python" -m pip install --quiet --disable-pip-version-check "maturin==$maturin" "ziglang==$zig"
fi

cargo_home=${CARGO_HOME:-$HOME/.cargo}

# What makes a second build give the same bytes: times are those of the last commit, and no path of this machine is written into the
# program.
settle() {
    SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$repository" log -1 --format=%ct)}
    RUSTFLAGS="--remap-path-prefix=$cargo_home=/cargo --remap-path-prefix=$(rustc --print sysroot)=/rust"
    CFLAGS="-ffile-prefix-map=$cargo_home=/cargo"
    export SOURCE_DATE_EPOCH RUSTFLAGS CFLAGS
    export CXXFLAGS=$CFLAGS LC_ALL=C TZ=UTC
    unset CARGO_TARGET_DIR CARGO_BUILD_TARGET CARGO_INCREMENTAL
    umask 022
}
