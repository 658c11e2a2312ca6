// SPDX-License-Identifier: MIT
// expect: constraint
// expect: .no_memory. does not satisfy .backend.|backend<B>. .with .*no_memory|Backend = no_memory
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
  float x[4] = {}, y[4] = {};
  rp::gemm<float>(no_memory{}, {x, 2, 2}, {x, 2, 2}, {y, 2, 2});
}
