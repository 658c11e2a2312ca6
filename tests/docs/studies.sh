#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# studies.sh <ridgepoint> <folder of published tables> <repository>: fails unless docs/studies.md is what
# `ridgepoint report --data DIR` writes, DIR holding the tables and benchmarks/results/versions. Skips (77) without them.
set -euo pipefail
[ -d "$2" ] || { echo "SKIPPED: no published tables in $2"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/data"
ln -s "$2"/* "$3"/benchmarks/results/versions/* "$folder/data/"
"$1" report --data "$folder/data" --out "$folder" >"$folder/printed"
diff "$3/docs/studies.md" "$folder/report.md" || { echo "docs/studies.md is not up to date: copy report.md of \`ridgepoint report --data DIR\`"; exit 1; }
