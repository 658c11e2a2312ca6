# promises.sh <c++> <include> <flag_promises.md> <folder> <part> <parts>: compiles promise.cpp with the flags of each
# row of the page's table for this compiler, runs it, and compares its output with the cells. Deals rows to parts in
# turn; each part begins with the first row, the baseline for kernels. Part 1 also checks the message and the namespace.
# Exits 77 if the page has no table of this compiler, or the CPU has no FMA.
set -u
cxx=$1 include=$2 page=$3 folder=$4 part=$5 parts=$6
source=$(dirname "$0")/promise.cpp
case "$("$cxx" --version)" in *clang*) name=Clang macro=__clang_major__ ;; *) name=GCC macro=__GNUC__ ;; esac
heading="## What changes: $name $(echo $macro | "$cxx" -E -P -x c++ -)"
grep -qxF "$heading" "$page" || { echo "$page has no '$heading'"; exit 77; }
grep -qw fma /proc/cpuinfo || { echo "this CPU has no FMA"; exit 77; }
mkdir -p "$folder"

# Lines "flags|cell|cell…" of the table under the heading; the first line names the columns.
awk -v heading="$heading" '$0 == heading { on = 1; next } on && /^#/ { exit }
  on && /^\|/ && !/^\|-/ { gsub(/`/, ""); gsub(/ *\| */, "|"); print substr($0, 2, length($0) - 2) }' "$page" >"$folder/table"
columns=$(head -n 1 "$folder/table")
[ "$(wc -l <"$folder/table")" -gt 10 ] || { echo "$page: the table of $heading has too few rows"; exit 1; }

failed=0 base=
while IFS= read -r row <&3; do
  flags=${row%%|*}
  case $flags in none) flags= ;; esac
  said=$("$cxx" -std=c++20 -O3 -march=x86-64-v3 $flags -I"$include" "$source" -o "$folder/promise" -pthread 2>&1) ||
    { echo "$flags: $said"; failed=1; continue; }
  found=$("$folder/promise")
  kernels=$(echo "$found" | sed -n 's/^kernels: //p')
  base=${base:-$kernels}
  found=$(echo "$found" | sed "s/^kernels: $base/kernels: same/; s/^kernels: [0-9a-f]*$/kernels: changed/"
    case $said in *"ridgepoint: NaN and infinity may get lost"*) echo "says so: yes" ;; *) echo "says so: -" ;; esac)
  is=${row%%|*}
  for column in $(echo "${columns#*|}" | tr ' |' '_ '); do
    is="$is|$(echo "$found" | sed -n "s/^$(echo "$column" | tr _ ' '): //p")"
  done
  [ "$is" = "$row" ] || { printf 'the page says: %s\nwhat is found: %s\n' "$row" "$is"; failed=1; }
done 3<<END
$(awk -v part="$part" -v parts="$parts" 'NR == 2 || NR > 2 && NR % parts == part % parts' "$folder/table")
END
[ "$part" -eq 1 ] || { [ $failed -ne 0 ] || echo "the rows of part $part match the page"; exit $failed; }
# Checks the library: its namespace, whether it takes layers from the archive, and that its message can be silenced.
does() {  # <wanted> <flag …>
  wanted=$1
  shift
  is=$(printf '#include <ridgepoint/core/config.hpp>\nRIDGEPOINT_ABI RIDGEPOINT_COMPILED\n' |
    "$cxx" -std=c++20 -Werror -DRIDGEPOINT_WITH_DISPATCH "$@" -I"$include" -E -P -x c++ - 2>&1 | grep v0_ | tail -n 1)
  [ "$is" = "$wanted" ] || { echo "$*: namespace and archive are $is; must be $wanted"; failed=1; }
}
does "v0_scalar 1"
does "v0_scalar_finite_math 0" -ffinite-math-only
does "v0_scalar_fast_math 0" -ffast-math
does "v0_scalar 1" -ffast-math -fno-finite-math-only
says() {  # <how often> <flag …>
  wanted=$1
  shift
  is=$(echo '#include <ridgepoint/core/config.hpp>' | "$cxx" -std=c++20 -Wall -Werror "$@" -I"$include" -fsyntax-only -x c++ - 2>&1) ||
    { echo "$*: $is"; failed=1; }
  count=$(echo "$is" | grep -cE '(note|warning): .*NaN and infinity may get lost')
  [ "$count" = "$wanted" ] || { echo "$*: says so $count times; must be $wanted"; failed=1; }
}
says 1 -ffinite-math-only
says 0 -ffinite-math-only -DRIDGEPOINT_FINITE_MATH
says 0 -ffast-math -fno-finite-math-only

[ $failed -ne 0 ] || echo "the rows of part 1 and the message match the page"
exit $failed
