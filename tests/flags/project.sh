#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# project.sh <the ridgepoint command> <cmake> <c++> <project> <work>: a target of a CMake project, built with every set of flags.
set -euo pipefail
tool=$1 cxx=$3 project=$4 work=$5
PATH="$(dirname "$2"):$PATH"
rm -rf "$work"
mkdir -p "$work"
cd "$work"
cp -r "$project" my_project
cat >sets.json <<'END'
{"schema": "ridgepoint.flags.ladder", "schema_version": 1, "base": "O0",
 "sets": [{"name": "O0", "flags": ["-O0"]}, {"name": "O1", "flags": ["-O1"]}, {"name": "broken", "flags": ["-O1", "-Dpace=1"]},
          {"name": "unlinked", "flags": ["-fvisibility=hidden"]}, {"name": "quoted", "flags": ["-DX=$(id)"]},
          {"name": "absent", "flags": ["-mfma4", "-mavx512er"]}, {"name": "pgo", "flags": ["-O2"], "profile_guided": true}]}
END
fail() { echo "$1"; cat out err; exit 1; }
measure() { "$tool" flags --target my_bench --project my_project --sets sets.json --compiler "$cxx" --rounds 8 --minutes 0 --no-roofs --no-hot-loops "$@" >out 2>err; }
has() { for text; do tr -s ' \n' ' ' <out | grep -qF -- "$text" || fail "must say '$text'"; done; }

measure --json flags.json || fail "failed"
has "O1 100 ns 50.0 ns 2.000 2.000 … 2.000 faster" "layout: one link of each set" "error: expected unqualified-id" "undefined reference to" \
  "-DX=\$(id) has characters that mean something" "is not in this CPU" "pgo - - failed: a profile is for --source"
grep -q '"target": "my_bench"' flags.json || fail "the target is not in the result"
[ ! -e my_project/build ] && [ -z "$(find my_project/bin -type f)" ] || fail "the project's folder was written to"

made() { find ridgepoint-flags -name '*.o' -newer made | grep -c 'O[01]-.*pace' || true; }
touch made                                                      # what has not changed is not compiled again
measure || fail "failed the second time"
[ "$(grep -cE '^O[01] .* kept ' out)" -eq 2 ] && [ "$(made)" -eq 0 ] || fail "compiled once more: $(made)"
sleep 1
sed -i 's/return 2;/return 4;/' my_project/pace/pace.cpp
measure || fail "failed the third time"
has "O1 100 ns 25.0 ns 4.000"
! grep -q ' kept ' out || fail "what has changed was kept"
[ "$(made)" -eq 2 ] || fail "what has changed was compiled $(made) times; must be twice"

CMAKE_GENERATOR="Ninja Multi-Config" measure --build several || fail "failed with several configurations"
has "O1 100 ns 25.0 ns 4.000"

refused() { ! "$tool" flags --sets sets.json --compiler "$cxx" --rounds 8 --minutes 0 --no-roofs "${@:2}" >out 2>err && grep -qF -- "$1" err || fail "must say '$1'"; }
refused "the base, O0: the project has no executable absent" --target absent --project my_project
refused "the base, O0: the project has no executable pace" --target pace --project my_project
refused "/my_project/bin/in_source would be the program of every set; must lie in the build's folder" --target in_source --project my_project
refused ".: has no CMakeLists.txt; must be the folder of a project" --target my_bench
touch my_project/lacks
refused 'CMake Error at CMakeLists.txt:5 (find_package): By not providing "FindNonesuch.cmake"' --target my_bench --project my_project
