#!/usr/bin/env bash
# Says in one line each what this machine lacks and how to get it; fails when something is missing.
#   scripts/doctor.sh rust c python java     checks these
#   scripts/doctor.sh find-python            prints the Python to use ($PYTHON if set)
set -euo pipefail

min_rust=89 # 1.89, as rust-version in Cargo.toml
missing=0

lack() {
  echo "missing: $1. To get it: $2" >&2
  missing=1
}

is_mac() { [ "$(uname -s)" = Darwin ]; }

find_python() {
  local candidate candidates=(python3 python3.13 python3.12 python3.11 python)
  if [ -n "${PYTHON:-}" ]; then candidates=("$PYTHON"); fi
  for candidate in "${candidates[@]}"; do
    # ensurepip is a package of its own on Debian.
    if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      command -v "$candidate"
      return
    fi
  done
  return 1
}

check_rust() {
  local version minor
  version=$(cargo --version 2>/dev/null | cut -d' ' -f2) || true
  minor=$(cut -d. -f2 <<<"$version")
  if [ -z "$version" ]; then
    lack "Rust 1.$min_rust or later (no cargo on the PATH)" "https://rustup.rs, then open a new shell"
  elif [ "${version%%.*}" = 1 ] && [ "$minor" -lt "$min_rust" ]; then
    lack "Rust 1.$min_rust or later (found $version)" "rustup update stable"
  fi
}

check_c() {
  if ! command -v "${CC:-cc}" >/dev/null; then
    if is_mac; then lack "a C compiler" "xcode-select --install"
    else lack "a C compiler (no ${CC:-cc} on the PATH)" "apt install build-essential, or dnf install gcc"; fi
  fi
}

check_python() {
  find_python >/dev/null ||
    lack "Python 3.11 or later with venv${PYTHON:+ (PYTHON=$PYTHON is not it)}" \
      "https://www.python.org/downloads, or apt install python3 python3-venv; or name one: make PYTHON=/path/to/python3"
}

check_java() {
  local java=${JAVA_HOME:+$JAVA_HOME/bin/}java version
  version=$("$java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1) || true
  if [ -z "$version" ]; then
    lack "Java 17 or later, for Spark (no $java)" "https://adoptium.net, or apt install openjdk-17-jre-headless"
  elif [ "$version" -lt 17 ]; then
    lack "Java 17 or later, for Spark ($java is $version)" "https://adoptium.net, then set JAVA_HOME"
  fi
}

for what in "$@"; do
  case $what in
    find-python) find_python || { check_python; exit 1; } ;;
    rust | c | python | java) "check_$what" ;;
    *) echo "doctor: I do not know $what" >&2; exit 2 ;;
  esac
done
exit "$missing"
