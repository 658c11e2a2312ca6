#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# flag_matrix.sh <case> <cmake> <generator> <c++> <stage> <the ridgepoint command> <repository> <work>: checks
# ridgepoint_flag_matrix() in a consumer project. Cases: table, refused, from_source, documented.
set -euo pipefail
wanted=$1 cmake=$2 generator=$3 cxx=$4 stage=$5 tool=$6 repository=$7 work=$8
project=$repository/tests/package/flag_matrix
rm -rf "$work"
mkdir -p "$work"
cd "$work"
configure() {  # <project> <option …>
  "$cmake" -G "$generator" -S "$1" -B build -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$stage" \
    -DRIDGEPOINT_TOOL="$tool" "${@:2}" >configured 2>&1
}
measure() { "$cmake" --build build --target my_bench.flags >out 2>&1; }
fail() { echo "$1"; cat configured out 2>/dev/null || true; exit 1; }
has() {  # <file> <text …>
  for text in "${@:2}"; do tr -s ' \n' ' ' <"$1" | grep -qF -- "$text" || fail "must say '$text'"; done
}

table() {
  configure "$project" || fail "cannot be configured"
  has configured "the set unknown has no target: the compiler refuses -O1 -funknown-to-all" "the set profile has no target: it needs a profile"
  "$cmake" --build build >out 2>&1 || fail "cannot be built"
  ! ls build/my_bench.* 2>/dev/null || fail "the target all builds the matrix"
  measure || fail "the flags are not measured"
  has out "plain again 100 ns 100 ns 1.000" "fast 100 ns 50.0 ns 2.000 2.000 … 2.000 faster" "same=pace 100 ns 100 ns 1.000" \
    "absent - - failed: fma4, xop is not in this CPU" "profile - - failed: has no program" "unknown - - failed:" "-O1 -UPACE -DPACE=2"
  has build/my_bench.flags.json '"ridgepoint.flags"' '"base": "plain"'
  configure "$project" -DRULE='all: fast/base >= 3' || fail "cannot be configured"
  ! measure || fail "a broken rule is accepted"
  has out "broken: all: fast/base >= 3" "is 2.000"
  echo '{"schema": "ridgepoint.flags.ladder", "schema_version": 1, "base": "odd", "sets": [{"name": "odd", "flags": []},
    {"name": "even", "flags": ["-UPACE", "-DPACE=4"]}]}' >two.json
  configure "$project" "-DLADDERS=my_flags.json;$PWD/two.json" -DBASE=plain,odd -DRULE='all: fast,even/base >= 3.9' -DSAME=same=pace,odd ||
    fail "ladders cannot be combined"
  measure || fail "combined ladders are not measured"
  has out "fast,even 100 ns 25.0 ns" "fast,odd 100 ns 50.0 ns"
}
refused() {
  refuses() {  # <name of the call> <message>
    ! configure "$project" -DWRONG="$1" || fail "$1 is not refused"
    has configured "$2"
  }
  refuses target "there is no target absent; must be an executable"
  refuses library "no_program is not an executable of this project"
  refuses base "BASE is odd; must be one of plain, same=pace, fast,"
  refuses ladder "there is no ladder"
  refuses json "has no sets; must be a ladder"
  refuses hostile "must have no characters in them that mean something to CMake or a shell"
  refuses word "needs SETS and BASE, and nothing but MINUTES, REQUIRE and OPTIONS besides"
  ! configure "$project" -DRIDGEPOINT_TOOL= -DCMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH=OFF -DCMAKE_SYSTEM_PREFIX_PATH= ||
    fail "a missing command is not reported"
  has configured "the command ridgepoint is not found"
}
# The command is a target of the same build; ladders can be given by name.
from_source() {
  configure "$project" -DRIDGEPOINT_SOURCE_DIR="$repository" -DRIDGEPOINT_ISAS=scalar -DRIDGEPOINT_BUILD_TOOLS=ON -DLADDERS=isa -DBASE=x86-64 \
    -DRIDGEPOINT_TOOL=nowhere || fail "cannot be configured"
  "$cmake" --build build --target my_bench.avx2+fma >out 2>&1 || fail "cannot be built"
}
# The project of docs/flags.md with a shorter time limit, and the program at the top of the page.
documented() {
  mkdir my_project
  cp "$repository/tests/docs/my_bench.cpp" my_project
  { echo 'cmake_minimum_required(VERSION 3.25)'
    echo 'project(my_project LANGUAGES CXX)'
    sed -n '/^```cmake$/,/^```$/{/^```/d;p}' "$repository/docs/flags.md" | sed 's/MINUTES [0-9]*/MINUTES 0 OPTIONS --rounds 6 --benchmark-time 0.001/; s/>= 1.5/>= 0.01/'
  } >my_project/CMakeLists.txt
  grep -q -- 'MINUTES 0' my_project/CMakeLists.txt || fail "docs/flags.md has no such project"
  configure my_project || fail "cannot be configured"
  measure || fail "the flags are not measured"
  has out "sum x86-64 again" "layout: one link of each set"
}
"$wanted"
