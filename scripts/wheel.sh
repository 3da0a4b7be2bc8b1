#!/usr/bin/env bash
# Builds the native module with maturin so that it names no folder of this machine.
#   scripts/wheel.sh --out DIR [more options of `maturin build`]
set -euo pipefail
cd "$(dirname "$0")/.."

# Panic messages hold the paths of source files: ours, those of dependencies, and the standard
# library's where its source is installed. The registry's folders exist once crates are fetched.
cargo fetch --locked --quiet
cargo_home=${CARGO_HOME:-$HOME/.cargo}
remap=("$(pwd -P)=jelly-patch" "$(rustc --print sysroot)/lib/rustlib/src/rust=rust")
for registry in "$cargo_home"/registry/src/*; do
  remap+=("$registry=crates")
done

# The encoded form allows spaces in paths. It takes the place of RUSTFLAGS, as a wheel should not
# depend on them.
CARGO_ENCODED_RUSTFLAGS=$(printf -- '--remap-path-prefix=%s\n' "${remap[@]}" | paste -sd $'\x1f')
export CARGO_ENCODED_RUSTFLAGS

# zig is a Python package here, and writes nothing outside the repository.
caches=$PWD/target/zig
export CARGO_ZIGBUILD_CACHE_DIR=$caches/wrappers
export ZIG_GLOBAL_CACHE_DIR=$caches/global ZIG_LOCAL_CACHE_DIR=$caches/local
export CARGO_ZIGBUILD_PYTHON_PATH=$PWD/.venv/bin/python

exec .venv/bin/python -m maturin build --release --locked --interpreter .venv/bin/python "$@"
