# rooms.sh <repository>: checks which top-level folders (rooms) include each other. Every room may include the library
# as <ridgepoint/…>; the library includes no room. Every picture must be shown in docs/.
# Rooms are the top-level folders tracked by git, or without git the list below. Other folders belong to the user.
set -eu
cd "$1"
failed=0 files=$(mktemp)
trap 'rm -f "$files"' EXIT
complain() { echo "$*"; failed=1; }

# may_include <room>: prints the other rooms it may include.
may_include() {
  case "$1" in
    benchmarks | fuzz | tools) echo measurement ;;
    tests) echo benchmarks measurement tools ;;
    examples | include | measurement) ;;
    *) return 1 ;;
  esac
}
# room_of <file> <included name>: prints the room of the included file, resolved as by the compiler.
room_of() {
  for folder in "${1%/*}" . tests tools; do
    [ -e "$folder/$2" ] || continue
    file=$(readlink -f "$folder/$2") file=${file#"$(pwd -P)"/}
    echo "${file%%/*}"
    return
  done
}

tops=$(git ls-files 2>/dev/null | sed '/^[.]/d; s|/.*||' | uniq) || true
for top in ${tops:-benchmarks docs examples fuzz include measurement tests tools}; do
  [ ! -e "$top" ] || find "$top" -name '*.hpp' -o -name '*.cpp' -o -name '*.svg' -o -name '*.png' -o -name '*.html'
done | LC_ALL=C sort >"$files"
sources=$(grep -E '[.][hc]pp$' "$files")
for room in $(echo "$sources" | sed 's|/.*||' | uniq); do
  allowed=" $room $(may_include "$room") " || complain "$room/ is not a room of tests/architecture/rooms.sh"
  for include in $(echo "$sources" | grep "^$room/" | xargs grep -HE '^ *# *include "' | sed 's|^\([^:]*\):[^"]*"\([^"]*\)".*|\1:\2|'); do
    other=$(room_of "${include%%:*}" "${include#*:}")
    case "$allowed" in *" ${other:-$room} "*) ;; *) complain "${include%%:*} includes ${include#*:}; $room/ may include$allowed" ;; esac
  done
done

for picture in $(grep -vE '[.][hc]pp$' "$files"); do
  [ "${picture%/*}" = docs ] && grep -qF "](${picture##*/})" docs/*.md || complain "$picture is shown by no page of docs/"
done
[ $failed -ne 0 ] || echo "every room includes only allowed rooms"
exit $failed
