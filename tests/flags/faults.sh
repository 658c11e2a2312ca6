# faults.sh <c++> <include> <kernels.cpp> <folder>: the program that `ridgepoint flags` measures, built with flags that damage
# results in ways that are known, shows each damage in its row and counter, and none without such flags.
set -u
cxx=$1 include=$2 source=$3 folder=$4
grep -qw fma /proc/cpuinfo || { echo "this CPU has no FMA"; exit 77; }
mkdir -p "$folder"
failed=0
built() {  # <name> <flag …>
  name=$1
  shift
  "$cxx" -std=c++20 -march=x86-64-v3 -I"$include" "$@" "$source" -o "$folder/$name" -lbenchmark -lpthread 2>"$folder/err" &&
    "$folder/$name" --benchmark_min_time=0.001 --benchmark_format=json >"$folder/$name.json" 2>"$folder/err" ||
    { cat "$folder/err"; exit 1; }
}
# of <name> <counter>: "row value" lines.
of() {
  awk -v counter="\"$2\"" '{ gsub(/^ +|,$/, "") }
    /^"name"/ { row = $2; gsub(/"/, "", row) } $1 == counter ":" { print row, $2 }' "$folder/$1.json" | LC_ALL=C sort
}
# is <name> <counter> <rows> <value>: in all rows that match.
is() {
  of "$1" "$2" | grep -E "^($3) " >"$folder/rows" || { echo "$1: no row $3 has $2"; failed=1; }
  awk -v value="$4" -v of="$1: $2" '$2 + 0 != value { print of " of " $1 " is " $2 + 0 "; must be " value; bad = 1 } END { exit bad }' "$folder/rows" ||
    failed=1
}
# changed <name> <rows>: which of the rows have other bits than base.
changed() {
  of base bits >"$folder/base.bits"
  of "$1" bits | LC_ALL=C join "$folder/base.bits" - | awk '$2 != $3 { print $1 }' | grep -E "^($2)$"
}
flushing() { grep -qE '"mxcsr": "0x[89a-f]' "$folder/$1.json"; }

built base -O2 -ffp-contract=off
is base nan_kept '.*' 1
is base subnormals_kept '(gemm|dense|conv2d|max_pool|relu|tanh|adam)/.*|lstm/.*/definition' 1
flushing base && { echo "base: flushes subnormals"; failed=1; }

built contracted -O2 -ffp-contract=fast                # x·y + z rounds once
[ "$(changed contracted 'gemm/.*/definition' | wc -l)" = 2 ] || { echo "contracted: a sum is the same"; failed=1; }
changed contracted '[^t].*/kernels' && { echo "contracted: kernels spell their FMAs, and have other bits"; failed=1; }
is contracted nan_kept '.*' 1

built fast -O3 -ffast-math -ffp-contract=off           # NaN are none, subnormals 0, sums in any order
is fast nan_kept '(lstm|sigmoid)/.*/kernels' 0
is fast subnormals_kept '(gemm|dense|conv2d|relu|tanh|adam)/.*/kernels' 0
flushing fast || { echo "fast: does not flush subnormals"; failed=1; }
[ "$(changed fast '(gemm|dense)/.*/definition' | wc -l)" -ge 1 ] || { echo "fast: no sum has another order"; failed=1; }
[ $failed -ne 0 ] || echo "NaN, subnormals, contraction and order are seen where they are damaged"
exit $failed
