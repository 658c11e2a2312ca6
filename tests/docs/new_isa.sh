#!/usr/bin/env bash
# new_isa.sh <repository> <folder> <compiler>: follows docs/add_an_isa.md in a copy of the headers, with SSE2 as the new
# instruction set, and runs the library's own tests of registers, functions and products with it. Exits 77 without
# patch.
set -euo pipefail
repository=$1 folder=$2 compiler=$3
command -v patch >/dev/null || exit 77
rm -rf "$folder"
mkdir -p "$folder"
cp -r "$repository/include" "$repository/cmake" "$folder"
cp "$repository/tests/docs/toy/isa/sse2.hpp" "$folder/include/ridgepoint/simd/isa"
awk '/^```diff$/ { on = 1; next } /^```/ { on = 0 } on' "$repository/docs/add_an_isa.md" >"$folder/new_isa.diff"
(cd "$folder" && patch --quiet -p1 <new_isa.diff)

touched=$(diff -rq "$repository/include" "$folder/include"; diff -rq "$repository/cmake" "$folder/cmake") || true
[ "$(wc -l <<<"$touched")" -eq 2 ] || { printf 'an instruction set is two files; here:\n%s\n' "$touched"; exit 1; }

printf 'include("%s/cmake/isa.cmake")\nlist(JOIN RIDGEPOINT_FLAGS_sse2 " " flags)\nmessage("${flags}")\n' "$folder" >"$folder/flags.cmake"
flags=$(cmake -P "$folder/flags.cmake" 2>&1)
cat >"$folder/is_native.cpp" <<'SOURCE'
#include <ridgepoint/cpu/dispatch_table.hpp>
#include <ridgepoint/simd/variants.hpp>
static_assert(ridgepoint::simd::native::name == "sse2" && ridgepoint::simd::lanes<float> == 4);
static_assert(ridgepoint::simd::runs({}, "sse2"));
extern "C" const ridgepoint_isa_variant ridgepoint_dispatch_variants[];
const ridgepoint_isa_variant ridgepoint_dispatch_variants[] = {{nullptr, nullptr}};   // no library to link here
const ridgepoint_dispatch_entry* ridgepoint_dispatch_ops(const ridgepoint_dispatch_table*, const char*) { return nullptr; }
int ridgepoint_dispatch_threads() { return 1; }
SOURCE
objects=()
for source in "$folder/is_native.cpp" "$repository"/tests/{simd/lanes,simd/math,cpu/gemm_batched,support/main}.cpp; do
  objects+=("$folder/$(basename "$source" .cpp).o")
  # shellcheck disable=SC2086
  "$compiler" -std=c++20 -O1 $flags -I"$folder/include" -I"$repository/tests" -c "$source" -o "${objects[-1]}"
done
"$compiler" "${objects[@]}" -o "$folder/tests"
"$folder/tests" --test-suite-exclude=slow
