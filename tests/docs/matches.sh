#!/usr/bin/env bash
# matches.sh <expected> <printed>: checks that every line of the first file is in the second, in the same order. Masks
# what differs between runs and machines: numbers, unit prefixes, bounds, machine names, the drawing of a chart. An
# expected line may omit words, as a quoted table omits columns.
set -euo pipefail
mask() {
  LC_ALL=C sed -E '
    s/^( *[0-9]* ?[kMGT]?\|).*/|/
    s/ridgepoint\.[a-z0-9_]+/ridgepoint.ISA/g
    s/ on [^;]*; letters/ on MACHINE; letters/
    s/; roofs of [^;]*;/; roofs of MACHINE;/
    s/-?[0-9]+([.,][0-9]+)*(e[-+]?[0-9]+)?/#/g
    s/# (p|n|µ|m|k|M|G|T|P|E)?(FLOP|B|s|Hz)/# \2/g
    s/(^| )-( |$)/\1#\2/g
    s/(^| )(compute|ridge|L#|DRAM)( [!*])?( |$)/\1BOUND\4/g
    s/---+/---/g' "$1"
}
diff <(awk '
  function found(  i, j, words, had) {
    words = split(expected[wanted], want, " "); had = split($0, is, " ")
    for (i = j = 1; i <= words && j <= had; ++j) if (want[i] == is[j]) ++i
    return i > words
  }
  FNR == 1 { file++; wanted = 1 }
  file == 1 { if ($0 !~ /^ *$/) expected[++lines] = $0; next }
  wanted <= lines && found() { ++wanted }
  END { if (wanted <= lines) print "not printed: " expected[wanted] }' <(mask "$1") <(mask "$2")) /dev/null
