#!/usr/bin/env bash
# quotes.sh <repository> <folder>: checks that every block that extract.sh found without a main() is in one compiled
# source, line after line. Ignores indentation; a line "..." matches any number of lines.
set -euo pipefail
cd "$1"
mapfile -t sources < <(find include examples tests/docs -name '*.hpp' -o -name '*.cpp')
failed=0 count=0
for block in "$2"/*.quote; do
  [ -e "$block" ] || break
  count=$((count + 1))
  awk '
    function bare(line) { gsub(/^[ \t]+|[ \t]+$/, "", line); return line }
    FNR == 1 { file++; matched = 1; gap = 0 }
    file == 1 { quote[++length_of_quote] = bare($0); next }
    {
      line = bare($0)
      while (quote[matched] == "...") { gap = matched; matched++ }
      if (matched > length_of_quote) exit
      if (line == quote[matched]) { if (++matched > length_of_quote) { found = 1; exit } }
      else if (gap == 0) matched = line == quote[1] ? 2 : 1
    }
    END { exit !found }' "$block" "${sources[@]}" && continue
  echo "$(basename "$block"): is not quoted from a compiled source:"
  cat "$block"
  failed=1
done
echo "$count quotes"
exit $failed
