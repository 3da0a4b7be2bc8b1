#!/usr/bin/env bash
# Runs two commands at the same time; fails if one of them does.
#   scripts/side_by_side.sh 'FIRST COMMAND' 'SECOND COMMAND'
# What the first prints is seen at once, what the second prints after the end of both.
set -euo pipefail

printed=$(mktemp)
bash -c "$2" >"$printed" 2>&1 &
second=$!
trap 'kill "$second" 2>/dev/null || true; rm -f "$printed"' EXIT

code=0
bash -c "$1" || code=$?
wait "$second" || code=$?
cat "$printed"
exit "$code"
