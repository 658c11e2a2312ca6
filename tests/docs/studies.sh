#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# studies.sh <ridgepoint> <folder of published tables> <docs/studies.md>: fails unless the page is what
# `ridgepoint report --data DIR` writes. Skips (77) without the tables.
set -euo pipefail
[ -d "$2" ] || { echo "SKIPPED: no published tables in $2"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" report --data "$2" --out "$folder" >"$folder/printed"
diff "$3" "$folder/report.md" || { echo "$3 is not up to date: copy report.md of \`ridgepoint report --data DIR\`"; exit 1; }
