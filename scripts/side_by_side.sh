#!/usr/bin/env bash
# Runs commands, one more at a time than there are processors, because tests often wait; each starts as soon as one before it
# has ended. Fails if one of them does.
#   scripts/side_by_side.sh COMMAND...
# What the first prints is seen at once, what others print when they end; of those that failed, the last lines once more
# in the end.
set -euo pipefail

printed=$(mktemp -d)
trap 'rm -rf "$printed"' EXIT
export printed

one() {
  local number=$1 command=$2 code=0
  if [ "$number" = 1 ]; then
    bash -c "$command" 2>&1 | tee "$printed/$number" || code=$?
  else
    bash -c "$command" >"$printed/$number" 2>&1 || code=$?
    cat "$printed/$number"
  fi
  [ "$code" = 0 ] || { tail -n 40 "$printed/$number"; echo "exit code $code: $command"; } >"$printed/$number.failed"
}
export -f one

number=0
for command; do
  printf '%s\0%s\0' $((number += 1)) "$command"
done | xargs -0 -n 2 -P $(($(getconf _NPROCESSORS_ONLN) + 1)) bash -o pipefail -c 'one "$@"' _

code=0
for failed in "$printed"/*.failed; do
  [ ! -e "$failed" ] || { cat "$failed" >&2; code=1; }
done
exit "$code"
