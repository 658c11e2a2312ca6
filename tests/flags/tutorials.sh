# SPDX-License-Identifier: MIT
# tutorials.sh <the ridgepoint command> <c++> <folder of tutorials> <work>: runs `ridgepoint flags` on unmodified
# programs that do not use ridgepoint. Checks that every benchmark that they list has a row for every set.
set -u
tool=$1 cxx=$2 tutorials=$3 work=$4
rm -rf "$work"
mkdir -p "$work"
cd "$work" || exit 1
cat >two.json <<'END'
{"schema": "ridgepoint.flags.ladder", "schema_version": 1, "base": "O1",
 "sets": [{"name": "O1", "flags": ["-O1"]}, {"name": "O2", "flags": ["-O2"]}]}
END
failed=0 rows=0
for source in "$tutorials"/*.cpp; do
  name=$(basename "$source" .cpp)
  "$tool" flags --source "$source" --sets two.json --compiler "$cxx" --rounds 6 --minutes 0 --benchmark-time 0.0001 --every-core --no-roofs --no-hot-loops \
    --json "$name.json" >out 2>err || { echo "$name: failed"; cat out err; failed=1; continue; }
  ! grep 'failed:' out || failed=1
  program=$(ls -t ridgepoint-flags/O1-*/program.0 | head -n 1)
  "$program" --benchmark_list_tests >"$name.listed"
  [ -s "$name.listed" ] || { echo "$name: lists no benchmark"; failed=1; }
  while IFS= read -r row; do
    rows=$((rows + 1))
    as_json=$(printf '%s' "$row" | sed 's/\\/\\\\/g; s/"/\\"/g')
    for set in O1 'O1 again' O2; do
      tr -s ' \n' ' ' <"$name.json" | grep -qF "\"name\": \"$as_json\", \"set\": \"$set\"" || { echo "$name: no row $row of $set"; failed=1; }
    done
  done <"$name.listed"
done
# A real profile: GCC stops without one.
case "$("$cxx" --version)" in
  *clang*) ;;
  *)
    echo '{"schema": "ridgepoint.flags.ladder", "schema_version": 1, "base": "pgo",
      "sets": [{"name": "pgo", "flags": ["-O1"], "profile_guided": true}]}' >pgo.json
    "$tool" flags --source "$tutorials/strings_and_vectors.cpp" --sets pgo.json --compiler "$cxx" --rounds 6 --minutes 0 \
      --benchmark-time 0.0001 --no-roofs --no-hot-loops >out 2>err && grep -q 'profile-guided' out || { echo "no profile"; cat out err; failed=1; }
    ;;
esac
[ $failed -ne 0 ] || echo "$rows benchmarks have their rows"
exit $failed
