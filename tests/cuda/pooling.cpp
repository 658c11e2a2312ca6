// SPDX-License-Identifier: MIT
// Poolings of the CUDA backend against their definition, on the emulator.
#include <ridgepoint/cuda/pooling.hpp>

#include "fake_case.hpp"
#include "support/agreement.hpp"

namespace rp = ridgepoint;
using namespace agreement;

namespace {

/// Returns windows with gaps, adjacent, overlapping and as large as the image, with padding on any side and beyond it,
/// of one pixel, of none, and with more outputs than threads.
std::vector<rp::pool2d_geometry> geometries() {
  constexpr auto up = rp::rounding_rule::up;
  return {{.n = 1, .h = 1, .w = 1, .c = 1},
          {.n = 0, .h = 4, .w = 4, .c = 3, .kh = 2, .kw = 2},
          {.n = 2, .h = 7, .w = 7, .c = 5, .kh = 7, .kw = 7},
          {.n = 1, .h = 1, .w = 37, .c = 1, .kh = 1, .kw = 3, .stride = 2, .padding = {0, 0, 1, 1}},
          {.n = 2, .h = 28, .w = 26, .c = 7, .kh = 3, .kw = 3, .stride = 2, .padding = {0, 1, 0, 1}},
          {.n = 1, .h = 2, .w = 9, .c = 4, .kh = 3, .kw = 2, .stride = {2, 3}, .rounding = up},
          {.n = 2, .h = 6, .w = 9, .c = 3, .kh = 2, .kw = 2, .stride = 2},
          {.n = 1, .h = 7, .w = 7, .c = 2, .kh = 3, .kw = 2, .stride = {3, 2}, .padding = {1, 1, 0, 1}},
          {.n = 1, .h = 7, .w = 9, .c = 3, .kh = 2, .kw = 2, .stride = 2, .rounding = up},
          {.n = 1, .h = 3, .w = 4, .c = 1, .kh = 5, .kw = 5, .padding = {1, 1, 0, 1}},
          {.n = 1, .h = 5, .w = 6, .c = 3, .kh = 3, .kw = 2, .stride = {1, 1}, .padding = {2, 1, 1, 0}},
          {.n = 1, .h = 9, .w = 10, .c = 2, .kh = 2, .kw = 3, .stride = {3, 4}, .padding = {0, 0, 0, 2}},
          {.n = 1, .h = 6, .w = 7, .c = 2, .kh = 4, .kw = 5, .stride = {1, 2}, .padding = {3, 3, 4, 4}},
          {.n = 1, .h = 7, .w = 9, .c = 2, .kh = 3, .kw = 4, .stride = 3, .padding = {1, 1, 1, 2}, .rounding = up}};
}

/// Returns values with many ties and infinities.
template <class T>
operand values_with_ties(index_t size) {
  operand x = random_values<T>(size, 1, -3, 3);
  for (double& value : x.values) value = std::trunc(value);
  for (std::size_t i = 0; i < x.values.size(); i += 7) x.values[i] = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 5; i < x.values.size(); i += 61) x.values[i] = std::numeric_limits<double>::infinity();
  return x;
}

/// Forward with index, forward without, backward; the index is compared as numbers.
template <class T>
void agree_on_max_pool2d(const rp::pool2d_geometry& g, const operand& x) {
  const index_t y = g.output_size();
  agree<T>(on_fake_gpu, {x, random_values<T>(y, 2), output(y), output(y), output(y), output(g.input_size())},
           [&](const auto& where, const auto& p, rp::step_state*) {
             using S = element_t<decltype(p)>;
             std::vector<std::uint8_t> index(static_cast<std::size_t>(y));
             rp::run(where, rp::max_pool2d_args<S>{g, p[0], p[2], index.data()});
             rp::run(where, rp::max_pool2d_args<S>{g, p[0], p[3], nullptr});
             for (std::size_t i = 0; i < index.size(); ++i) p[4][i] = S(index[i]);
             rp::run(where, rp::max_pool2d_backward_args<S>{g, p[1], index.data(), p[5]});
           });
}
auto means(const rp::pool2d_geometry& g, rp::mean_over over) {
  return [=](const auto& where, const auto& p, rp::step_state*) {
    using S = element_t<decltype(p)>;
    rp::run(where, rp::avg_pool2d_args<S>{g, p[0], p[2], over});
    rp::run(where, rp::avg_pool2d_backward_args<S>{g, p[1], p[3], over});
  };
}
template <class T>
std::vector<operand> operands_of_means(const rp::pool2d_geometry& g) {
  return {random_values<T>(g.input_size(), 1), random_values<T>(g.output_size(), 2), output(g.output_size()),
          output(g.input_size())};
}

}  // namespace

TEST_CASE_TEMPLATE("cuda: poolings agree with their definition", T, float, double, rp::bfloat16, rp::float16) {
  for (const rp::pool2d_geometry& g : geometries()) {
    CAPTURE(to_string(g));
    agree_on_max_pool2d<T>(g, values_with_ties<T>(g.input_size()));
    for (const rp::mean_over over : {rp::mean_over::image, rp::mean_over::window})
      agree<T>(on_fake_gpu, operands_of_means<T>(g), means(g, over));
  }
}

TEST_CASE_TEMPLATE("cuda: a NaN is the maximum of its window, the last of several, and affects no other mean", T, float,
                   double) {
  const rp::pool2d_geometry g{.n = 1, .h = 5, .w = 6, .c = 2, .kh = 3, .kw = 3, .padding = {1, 1, 1, 1}};
  for (const std::size_t every : {1U, 2U, 3U, 7U, 17U}) {
    operand x = random_values<T>(g.input_size(), 3);
    for (std::size_t i = 0; i < x.values.size(); i += every) x.values[i] = std::numeric_limits<double>::quiet_NaN();
    agree_on_max_pool2d<T>(g, x);
  }
  const rp::pool2d_geometry small{
      .n = 1, .h = 3, .w = 4, .c = 3, .kh = 2, .kw = 3, .stride = {1, 2}, .padding = {0, 0, 1, 1}};
  for (const std::size_t which : {0U, 1U})
    agree_on_nan<T>(on_fake_gpu, operands_of_means<T>(small), which, means(small, rp::mean_over::image));
}

TEST_CASE("cuda: an index outside the image is skipped") {
  const rp::pool2d_geometry g{.n = 1, .h = 2, .w = 2, .c = 1, .kh = 2, .kw = 2, .padding = {1, 0, 1, 0}};
  const std::vector<float> dy{1, 2, 3, 4};
  const std::vector<std::uint8_t> index{0, 200, 3, 3};  // outside the image, no tap, pixels (1, 0) and (1, 1)
  std::vector<float> dx(4, -1);
  rp::run(fake_gpu(), rp::max_pool2d_backward_args<float>{g, dy.data(), index.data(), dx.data()});
  CHECK(dx == std::vector<float>{0, 0, 3, 4});
}

TEST_CASE("cuda: the mean of a large image has few roundings") {
  const rp::pool2d_geometry g{.n = 1, .h = 200, .w = 200, .c = 1, .kh = 200, .kw = 200};
  const std::vector<float> x(static_cast<std::size_t>(g.input_size()), 0.1F);
  float y = 0;
  rp::run(fake_gpu(), rp::avg_pool2d_args<float>{g, x.data(), &y});
  CHECK(std::abs(y - 0.1F) <= 200 * 0x1p-24F * 0.1F);
}
