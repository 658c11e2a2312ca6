#!/usr/bin/env bash
# extract.sh <folder> <page> …: writes every ```cpp block to a file: <folder>/<page>.<number>.cpp if it has a main(),
# otherwise <folder>/<page>.<number>.quote. Prints the names of the programs.
set -euo pipefail
folder=$1
shift
rm -rf "$folder"
mkdir -p "$folder"
for page in "$@"; do
  awk -v base="$folder/$(basename "$page" .md)" '
    /^```cpp$/ { file = base "." ++number ".quote"; next }
    /^```/ { if (file != "") close(file); file = ""; next }
    file != "" { print > file }' "$page"
done
for block in "$folder"/*.quote; do
  [ -e "$block" ] || break
  grep -q '^int main()' "$block" || continue
  program=$(basename "$block" .quote)
  { echo "// SPDX-License-Identifier: MIT"; cat "$block"; } >"$folder/$program.cpp"
  rm "$block"
  echo "$program"
done
