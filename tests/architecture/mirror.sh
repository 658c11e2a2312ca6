# mirror.sh <include/ridgepoint> <tests>: every header has a test file of the same name. So has an op's slice as a whole: what
# ops/, reference/, cpu/ and kernels/ have of one name is tested in any of tests/ops, reference and cpu; the proofs of receipts
# run every op that ops/all.hpp lists; a layer is named in a test of graphs. All other headers, or folders of them, are on the
# list of those that are tested through another file.
set -eu
headers="$1" tests="$2"
list="$tests/architecture/tested_elsewhere.txt"                 # header or folder/: the test that covers it
failed=0
in_a_tested_slice() {
  name=${1##*/}
  case "$1" in
    ops/* | reference/*) grep -q "<ridgepoint/ops/$name>" "$headers/ops/all.hpp" && return ;;
  esac
  case "$1" in
    ops/* | reference/* | cpu/* | kernels/*)
      for folder in ops reference cpu; do [ ! -e "$tests/$folder/${name%.hpp}.cpp" ] || return 0; done ;;
    graph/layers/*) grep -qE "nn::${name%.hpp}\>" "$tests"/graph/*.cpp && return ;;
  esac
  return 1
}
tested() { [ -e "$tests/${1%.hpp}.cpp" ] || in_a_tested_slice "$1"; }
for header in $(cd "$headers" && find . -mindepth 2 -name '*.hpp' | LC_ALL=C sort); do
  header=${header#./}
  tested "$header" && continue
  covering=$(sed -n "s|^$header: *||p; s|^${header%/*}/: *||p" "$list")
  if [ -z "$covering" ]; then
    echo "$header has no tests/${header%.hpp}.cpp"
    failed=1
  elif [ ! -e "$tests/$covering" ]; then
    echo "$header should be covered by tests/$covering, which does not exist"
    failed=1
  fi
done
for header in $(sed -n 's/^\([^#][^:]*\): .*/\1/p' "$list"); do
  [ -e "$headers/$header" ] || { echo "tested_elsewhere.txt names $header, which does not exist"; failed=1; }
  case "$header" in
    */) ;;
    *) ! tested "$header" || { echo "tested_elsewhere.txt names $header, which has its own test"; failed=1; } ;;
  esac
done
[ $failed -ne 0 ] || echo "every header has its test"
exit $failed
