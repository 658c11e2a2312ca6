// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <array>
#include <concepts>
#include <numeric>
#include <vector>

#include <ridgepoint/core/tensor.hpp>
#include <ridgepoint/reference/gemm.hpp>

namespace rp = ridgepoint;

namespace {
/// Mimics the interface of std::mdspan, with swapped extents.
struct by_columns {
  float* values;
  static constexpr std::size_t rank() { return 2; }
  [[nodiscard]] float* data_handle() const { return values; }
  [[nodiscard]] std::size_t extent(std::size_t r) const { return r == 0 ? 3 : 2; }
  [[nodiscard]] std::size_t stride(std::size_t r) const { return r == 0 ? 1 : 3; }
};
}  // namespace

TEST_CASE("a view of any rank addresses elements by its strides") {
  int data[24];
  std::iota(data, data + 24, 0);
  const rp::tensor_view<int, 3> dense(data, {2, 3, 4});
  CHECK(dense.strides == std::array<rp::index_t, 3>{12, 4, 1});
  CHECK(dense(1, 2, 3) == 23);
  CHECK(dense.shape() == rp::shape{2, 3, 4});
  CHECK(dense.dense());
  const rp::tensor_view<const int, 3> planes(data, {4, 2, 3}, {1, 12, 4});  // the innermost extent first
  CHECK(planes(3, 1, 2) == 23);
  CHECK_FALSE(planes.dense());
  const rp::tensor_view<const int, 3> seen = dense;
  CHECK(&seen(0, 1, 2) == &dense(0, 1, 2));
  static_assert(!std::convertible_to<rp::tensor_view<const int, 3>, rp::tensor_view<int, 3>>);
}

TEST_CASE("strides of extents 0 and 1 do not affect density") {
  float data[6] = {};
  CHECK(rp::tensor_view<float, 3>(data, {1, 2, 3}, {99, 3, 1}).dense());
  CHECK(rp::tensor_view<float, 2>(data, {0, 3}, {1, 7}).dense());
  CHECK_FALSE(rp::tensor_view<float, 2>(data, {2, 3}, {1, 2}).dense());
}

TEST_CASE("a tensor converts to a view of its own rank only") {
  rp::tensor<float> image({2, 4, 4, 3});
  const rp::tensor_view<float, 4> view = image;
  view(1, 3, 3, 2) = 7;
  CHECK(image(1, 3, 3, 2) == 7);
  const rp::tensor<float>& same = image;
  CHECK(rp::tensor_view<const float, 4>(same)(1, 3, 3, 2) == 7);
  CHECK_THROWS_WITH_AS((rp::tensor_view<float, 3>(image)), "tensor_view: tensor is 2x4x4x3; must have 3 extents",
                       rp::shape_error);
  static_assert(!std::constructible_from<rp::tensor_view<float, 4>, const rp::tensor<float>&>);
  static_assert(!std::constructible_from<rp::tensor_view<const float, 4>, rp::tensor<float>>);
}

TEST_CASE("rank 1 comes from ranges, rank 2 from matrices and mdspan, and both convert back") {
  std::vector<float> values{1, 2, 3, 4, 5, 6};
  const rp::tensor_view<float, 1> row = values;
  CHECK(row(5) == 6);
  const rp::vector_view<float> back = row;
  CHECK(back.size == 6);
  const rp::tensor_view<float, 1> odd = rp::vector_view<float>{values.data(), 3, 2};
  CHECK(odd(2) == 5);
  const rp::tensor_view<float, 2> at = rp::matrix_view<float>(values.data(), 2, 3).transposed();
  CHECK(at(2, 1) == 6);
  const rp::matrix_view<const float> matrix = at;
  CHECK(matrix.row_stride == 1);
  CHECK(matrix.col_stride == 3);
  const rp::tensor_view<const float, 2> m = by_columns{values.data()};
  CHECK(m(1, 1) == 5);
}

TEST_CASE("an op takes a rank-2 view as a matrix") {
  float a[6] = {1, 4, 2, 5, 3, 6}, b[3] = {1, 10, 100}, c[2] = {};
  const rp::tensor_view<const float, 2> columns(a, {2, 3}, {1, 2});
  const rp::tensor_view<float, 2> result(c, {2, 1});
  rp::gemm(rp::reference, columns, rp::tensor_view<float, 2>(b, {3, 1}), result);
  CHECK(c[0] == 321);
  CHECK(c[1] == 654);
  rp::gemm(rp::reference, columns, rp::tensor_view<float, 2>(b, {3, 1}), rp::tensor_view<float, 2>(c, {2, 1}));
  CHECK(c[1] == 654);
}
