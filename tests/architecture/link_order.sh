# link_order.sh <c++> <include> <folder for objects> <flags of sse4_2> <wide isa> <its flags> <flag of the copies>
#
# Links two copies of one source, for SSE4.2 and for a wider instruction set, in both orders, at -O0 and -O3.
# The SSE4.2 functions of ridgepoint must not contain AVX instructions. Templates of the standard library have the same
# name in both copies, so the linker keeps one. ridgepoint_add_isa_variants() seals the copies, so each keeps its own.
set -eu
cxx="$1" include="$2" work="$3" sse_flags="$4" wide="$5" wide_flags="$6" copy_flags="$7"
sources=$(dirname "$0")/link_order
command -v "$cxx" >/dev/null || { echo "SKIPPED: no $cxx here"; exit 77; }
mkdir -p "$work"
cd "$work"

fail() { echo "$cxx $level: $*"; exit 1; }
globals() { nm --defined-only "$1" | awk '$2 ~ /^[A-Zuvw]$/ { print $3 }' | sort; }
# Counts the AVX instructions in file $1 of functions whose demangled name matches $2. AVX mnemonics of any width begin
# with v.
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

  # The keyed namespace alone: the copies share no symbol of ridgepoint.
  globals sse4_2.o >sse4_2.names
  globals "$wide.o" >wide.names
  shared=$(comm -12 sse4_2.names wide.names | c++filt)
  echo "$shared" | grep -q unkeyed_sum || fail "the control is wrong: both copies should share unkeyed_sum()"
  ! echo "$shared" | grep 'ridgepoint::' || fail "the copies share symbols of ridgepoint"
  [ $level != -O0 ] || echo "$shared" | grep -q 'std::' || fail "the control is wrong: both copies should share templates of std::"

  # Sealed: only the entry is exported, and no copy needs a definition of another.
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
  # `unsealed` now has the wide copy first. Without sealing, SSE4.2 callers of an unkeyed function would run wide code.
  if [ $level = -O0 ]; then
    [ "$(wide_instructions unsealed std::)" -gt 0 ] || fail "the control is wrong: templates of std:: should come from $wide"
  fi
  if [ $level = -O3 ]; then
    [ "$(wide_instructions unsealed unkeyed_sum)" -gt 0 ] || fail "the control is wrong: unkeyed_sum() should come from $wide"
  fi
done
echo "$cxx: sse4_2 and $wide stay separate in both link orders at -O0 and -O3"
