#!/usr/bin/env bash
# op_table.sh <op_table program> <docs/ops.md> [--update]: checks the page's table op × backend against the program's
# output; --update writes it.
set -euo pipefail
if [ "${3:-}" = --update ]; then
  "$1" >"$2.ops"
  sed -i -e '/<!-- ops:/,/<!-- end of ops/{/^|/d}' -e "/<!-- ops:/{n;r $2.ops
}" "$2"
  rm "$2.ops"
fi
diff <("$1") <(sed -n '/<!-- ops:/,/<!-- end of ops/{/^|/p}' "$2")
