# mirror.sh <include/ridgepoint> <tests>: checks that every header has a test, which is one of these:
#   - the test file of the same name
#   - for an op (headers of one name in ops/, reference/, cpu/ and kernels/): a test of that name in tests/ops,
#     reference or cpu, or the receipt test that runs for every op in ops/all.hpp
#   - for a layer: a graph test that names it
#   - a test that includes the header
#   - the test of a header that includes it. For a list of headers, all.hpp, this counts only if it has a test file of
#     its own name
set -eu
headers=$(cd "$1" && pwd) tests=$(cd "$2" && pwd)
has_a_test() {
  header=$1 name=${1##*/}
  [ ! -e "$tests/${header%.hpp}.cpp" ] || return 0
  case "$header" in
    ops/* | reference/*) ! grep -q "<ridgepoint/ops/$name>" "$headers/ops/all.hpp" || return 0 ;;
  esac
  case "$header" in
    ops/* | reference/* | cpu/* | kernels/*)
      for folder in ops reference cpu; do [ ! -e "$tests/$folder/${name%.hpp}.cpp" ] || return 0; done ;;
    graph/layers/*) ! grep -qE "nn::${name%.hpp}\>" "$tests"/graph/*.cpp || return 0 ;;
  esac
  grep -qx "$header" "$included"
}
included=$(mktemp) parts=$(mktemp)
trap 'rm -f "$included" "$parts"' EXIT
grep -rhoE --include='*.[ch]pp' '<ridgepoint/[a-z0-9_/]+\.hpp>' "$tests" | sed 's|<ridgepoint/||; s|>||' | sort -u >"$included"

cd "$headers"
all=$(find . -mindepth 2 -name '*.hpp' | sed 's|^\./||' | LC_ALL=C sort)
for header in $all; do
  if has_a_test "$header"; then echo "tested $header"; else echo "header $header"; fi
  case "$header" in */all.hpp) [ -e "$tests/${header%.hpp}.cpp" ] || continue ;; esac
  sed -n "s|^ *# *[a-z].*<ridgepoint/\([^>]*\)>.*|part $header \1|p" "$header"
  [ "$header" != simd/batch.hpp ] || sed -n "s|.* name = \"\(.*\)\";|part $header simd/isa/\1.hpp|p" core/isa.hpp
done >"$parts"
awk '
$1 == "part" { parts[$2] = parts[$2] " " $3; next }
{ headers[++count] = $2 }
$1 == "tested" { open[++last] = $2; seen[$2] = 1 }
END {
  for (i = 1; i <= last; i++) {
    n = split(parts[open[i]], part, " ")
    for (j = 1; j <= n; j++) if (!seen[part[j]]++) open[++last] = part[j]
  }
  for (i = 1; i <= count; i++) if (!seen[headers[i]]) { print headers[i] " has no test: none of its name, none that includes it, and no header with a test includes it"; failed = 1 }
  if (!failed) print "every header has its test"
  exit failed
}' "$parts"
