// SPDX-License-Identifier: MIT
// Prints the table op × backend of README.md, from what each backend's execute() accepts.
#include <iostream>
#include <string>

#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/graph/type_name.hpp>
#include <ridgepoint/mxu/all.hpp>
#include <ridgepoint/onednn/all.hpp>
#include <ridgepoint/ops/all.hpp>
#include <ridgepoint/reference/all.hpp>

namespace rp = ridgepoint;

namespace {

/// "f32 f64", "f32" or "–".
template <class Backend, class F32, class F64>
std::string cell() {
  std::string types = rp::executes<Backend, F32> ? "f32" : "";
  if (rp::executes<Backend, F64>) types += types.empty() ? "f64" : " f64";
  if (types.empty()) return "–";
  return std::same_as<F32, F64> ? "✓" : types;
}

/// Which unit of a TPU core computes the op.
template <class F32>
std::string unit() {
  if (!rp::executes<rp::mxu<rp::cpu>, F32>) return "–";
  return rp::systolic::vector_ops::contains<F32> ? "vector unit" : "array";
}

template <class F32, class F64>
void row() {
  const std::string name = rp::op_name<F32>();
  std::cout << "| `" << name.substr(0, name.find('<')) << "` | " << cell<rp::reference_backend, F32, F64>() << " | "
            << cell<rp::cpu, F32, F64>() << " | " << cell<rp::onednn, F32, F64>() << " | " << unit<F32>() << " |\n";
}

template <class... F32, class... F64>
void rows(rp::type_list<F32...>, rp::type_list<F64...>) {
  (row<F32, F64>(), ...);
}

}  // namespace

int main() {
  std::cout << "| op | reference | cpu | onednn | mxu |\n|---|---|---|---|---|\n";
  rows(rp::all_ops<float>{} + rp::untyped_ops{}, rp::all_ops<double>{} + rp::untyped_ops{});
}
