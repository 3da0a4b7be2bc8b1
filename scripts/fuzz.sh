#!/usr/bin/env bash
# Runs each fuzz target (or those named) for FUZZ_SECONDS seconds or FUZZ_RUNS inputs, whichever ends first (0 and -1: no
# end), from seeds that are made anew; stops at the first failure.
# What is found stays in target/fuzz: the corpora for the next run, inputs that fail under failures/.
set -euo pipefail
cd "$(dirname "$0")/.."

version=0.13.2
tools=$PWD/target/tools
work=$PWD/target/fuzz
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
