# warnings.sh <include> <c++ …>: checks that a program that instantiates ops of the CPU and of the reference compiles
# without warnings. Users include ridgepoint with -I and enable warnings that its own build does not.
set -u
include=$1 failed=0
shift
for cxx in "$@"; do
  command -v "$cxx" >/dev/null || continue
  flags='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wsign-conversion -Wfloat-equal -Wdouble-promotion -Wswitch-enum'
  "$cxx" -E -dM -x c++ /dev/null | grep -q __clang_major__ || flags="$flags -Wold-style-cast -Wuseless-cast"
  "$cxx" -std=c++20 -fsyntax-only $flags -Werror -I"$include" "$(dirname "$0")/warnings.cpp" || { echo "$cxx warns"; failed=1; }
done
exit $failed
