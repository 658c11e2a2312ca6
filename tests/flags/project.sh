#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# project.sh <the ridgepoint command> <cmake> <c++> <project> <work>: builds a target of a CMake project with every flag
# set.
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
measure() { "$tool" flags --target my_bench --project my_project --sets ${sets-sets.json} --compiler "$cxx" --rounds 8 --minutes 0 --no-roofs --no-hot-loops "$@" >out 2>err; }
has() { for text; do tr -s ' \n' ' ' <out | grep -qF -- "$text" || fail "must say '$text'"; done; }

measure --json flags.json || fail "failed"
has "O1 100 ns 50.0 ns 2.000 2.000 … 2.000 faster" "layout: one link of each set" "error: expected unqualified-id" "undefined reference to" \
  "-DX=\$(id) has characters that are special to CMake" "is not in this CPU" "pgo - - failed: a profile is for --source"
grep -q '"target": "my_bench"' flags.json || fail "the target is not in the result"
[ ! -e my_project/build ] && [ -z "$(find my_project/bin -type f)" ] || fail "the project's folder was written to"

made() { find ridgepoint-flags -name '*.o' -newer made | grep -c 'O[01]-.*pace' || true; }
touch made                                                      # unchanged sets are not recompiled
measure || fail "failed the second time"
[ "$(grep -cE '^O[01] .* kept ' out)" -eq 2 ] && [ "$(made)" -eq 0 ] || fail "unchanged sets were recompiled $(made) times"
sleep 1
sed -i 's/return 2;/return 4;/' my_project/pace/pace.cpp
measure || fail "failed the third time"
has "O1 100 ns 25.0 ns 4.000"
! grep -q ' kept ' out || fail "a changed set was not rebuilt"
[ "$(made)" -eq 2 ] || fail "the changed sets were compiled $(made) times; must be twice"

CMAKE_GENERATOR="Ninja Multi-Config" measure --build several || fail "failed with several configurations"
has "O1 100 ns 25.0 ns 4.000"

# programs <name …>: makes a folder with the programs of the PATH except ninja and make, plus those named.
programs() {
  local folder name
  rm -rf programs
  mkdir programs
  while IFS= read -rd : folder; do ln -s "$folder"/* programs 2>/dev/null || true; done <<<"$PATH:"
  rm -f programs/{ninja,ninja-build,samu,make,gmake,smake}
  for name; do printf '#!/bin/sh\nexec "%s" "$@"\n' "$(command -v "$name")" >"programs/$name"; chmod +x "programs/$name"; done
}
# generates <generator> <build>: checks that this generator is used with the programs.
generates() {
  PATH=$PWD/programs sets="one.json one.json" measure --build "$2" || fail "$2: failed"
  grep -qxF "CMAKE_GENERATOR:INTERNAL=$1" "$2"/*/CMakeCache.txt || fail "$2: must use $1"
}
echo '{"schema": "ridgepoint.flags.ladder", "schema_version": 1, "base": "O0", "sets": [{"name": "O0", "flags": ["-O0"]}]}' >one.json
unset CMAKE_GENERATOR
if command -v ninja >/dev/null; then
  programs ninja
  generates Ninja without_make
  mkdir -p my_project/out/build                                 # the user's own build folder
  printf '%s\n' "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD/my_project" "CMAKE_GENERATOR:INTERNAL=Ninja Multi-Config" >my_project/out/build/CMakeCache.txt
  generates "Ninja Multi-Config" as_configured
  sed -i 's/Ninja Multi-Config/Unix Makefiles/' my_project/out/build/CMakeCache.txt
  generates Ninja configured_elsewhere
  rm -r my_project/out
fi
if command -v make >/dev/null; then
  programs make
  generates "Unix Makefiles" without_ninja
fi
not_available() {
  local code=0
  PATH=$PWD/programs measure --build absent || code=$?
  [ $code -eq 3 ] && grep -qF -- "$1" err && [ ! -e absent ] || fail "returned $code; must be 3 and say '$1'"
}
programs
not_available "flags: neither ninja nor make is on the PATH; --target needs one of them"
rm programs/cmake
not_available "flags: cmake is not on the PATH; --target needs it"

refused() { ! "$tool" flags --sets sets.json --compiler "$cxx" --rounds 8 --minutes 0 --no-roofs "${@:2}" >out 2>err && grep -qF -- "$1" err || fail "must say '$1'"; }
refused "the base, O0: the project has no executable absent" --target absent --project my_project
refused "the base, O0: the project has no executable pace" --target pace --project my_project
refused "/my_project/bin/in_source would be shared by every set; must be inside the build folder" --target in_source --project my_project
refused ".: has no CMakeLists.txt; must be the folder of a project" --target my_bench
touch my_project/lacks
refused 'CMake Error at CMakeLists.txt:5 (find_package): By not providing "FindNonesuch.cmake"' --target my_bench --project my_project
