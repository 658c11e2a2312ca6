// SPDX-License-Identifier: MIT
// expect: matrix_view: of a const tensor: must be a view of const elements
#include <ridgepoint/core/tensor.hpp>

namespace rp = ridgepoint;

int main() {
  const rp::tensor<float> kept({2, 3});
#ifdef FIXED
  rp::matrix_view<const float> view = kept;
#else
  rp::matrix_view<float> view = kept;
#endif
  static_cast<void>(view);
}
