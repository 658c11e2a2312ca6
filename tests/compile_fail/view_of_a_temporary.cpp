// SPDX-License-Identifier: MIT
// expect: of a temporary: keep the tensor in a variable
#include <ridgepoint/core/tensor.hpp>

namespace rp = ridgepoint;

rp::tensor<float> make() { return rp::tensor<float>({2, 3}); }

int main() {
#ifdef FIXED
  rp::tensor<float> kept = make();
  rp::matrix_view<float> view = kept;
#else
  rp::matrix_view<float> view = make();
#endif
  static_cast<void>(view);
}
