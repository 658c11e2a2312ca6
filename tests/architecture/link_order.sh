# link_order.sh <c++> <include> <folder for objects> <flags of sse4_2> <wide isa> <its flags> <flag of the copies>
#
# Two copies of one source, for SSE4.2 and for a wider instruction set, in one program: linked in both orders, at -O0 and at -O3,
# functions of ridgepoint for SSE4.2 must not have a single instruction of AVX. Templates of the standard library have one name
# in both copies, and the linker takes one for both: sealed, as ridgepoint_add_isa_variants() does it, each copy has its own.
set -eu
cxx="$1" include="$2" work="$3" sse_flags="$4" wide="$5" wide_flags="$6" copy_flags="$7"
sources=$(dirname "$0")/link_order
command -v "$cxx" >/dev/null || { echo "SKIPPED: no $cxx here"; exit 77; }
mkdir -p "$work"
cd "$work"

fail() { echo "$cxx $level: $*"; exit 1; }
globals() { nm --defined-only "$1" | awk '$2 ~ /^[A-Zuvw]$/ { print $3 }' | sort; }
# How many instructions of the functions whose demangled name matches $2 an SSE4.2 CPU lacks, in file $1: those of AVX, whatever
# their width, begin with v.
wide_instructions() {
  objdump -d -C --no-show-raw-insn "$1" |
    awk -v name="$2" '/^[0-9a-f]+ </ { inside = $0 ~ name } inside && (/%[yz]mm/ || /\tv[a-z]/) { n++ } END { print n + 0 }'
}
seal() {
  ld -r --force-group-allocation -o "$1.sealed.o" "$1.o"
  objcopy --keep-global-symbol="sums_$1" "$1.sealed.o"
}

for level in -O0 -O3; do
  compile() { "$cxx" -std=c++20 $level -Wall -Wextra -Werror -I"$include" "$@"; }
  compile $sse_flags $copy_flags -c "$sources/kernel.cpp" -o sse4_2.o
  compile $wide_flags $copy_flags -c "$sources/kernel.cpp" -o "$wide.o"
  compile -DRIDGEPOINT_WIDE_ENTRY="sums_$wide" -DRIDGEPOINT_WIDE_ISA="\"$wide\"" -c "$sources/main.cpp" -o main.o

  # The keyed namespace alone: no two copies share a symbol of ridgepoint's.
  globals sse4_2.o >sse4_2.names
  globals "$wide.o" >wide.names
  shared=$(comm -12 sse4_2.names wide.names | c++filt)
  echo "$shared" | grep -q unkeyed_sum || fail "the control is wrong: both copies should share unkeyed_sum()"
  ! echo "$shared" | grep 'ridgepoint::' || fail "the copies share symbols of ridgepoint"
  [ $level != -O0 ] || echo "$shared" | grep -q 'std::' || fail "the control is wrong: both copies should share templates of std::"

  # Sealed: nothing but the entry is left, and nothing that a copy needs is defined in another.
  seal sse4_2
  seal "$wide"
  for isa in sse4_2 "$wide"; do
    [ "$(globals "$isa.sealed.o")" = "sums_$isa" ] || fail "the sealed $isa copy exports $(globals "$isa.sealed.o" | tr '\n' ' ')"
  done
  [ "$(wide_instructions sse4_2.sealed.o .)" -eq 0 ] || fail "the SSE4.2 copy has wide instructions"
  [ "$(wide_instructions "$wide.sealed.o" .)" -gt 0 ] || fail "the control is wrong: the $wide copy should have wide instructions"

  for order in "sse4_2 $wide" "$wide sse4_2"; do
    set -- $order
    "$cxx" main.o "$1.sealed.o" "$2.sealed.o" -o sealed && ./sealed || fail "linked as $order, sealed: wrong results"
    "$cxx" main.o "$1.o" "$2.o" -o unsealed
    [ "$(wide_instructions unsealed v0_sse4_2)" -eq 0 ] || fail "linked as $order: a keyed SSE4.2 function has wide instructions"
  done
  # `unsealed` has the wide copy first now: without sealing, SSE4.2 callers of an unkeyed function would run wide code.
  if [ $level = -O0 ]; then
    [ "$(wide_instructions unsealed std::)" -gt 0 ] || fail "the control is wrong: templates of std:: should come from $wide"
  fi
  if [ $level = -O3 ]; then
    [ "$(wide_instructions unsealed unkeyed_sum)" -gt 0 ] || fail "the control is wrong: unkeyed_sum() should come from $wide"
  fi
done
echo "$cxx: sse4_2 and $wide keep apart in both link orders at -O0 and -O3"
