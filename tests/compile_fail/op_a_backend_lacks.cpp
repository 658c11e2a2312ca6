// SPDX-License-Identifier: MIT
// expect: constraint
// expect: executes<toy, gemm_args<float> >. evaluated to false|executes<Backend, .*gemm_args<T> >. .with Backend =
// toy; T = float
#include <ridgepoint/ops/gemm.hpp>

namespace rp = ridgepoint;

struct toy : rp::host_memory {  // a backend without any op
  [[nodiscard]] static std::string name() { return "toy"; }
};
#ifdef FIXED
void execute(const toy&, const rp::gemm_args<float>&) {}
#endif

int main() {
  float x[4] = {}, y[4] = {};
  rp::gemm<float>(toy{}, {x, 2, 2}, {x, 2, 2}, {y, 2, 2});
}
