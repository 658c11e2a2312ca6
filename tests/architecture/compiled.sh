# compiled.sh <c++> <include> <work>: checks that a program takes layers, plans and tables from the archive if
# RIDGEPOINT_COMPILED is set, and compiles its own copies if its flags select another instruction set.
# Checks that a header that names rp::cpu compiles alone.
set -eu
cxx=$1 include=$2 work=$3 failed=0
mkdir -p "$work"
cat >"$work/program.cpp" <<'END'
#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/cpu/probe.hpp>
#include <ridgepoint/data/synthetic_digits.hpp>
#include <ridgepoint/graph/compile.hpp>
#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/roofline/table.hpp>
namespace rp = ridgepoint;
namespace nn = rp::nn;
std::size_t calls() {
  rp::write_synthetic_digits("digits");
  rp::graph net("all");
  const rp::node image = net.input({8, 8, 3}) | nn::conv2d{.filters = 4, .kernel = 3} | nn::batch_norm{} | nn::relu{} | nn::max_pool{};
  const rp::node y = image | nn::flatten{} | nn::dropout{} | nn::dense{.units = 2};
  return rp::plan_inference(net, y).plan.calls.size() +
         rp::plan_training(net, y, nn::softmax_cross_entropy{}, nn::adam{}).plan.calls.size() +
         rp::table(rp::probe(rp::cpu{})).size();
}
END
# own <flag …>: prints how many of the archive's functions the object defines itself.
own() {
  "$cxx" -std=c++20 -O0 -I"$include" "$@" -c "$work/program.cpp" -o "$work/program.o"
  nm -C --defined-only "$work/program.o" | grep -cE 'any_layer::model<.*>::(forward|backward)|detail::compiler::|::plan_(inference|evaluation|training)\(|detail::prober<.*>::measure|::(apply|table|table\[abi:cxx11\]|write_synthetic_digits)\(' || true
}
with=$(own -DRIDGEPOINT_WITH_DISPATCH) without=$(own) native=$(own -DRIDGEPOINT_WITH_DISPATCH -msse4.2)
[ "$with" = 0 ] || { echo "with ridgepoint::dispatch the program compiles $with functions that the archive holds; must be 0"; failed=1; }
[ "$without" -gt 40 ] || { echo "without ridgepoint::dispatch the program compiles $without of these functions; must be more than 40"; failed=1; }
[ "$native" -gt 40 ] || { echo "with -msse4.2 the program compiles $native of these functions for its own RIDGEPOINT_ABI; must be more than 40"; failed=1; }
for header in $(cd "$include" && grep -rlE 'RIDGEPOINT_EXTERN .*\<cpu\>' ridgepoint); do
  echo "#include <$header>" >"$work/alone.cpp"
  "$cxx" -std=c++20 -DRIDGEPOINT_WITH_DISPATCH -I"$include" -fsyntax-only "$work/alone.cpp" || { echo "$header does not compile alone with ridgepoint::dispatch"; failed=1; }
done

# Definitions are in -inl headers. The header and one source of the archive include each; users do not.
"$cxx" -std=c++20 -DRIDGEPOINT_WITH_DISPATCH -I"$include" -M "$work/program.cpp" | tr ' ' '\n' | grep -e '-inl[.]hpp$' &&
  { echo "with ridgepoint::dispatch the program includes these definitions"; failed=1; }
cd "$include"
grep -rl --include='*.hpp' '^RIDGEPOINT_DEFINITION' ridgepoint | grep -ve '-inl[.]hpp$' && { echo "these headers define functions of the archive; only -inl headers may"; failed=1; }
for definitions in $(find ridgepoint -name '*-inl.hpp' | LC_ALL=C sort); do
  header=${definitions%-inl.hpp}.hpp
  [ "$(tail -n 2 "$header")" = "$(printf '#include <%s>\n#endif' "$definitions")" ] || { echo "$header does not end with the include of $definitions"; failed=1; }
  sources=$(find ridgepoint -name '*.cpp' -exec grep -lF "<$definitions>" {} + | wc -l)
  [ "$sources" = 1 ] || { echo "$definitions is included by $sources sources of the archive; must be 1"; failed=1; }
done
[ $failed -ne 0 ] || echo "none of the $without functions of layers, plans and tables is compiled outside the archive"
exit $failed
