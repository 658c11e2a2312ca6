# no_regions.sh <c++> <include>: checks that RIDGEPOINT_NO_REGIONS compiles a region to no instructions.
set -eu
assembly() {                                                     # of a function whose first statement is $2
  printf '%s\n' '#include <ridgepoint/roofline/region.hpp>' 'double f(ridgepoint::recorder& to, double x) {' \
         "  static_cast<void>(to); $2" '  return x * x;' '}' |
    "$1" -std=c++20 -O2 -DRIDGEPOINT_NO_REGIONS -I"$include" -S -o - -x c++ - | sed -n '/^_Z1f/,/ret/p'
}
include=$2
with=$(assembly "$1" 'ridgepoint::region r(to, "mine", {.flop = 1});') without=$(assembly "$1" '')
[ -n "$without" ] && [ "$with" = "$without" ] && echo "a disabled region leaves no instruction" && exit
printf 'with a region:\n%s\nwithout:\n%s\n' "$with" "$without"
exit 1
