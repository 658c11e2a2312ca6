// SPDX-License-Identifier: MIT
// expect: gemm: the first argument must be a backend that has gemm
#include <ridgepoint/core/tensor.hpp>
#include <ridgepoint/ops/gemm.hpp>

namespace rp = ridgepoint;

struct toy : rp::host_memory {  // a backend without any op
  [[nodiscard]] static std::string name() { return "toy"; }
};
#ifdef FIXED
void execute(const toy&, const rp::gemm_args<float>&) {}
#endif

int main() {
  rp::tensor<float> a({2, 3}), b({3, 4}), c({2, 4});
  rp::gemm(toy{}, a, b, c);
}
