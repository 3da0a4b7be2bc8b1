#!/usr/bin/env bash
# pull_request.sh BASE HEAD [PATTERN...]: markdown on what changed in RDF files between two commits of the repository here
#
# BASE is taken where HEAD left it. A PATTERN is one of git's, such as '*.ttl'. JELLY names another command than jelly.
set -euo pipefail

most=64000 # characters; a comment of GitHub may have 65,536
files=20
base=$(git merge-base "$1" "$2")
head=$(git rev-parse --verify --quiet "$2^{commit}")
shift 2
[ $# -gt 0 ] || set -- '*.ttl' '*.nt' '*.nq' '*.trig' '*.rdf' '*.owl' '*.jsonld' '*.jelly'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

git diff --name-only --no-renames -z "$base" "$head" -- "$@" >"$folder/names"
count=$(tr -cd '\0' <"$folder/names" | wc -c)
if [ "$count" = 0 ]; then
    echo "No RDF file changed."
    exit 0
fi
room=$((most / (count < files ? count : files) - 600))
done=0
while IFS= read -r -d '' name; do
    if [ $done = $files ]; then
        printf '\n… %d more files\n' $((count - files))
        break
    fi
    done=$((done + 1))
    # only what is no markup
    shown=$(printf %s "$name" | tr -c 'A-Za-z0-9._/-' _ | head -c 200)
    sides=()
    for commit in "$base" "$head"; do
        if git cat-file -e "$commit:$name" 2>/dev/null; then
            side=$folder/$commit/$(basename "$shown")
            mkdir -p "$folder/$commit"
            git cat-file blob "$commit:$name" >"$side"
        else
            side=/dev/null
        fi
        sides+=("$side")
    done
    printf '\n#### `%s`\n\n' "$shown"
    if "${JELLY:-jelly}" diff "${sides[@]}" --as markdown --max-lines $room >"$folder/out" 2>"$folder/error"; then
        cat "$folder/out"
    else
        printf 'It cannot be compared:\n\n```\n%s\n```\n' "$(head -c 300 "$folder/error" | tr '`\n' "' ")"
    fi
done <"$folder/names"
