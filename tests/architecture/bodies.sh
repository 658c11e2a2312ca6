# bodies.sh <c++> <include>: the body of a parallel_for() is compiled once, for threads and for the serial loop.
set -eu
bodies=$(printf '%s\n' '#include <ridgepoint/core/parallel.hpp>' 'void f(int threads, long parts) {' \
                '  ridgepoint::parallel_for(threads, parts, [](ridgepoint::index_t) { asm volatile("# the body"); });' '}' |
         "$1" -std=c++20 -O3 -I"$2" -S -o - -x c++ - | grep -c '# the body' || true)
[ "$bodies" = 1 ] || { echo "the body is compiled $bodies times; must be once"; exit 1; }
echo "the body of a parallel_for() is compiled once"
