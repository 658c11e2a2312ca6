# refused.sh <include> <c++ …>: checks that a missing flag or an old compiler gives one #error that names it and ends
# compilation.
set -u
include=$1 failed=0
shift
source='#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/ridgepoint.hpp>
int main() {}'
refuses() {  # <c++> <wanted in the message> <flag …>
  cxx=$1 wanted=$2
  shift 2
  said=$(printf '%s\n' "$source" | "$cxx" "$@" -I"$include" -x c++ -fsyntax-only - 2>&1)
  errors=$(printf '%s\n' "$said" | grep -c 'error:')
  [ "$errors" = 2 ] && printf '%s\n' "$said" | grep -q "error:.* $wanted" && return
  echo "$cxx $*: $errors errors; must be an #error with '$wanted' and the end of the compilation"
  printf '%s\n' "$said" | head -n 5
  failed=1
}
for cxx in "$@"; do
  for standard in 11 17; do refuses "$cxx" '-std=c++20' -std=c++$standard; done
  refuses "$cxx" '-fno-exceptions' -std=c++20 -fno-exceptions
  refuses "$cxx" '-fno-rtti' -std=c++20 -fno-rtti
  version=__GNUC__ below=11                                      # imitates an older version through its macros
  "$cxx" -E -dM -x c++ /dev/null | grep -q __clang_major__ && version=__clang_major__ below=13
  refuses "$cxx" 'GCC 12 or Clang 14' -std=c++20 -U$version -D$version=$below
done
exit $failed
