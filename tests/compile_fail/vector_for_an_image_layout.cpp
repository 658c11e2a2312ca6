// SPDX-License-Identifier: MIT
// expect: nchw_to_nhwc: to must be a mutable image of float or double
#include <vector>

#include <ridgepoint/core/layouts.hpp>

namespace rp = ridgepoint;

int main() {
  const rp::tensor<float> planes({1, 3, 2, 2});
  std::vector<float> image(12);
#ifdef FIXED
  rp::nchw_to_nhwc(planes, rp::tensor_view<float, 4>(image.data(), {1, 2, 2, 3}));
#else
  rp::nchw_to_nhwc(planes, image);
#endif
}
