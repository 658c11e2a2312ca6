# mirror.sh <include/ridgepoint> <tests>: every header has a test file of the same name, or is on the list of those that are
# tested through another one.
set -eu
headers="$1" tests="$2"
list="$tests/architecture/tested_elsewhere.txt"                 # header: the test that covers it
failed=0
for header in $(cd "$headers" && find . -mindepth 2 -name '*.hpp' | LC_ALL=C sort); do
  header=${header#./}
  [ -e "$tests/${header%.hpp}.cpp" ] && continue
  covering=$(sed -n "s|^$header: *||p" "$list")
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
  [ ! -e "$tests/${header%.hpp}.cpp" ] || { echo "tested_elsewhere.txt names $header, which has its own test"; failed=1; }
done
[ $failed -ne 0 ] || echo "every header has its test"
exit $failed
