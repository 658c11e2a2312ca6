// SPDX-License-Identifier: MIT
// Prints the table op × backend of docs/ops.md, from the argument types that each backend's execute() accepts.
#include <iostream>
#include <string>

#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/cuda/cuda.hpp>
#include <ridgepoint/graph/plan.hpp>
#include <ridgepoint/mxu/all.hpp>
#include <ridgepoint/onednn/all.hpp>
#include <ridgepoint/ops/all.hpp>
#include <ridgepoint/reference/all.hpp>

namespace rp = ridgepoint;

namespace {

/// Returns "f32 f64 bf16 f16", "f32" or "–".
template <class Backend, class F32, class F64, class Bf16, class F16>
std::string cell() {
  std::string types;
  const auto add = [&](bool has, const char* type) {
    types += !has ? "" : types.empty() ? type : std::string(" ") + type;
  };
  add(rp::executes<Backend, F32>, "f32");
  add(rp::executes<Backend, F64>, "f64");
  add(rp::executes<Backend, Bf16>, "bf16");
  add(rp::executes<Backend, F16>, "f16");
  if (types.empty()) return "–";
  return std::same_as<F32, F64> ? "✓" : types;
}

/// Returns the cell of the conversions.
template <class Backend>
std::string conversions() {
  const auto all = []<class... Args>(rp::type_list<Args...>) { return (rp::executes<Backend, Args> && ...); };
  if (!all(rp::conversion_ops{})) return "–";
  return all(rp::float16_conversion_ops{}) ? "f32 ↔ bf16 f16" : "f32 ↔ bf16";
}

/// Returns the unit of a TPU core that computes the op.
template <class F32>
std::string unit() {
  if (!rp::executes<rp::mxu<rp::cpu>, F32>) return "–";
  return rp::systolic::vector_op<F32> ? "vector unit" : "array";
}

template <class F32, class F64, class Bf16, class F16>
void row() {
  const std::string name = to_string(rp::op_record_of<F32>);
  std::cout << "| `" << name.substr(0, name.find('<')) << "` | " << cell<rp::reference_backend, F32, F64, Bf16, F16>()
            << " | " << cell<rp::cpu, F32, F64, Bf16, F16>() << " | " << cell<rp::onednn, F32, F64, Bf16, F16>()
            << " | " << cell<rp::cuda, F32, F64, Bf16, F16>() << " | " << unit<F32>() << " |\n";
}

template <class... F32, class... F64, class... Bf16, class... F16>
void rows(rp::type_list<F32...>, rp::type_list<F64...>, rp::type_list<Bf16...>, rp::type_list<F16...>) {
  (row<F32, F64, Bf16, F16>(), ...);
}

}  // namespace

int main() {
  std::cout << "| op | reference | cpu | onednn | cuda | mxu |\n|---|---|---|---|---|---|\n";
  rows(rp::all_ops<float>{} + rp::untyped_ops{}, rp::all_ops<double>{} + rp::untyped_ops{},
       rp::all_ops<rp::bfloat16>{} + rp::untyped_ops{}, rp::all_ops<rp::float16>{} + rp::untyped_ops{});
  std::cout << "| `convert` | " << conversions<rp::reference_backend>() << " | " << conversions<rp::cpu>() << " | "
            << conversions<rp::onednn>() << " | " << conversions<rp::cuda>() << " | vector unit |\n";
}
