#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# row.sh <benchmark program> <filter> <counter…>: checks that the selected rows run without an error and have the
# counters.
set -euo pipefail
program=$1 filter=$2
shift 2
rows=$(mktemp)
trap 'rm -f "$rows"' EXIT
"$program" --benchmark_filter="$filter" --benchmark_min_time=0.001 --benchmark_format=json >"$rows"
count=$(grep -c '"run_type"' "$rows") || { echo "$filter selects nothing"; exit 1; }
if grep -q '"error_occurred"' "$rows"; then
  cat "$rows"
  exit 1
fi
for counter in "$@"; do
  if [ "$(grep -c "\"$counter\"" "$rows")" -ne "$count" ]; then
    echo "a row lacks $counter:"
    cat "$rows"
    exit 1
  fi
done
echo "$count rows"
