#!/usr/bin/env bash
# commands.sh <repository> <folder of the tool>: runs every ```sh block whose first line is "# tested".
set -euo pipefail
PATH="$2:$PATH"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
awk -v base="$folder" '
  /^```sh$/ { file = base "/" ++number; next }
  /^```/ { file = ""; next }
  file != "" { print > file }' "$1"/README.md "$1"/docs/*.md
cd "$folder"
count=0
for block in [0-9]*; do
  [ "$(head -n 1 "$block")" = "# tested" ] || continue
  bash -euo pipefail "$block" >output 2>&1 || { cat "$block" output; exit 1; }
  count=$((count + 1))
done
echo "$count blocks of commands"
[ "$count" -gt 0 ]
