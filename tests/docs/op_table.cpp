// SPDX-License-Identifier: MIT
// Prints the table op × backend of README.md, from what each backend's execute() accepts.
#include <iostream>
#include <string>

#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/cuda/cuda.hpp>
#include <ridgepoint/graph/type_name.hpp>
#include <ridgepoint/mxu/all.hpp>
#include <ridgepoint/onednn/all.hpp>
#include <ridgepoint/ops/all.hpp>
#include <ridgepoint/reference/all.hpp>

namespace rp = ridgepoint;

namespace {

/// "f32 f64 bf16", "f32" or "–".
template <class Backend, class F32, class F64, class Stored>
std::string cell() {
  std::string types;
  const auto add = [&](bool has, const char* type) {
    types += !has ? "" : types.empty() ? type : std::string(" ") + type;
  };
  add(rp::executes<Backend, F32>, "f32");
  add(rp::executes<Backend, F64>, "f64");
  add(rp::executes<Backend, Stored>, "bf16");
  if (types.empty()) return "–";
  return std::same_as<F32, F64> ? "✓" : types;
}

/// The same of the conversions.
template <class Backend, class... Args>
std::string conversions(rp::type_list<Args...>) {
  return (rp::executes<Backend, Args> && ...) ? "f32 ↔ bf16" : "–";
}

/// Which unit of a TPU core computes the op.
template <class F32>
std::string unit() {
  if (!rp::executes<rp::mxu<rp::cpu>, F32>) return "–";
  return rp::systolic::vector_op<F32> ? "vector unit" : "array";
}

template <class F32, class F64, class Stored>
void row() {
  const std::string name = rp::op_name<F32>();
  std::cout << "| `" << name.substr(0, name.find('<')) << "` | " << cell<rp::reference_backend, F32, F64, Stored>()
            << " | " << cell<rp::cpu, F32, F64, Stored>() << " | " << cell<rp::onednn, F32, F64, Stored>() << " | "
            << cell<rp::cuda, F32, F64, Stored>() << " | " << unit<F32>() << " |\n";
}

template <class... F32, class... F64, class... Stored>
void rows(rp::type_list<F32...>, rp::type_list<F64...>, rp::type_list<Stored...>) {
  (row<F32, F64, Stored>(), ...);
}

}  // namespace

int main() {
  std::cout << "| op | reference | cpu | onednn | cuda | mxu |\n|---|---|---|---|---|---|\n";
  rows(rp::all_ops<float>{} + rp::untyped_ops{}, rp::all_ops<double>{} + rp::untyped_ops{},
       rp::all_ops<rp::bfloat16>{} + rp::untyped_ops{});
  const rp::conversion_ops all;
  std::cout << "| `convert` | " << conversions<rp::reference_backend>(all) << " | " << conversions<rp::cpu>(all)
            << " | " << conversions<rp::onednn>(all) << " | " << conversions<rp::cuda>(all) << " | vector unit |\n";
}
