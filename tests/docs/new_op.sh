#!/usr/bin/env bash
# new_op.sh <repository> <folder> <compiler>: follows "Inside the library" of docs/add_an_op.md in a copy, with the toy
# as the new op. Checks that it touches the listed files, at most eight with four of its own, and keeps the architecture
# rules. It must have a definition, a kernel, a place in the dispatcher and on the TPU, and pass its tests. Exits 77
# without patch.
set -euo pipefail
repository=$1 folder=$2 compiler=$3
command -v patch >/dev/null || exit 77
rm -rf "$folder"
mkdir -p "$folder/before"
(cd "$repository" && cp -r include docs tests README.md "$folder/before")
cp -r "$folder/before" "$folder/after"
cd "$folder/after"

toy=tests/docs/toy
inside() {                                                      # copies the toy's file as one of the library
  sed -e 's|namespace toy {|namespace ridgepoint::inline RIDGEPOINT_ABI {|; s|}  // namespace toy|}  // namespace ridgepoint::inline RIDGEPOINT_ABI|' \
      -e '/^namespace rp = ridgepoint;$/d; s/\brp:://g' -e 's|"docs/toy/\(.*\)"|<ridgepoint/\1>|' "$1" >"$2"
}
for part in ops reference cpu; do inside "$toy/$part/softsign.hpp" "include/ridgepoint/$part/softsign.hpp"; done
sed 's|"docs/toy/\(.*\)"|<ridgepoint/\1>|; s/toy::/rp::/g' tests/docs/add_an_op.cpp >tests/cpu/softsign.cpp
awk '/^## Inside the library/ { page = 1 } page && /^```diff$/ { on = 1; next } /^```/ { on = 0 } on' docs/add_an_op.md >../new_op.diff
patch --quiet -p1 --no-backup-if-mismatch <../new_op.diff

awk '/^## Inside the library/ { on = 1 } on && /^[0-9]+\. `/ { split($0, quoted, "`"); print quoted[2] }' docs/add_an_op.md | LC_ALL=C sort >../named
(diff -rq ../before . || true) |
  sed -e 's|^Files ../before/.* and ./\(.*\) differ$|\1|' -e 's|^Only in ./\(.*\): \(.*\)$|\1/\2|' | LC_ALL=C sort >../touched
diff ../named ../touched || { echo "docs/add_an_op.md names the files on the left; the op changes the files on the right"; exit 1; }
[ "$(wc -l <../touched)" -le 8 ] || { echo "an op is $(wc -l <../touched) files; must be at most 8"; exit 1; }
! grep -E '^(include/ridgepoint|tests)/(mxu|gpu|study|cuda)/|^(benchmarks|measurement|tools)/' ../touched || { echo "an op changes these files of parts above the library"; exit 1; }
[ "$(grep -c /softsign ../touched)" -eq 4 ] || { echo "the op's own files are $(grep -c /softsign ../touched); must be 4"; exit 1; }

sh tests/architecture/layers.sh include/ridgepoint
sh tests/architecture/mirror.sh include/ridgepoint tests
cat >is_an_op.cpp <<'SOURCE'
#include <ridgepoint/cpu/all.hpp>
#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/mxu/mxu.hpp>
#include <ridgepoint/mxu/vector_unit.hpp>

#include "support/receipt_proof.hpp"
namespace rp = ridgepoint;
template <class T>
constexpr bool has_its_places = rp::all_ops<T>{}.template contains<rp::softsign_args<T>> &&
                                rp::dispatched_ops::contains<rp::softsign_backward_args<T>> &&
                                rp::executes<rp::native_cpu, rp::softsign_args<T>> && rp::executes<rp::cpu, rp::softsign_args<T>>;
static_assert(has_its_places<float> && has_its_places<double>);
static_assert(rp::executes<rp::mxu<rp::native_cpu>, rp::softsign_args<float>>);
TEST_CASE("generic tests of an op") {
  const auto all = rp::type_list<rp::softsign_args<float>, rp::softsign_backward_args<double>>{};
  any_op::all_keep_to_their_operands(rp::reference, 50, all);
  any_op::all_keep_to_their_operands(rp::native_cpu(1), 50, all);
  witness::prove_others(0, 50, rp::type_list<rp::softsign_args<witness::counting>, rp::softsign_backward_args<witness::counting>>{});
}
extern "C" const ridgepoint_isa_variant ridgepoint_dispatch_variants[];
const ridgepoint_isa_variant ridgepoint_dispatch_variants[] = {{nullptr, nullptr}};   // no library to link here
const ridgepoint_dispatch_entry* ridgepoint_dispatch_ops(const ridgepoint_dispatch_table*, const char*) { return nullptr; }
int ridgepoint_dispatch_threads() { return 1; }
SOURCE
objects=()
for source in is_an_op.cpp tests/cpu/softsign.cpp tests/support/main.cpp; do
  objects+=("$(basename "$source" .cpp).o")
  "$compiler" -std=c++20 -O1 -Iinclude -Itests -c "$source" -o "${objects[-1]}"
done
"$compiler" "${objects[@]}" -pthread -o new_op
./new_op
