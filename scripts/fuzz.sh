#!/usr/bin/env bash
# Runs each fuzz target (or those named) for FUZZ_SECONDS seconds or FUZZ_RUNS inputs, whichever ends first (0 and -1: no
# end), from seeds that are made anew; stops at the first failure.
# With --once, each target only reads some seeds, without instrumentation: to see that all build and start.
# What is found stays in target/fuzz: the corpora for the next run, inputs that fail under failures/.
set -euo pipefail
cd "$(dirname "$0")/.."

version=0.13.2
tools=$PWD/target/tools
work=$PWD/target/fuzz

if [ "${1:-}" = --once ]; then
  export CARGO_TARGET_DIR=$PWD/target # its dependencies are those of the tests
  cargo run --quiet --locked --manifest-path fuzz/Cargo.toml --example seeds -- "$work/once"
  cargo build --quiet --locked --manifest-path fuzz/Cargo.toml --bins
  for target in fuzz/targets/*.rs; do
    name=$(basename "$target" .rs)
    mapfile -t seeds < <(printf '%s\n' "$work/once/$name"/* | head -40)
    echo "$name: ${#seeds[@]} seeds"
    "$CARGO_TARGET_DIR/debug/$name" "${seeds[@]}" >"$work/once.log" 2>&1 || { cat "$work/once.log" >&2; exit 1; }
    [ "$(grep -c '^Executed ' "$work/once.log")" = "${#seeds[@]}" ] || { echo "not all seeds were read" >&2; exit 1; }
  done
  exit
fi
if ! "$tools/bin/cargo-fuzz" fuzz --version 2>/dev/null | grep -qF "$version"; then
  cargo install cargo-fuzz --version "$version" --locked --root "$tools" --target-dir "$tools/build"
fi
# the sanitizers are of nightly Rust; the compiler itself has them
export RUSTC_BOOTSTRAP=1 PATH=$tools/bin:$PATH
export CARGO_TARGET_DIR=$work/build

cargo run --quiet --locked --release --manifest-path fuzz/Cargo.toml --example seeds -- "$work/seeds"
mapfile -t targets < <(if [ $# -gt 0 ]; then printf '%s\n' "$@"; else cd fuzz/targets && printf '%s\n' *.rs | sed 's/\.rs$//'; fi)
for target in "${targets[@]}"; do
  mkdir -p "$work/corpus/$target" "$work/failures/$target"
  echo "fuzzing $target for ${FUZZ_SECONDS:=60} seconds, ${FUZZ_RUNS:=-1} inputs"
  cargo fuzz run --fuzz-dir fuzz "$target" "$work/corpus/$target" "$work/seeds/$target" -- \
    -max_total_time="$FUZZ_SECONDS" -runs="$FUZZ_RUNS" -timeout=60 -rss_limit_mb=4096 -max_len=8192 -print_final_stats=1 \
    -verbosity=0 -artifact_prefix="$work/failures/$target/"
done
