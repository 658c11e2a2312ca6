# exports.sh <shared library> <function>: checks that it exports the function, no ridgepoint symbol, and no thread-local
# by a fixed offset.
set -eu
exported=$(nm -D --defined-only "$1" | awk '{ print $3 }' | grep -v '^_Z[ZTNKV]*S')   # standard library symbols are public
[ "$exported" = "$2" ] || { echo "$1 exports" $exported; exit 1; }
! readelf -rW "$1" | grep TPOFF || { echo "$1 has thread-local variables at fixed offsets"; exit 1; }
