// SPDX-License-Identifier: MIT
// expect: gemm: the first argument must be a backend that has gemm
#include <ridgepoint/core/tensor.hpp>
#include <ridgepoint/ops/gemm.hpp>

namespace rp = ridgepoint;

#ifdef FIXED
struct no_memory : rp::host_memory {
#else
struct no_memory {  // a backend must own its memory
#endif
  [[nodiscard]] static std::string name() { return "no_memory"; }
};
void execute(const no_memory&, const rp::gemm_args<float>&) {}

int main() {
  rp::tensor<float> a({2, 3}), b({3, 4}), c({2, 4});
  rp::gemm(no_memory{}, a, b, c);
}
