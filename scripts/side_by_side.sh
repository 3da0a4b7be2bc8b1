#!/usr/bin/env bash
# Runs two commands at the same time; fails if one of them does.
#   scripts/side_by_side.sh 'FIRST COMMAND' 'SECOND COMMAND'
# What the first prints is seen at once, what the second prints after the end of both; of a first that failed, the last
# lines once more behind that.
set -euo pipefail

printed=$(mktemp) first=$(mktemp)
bash -c "$2" >"$printed" 2>&1 &
second=$!
trap 'kill "$second" 2>/dev/null || true; rm -f "$printed" "$first"' EXIT

code=0 other=0
bash -c "$1" 2>&1 | tee "$first" || code=$?
wait "$second" || other=$?
cat "$printed"
[ "$code" = 0 ] || { tail -n 40 "$first"; echo "the first command ended with exit code $code: $1" >&2; }
[ "$other" = 0 ] || echo "the second command ended with exit code $other: $2" >&2
exit $((code ? code : other))
