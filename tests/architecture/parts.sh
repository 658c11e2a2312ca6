# parts.sh <repository> <build>: checks the parts of cmake/parts.cmake. Every test has the label of one part; the sources
# and tests of a part include its headers and the library's, no others.
set -eu
cd "$1"
build=$2 failed=0
complain() { echo "$*"; failed=1; }

# listed <ctest option> …: prints the names of these tests.
listed() { ctest --test-dir "$build" -N "$@" | sed -n 's/^ *Test *#[0-9]*: //p'; }
parts='library chips cuda tools' any='^(library|chips|cuda|tools)$'
without=$(listed -LE "$any")
[ -z "$without" ] || complain "tests without a part, whose CMakeLists.txt must call ridgepoint_part(): $without"
several=$(for part in $parts; do listed -L "^$part\$"; done | LC_ALL=C sort | uniq -d)
[ -z "$several" ] || complain "tests of several parts: $several"
[ -n "$(listed -L "$any")" ] || complain "no test has a part"

# forbidden <folder>: prints the folders of other parts that its sources may not include.
forbidden() {
  case "$1" in
    gpu | mxu | study | hostile) echo 'cuda' ;;
    cuda) echo 'gpu|mxu|study' ;;
    *) echo 'gpu|mxu|study|cuda' ;;
  esac
}
for folder in hostile $(find include/ridgepoint -mindepth 1 -maxdepth 1 -type d -exec basename {} ';' | LC_ALL=C sort); do
  found=$(find "include/ridgepoint/$folder" "tests/$folder" -name '*.[ch]pp' ! -path 'tests/cuda/rows/*' 2>/dev/null |
    xargs grep -HnE "^ *# *include (<ridgepoint/($(forbidden "$folder"))/|\"(ridgepoint|benchmarks|measurement|tools)/)" |
    grep -v '"measurement/trainers/' || true)
  [ -z "$found" ] || complain "includes of a part that $folder may not use:
$found"
done
[ $failed -ne 0 ] || echo "every test has one part; library, chips and cuda include only what they may"
exit $failed
