# stray_files.sh <work>: checks that rooms.sh ignores files that a user's commands wrote next to the project's folders,
# with and without git, and still finds errors inside the folders.
set -eu
here=$(cd "$(dirname "$0")" && pwd) tree=$1
rm -rf "$tree"
mkdir -p "$tree/docs" "$tree/tools" "$tree/examples"
cd "$tree"
echo '![](shown.svg)' >docs/page.md
touch docs/shown.svg tools/a.hpp examples/b.hpp
echo '#include "a.hpp"' >tools/a.cpp
passes() { sh "$here/rooms.sh" "$tree" >out || { echo "$1: must pass"; cat out; exit 1; }; }
fails() { ! sh "$here/rooms.sh" "$tree" >out && grep -qF "$1" out || { echo "must complain about $1"; cat out; exit 1; }; }
check() {
  passes "no stray files"
  mkdir -p digits build-foo "my venv/lib"
  touch roofline.json roofline.html mlp.checkpoint array.svg app.cpp build-foo/id.cpp "my venv/lib/a page.html" "my venv/lib/a.hpp"
  passes "stray files"
  touch docs/unseen.svg
  fails docs/unseen.svg
  rm docs/unseen.svg
  echo '#include "tools/a.hpp"' >examples/b.cpp
  fails "examples/b.cpp includes tools/a.hpp"
  rm -r examples/b.cpp digits build-foo "my venv" roofline.json roofline.html mlp.checkpoint array.svg app.cpp
}
check
command -v git >/dev/null || { echo "without git: stray files are ignored"; exit 0; }
git init -q .
git add docs tools examples
check
mkdir room
touch room/a.cpp page.html
git add room page.html
fails "room/ is not a room"
fails "page.html is shown by no page"
echo "with git and without: stray files are ignored"
