#!/usr/bin/env bash
# op_table.sh <op_table program> <README.md>: the README's table op × backend is the one the program prints.
set -euo pipefail
diff <("$1") <(sed -n '/<!-- ops:/,/<!-- end of ops/{/^|/p}' "$2")
