// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include <ridgepoint/core/layouts.hpp>

namespace rp = ridgepoint;
using rp::index_t;

namespace {
/// Returns 0, 1, 2 …, so that every element identifies its origin.
template <class T>
rp::tensor<T> numbered(const rp::shape& extents) {
  rp::tensor<T> t(extents);
  std::iota(t.begin(), t.end(), T(0));
  return t;
}
constexpr index_t sizes[][4] = {{1, 1, 1, 1}, {2, 3, 4, 5}, {1, 17, 5, 7}, {3, 16, 8, 2}, {33, 2, 3, 3}, {2, 0, 3, 1}};
}  // namespace

TEST_CASE_TEMPLATE("NCHW images convert to NHWC and back", T, float, double) {
  for (const auto& [n, c, h, w] : sizes) {
    const auto planes = numbered<T>({n, c, h, w});
    rp::tensor<T> image({n, h, w, c}), again(planes.shape());
    rp::nchw_to_nhwc(planes, image);
    const rp::tensor_view<const T, 4> x(planes), y(image);
    for (index_t i = 0; i < n; ++i)
      for (index_t j = 0; j < c; ++j)
        for (index_t row = 0; row < h; ++row)
          for (index_t col = 0; col < w; ++col) CHECK(y(i, row, col, j) == x(i, j, row, col));
    rp::nhwc_to_nchw(image, again);
    CHECK(std::equal(again.begin(), again.end(), planes.begin()));
  }
}

TEST_CASE_TEMPLATE("OIHW filters convert to HWIO and back", T, float, double) {
  for (const auto& [o, in, h, w] : sizes) {
    const auto theirs = numbered<T>({o, in, h, w});
    rp::tensor<T> ours({h, w, in, o}), again(theirs.shape());
    rp::oihw_to_hwio(theirs, ours);
    const rp::tensor_view<const T, 4> x(theirs), y(ours);
    for (index_t i = 0; i < o; ++i)
      for (index_t j = 0; j < in; ++j)
        for (index_t row = 0; row < h; ++row)
          for (index_t col = 0; col < w; ++col) CHECK(y(row, col, j, i) == x(i, j, row, col));
    rp::hwio_to_oihw(ours, again);
    CHECK(std::equal(again.begin(), again.end(), theirs.begin()));
  }
}

TEST_CASE("mismatched layouts are refused and nothing is written") {
  const auto from = numbered<float>({2, 3, 4, 5});
  rp::tensor<float> wrong({2, 3, 4, 5}), flat({120});
  CHECK_THROWS_WITH_AS(rp::nchw_to_nhwc(from, wrong), "nchw_to_nhwc: to is 2x3x4x5; must be 2x4x5x3", rp::shape_error);
  CHECK_THROWS_WITH_AS(rp::nhwc_to_nchw(from, wrong), "nhwc_to_nchw: to is 2x3x4x5; must be 2x5x3x4", rp::shape_error);
  CHECK_THROWS_WITH_AS(rp::oihw_to_hwio(from, wrong), "oihw_to_hwio: to is 2x3x4x5; must be 4x5x3x2", rp::shape_error);
  CHECK_THROWS_WITH_AS(rp::hwio_to_oihw(from, wrong), "hwio_to_oihw: to is 2x3x4x5; must be 5x4x2x3", rp::shape_error);
  CHECK_THROWS_AS(rp::nchw_to_nhwc(from, flat), rp::shape_error);
  using view = rp::tensor_view<float, 4>;
  std::vector<float> memory(240, -1);
  CHECK_THROWS_WITH_AS(rp::nchw_to_nhwc(from, view(memory.data(), {2, 4, 5, 3}, {120, 30, 6, 2})),
                       "nchw_to_nhwc: a view has gaps or another order; must be dense", rp::shape_error);
  CHECK_THROWS_WITH_AS(rp::nchw_to_nhwc(view(memory.data() + 119, {2, 3, 4, 5}), view(memory.data(), {2, 4, 5, 3})),
                       "nchw_to_nhwc: to overlaps from; must not overlap", rp::shape_error);
  CHECK_THROWS_WITH_AS(rp::nchw_to_nhwc(from, view(nullptr, {2, 4, 5, 3})),
                       "nchw_to_nhwc: a null pointer; must point to 120 elements", rp::shape_error);
  CHECK(std::all_of(memory.begin(), memory.end(), [](float value) { return value == -1; }));
  CHECK_NOTHROW(rp::nchw_to_nhwc(view(memory.data() + 120, {2, 3, 4, 5}), view(memory.data(), {2, 4, 5, 3})));
}
