#!/usr/bin/env bash
# example.sh <program> <source>: checks that the program succeeds and prints the text in the comment "// Prints:" at the
# end of its source, up to numbers (matches.sh).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
sed -n '/^\/\/ Prints.*:$/,$ { /^\/\/ Prints.*:$/d; s/^\/\/ *//; p; }' "$2" >"$folder/expected"
[ -s "$folder/expected" ] || { echo "$2 must end with what it prints, below // Prints:"; exit 1; }
"$1" >"$folder/printed" || { echo "$1 failed"; exit 1; }
bash "$(dirname "$(readlink -f "$0")")/matches.sh" "$folder/expected" "$folder/printed" || { cat "$folder/printed"; exit 1; }
