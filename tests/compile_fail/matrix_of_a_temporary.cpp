// SPDX-License-Identifier: MIT
// expect: matrix\(\) of a temporary
// expect: of a temporary: keep the tensor in a variable
#include <ridgepoint/core/tensor.hpp>

namespace rp = ridgepoint;

rp::tensor<float> make() { return rp::tensor<float>({2, 3}); }

int main() {
#ifdef FIXED
  const rp::tensor<float> kept = make();
  const auto view = kept.matrix();
#else
  const auto view = make().matrix();
#endif
  static_cast<void>(view);
}
