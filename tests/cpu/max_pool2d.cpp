// SPDX-License-Identifier: MIT
#include <ridgepoint/core/tensor.hpp>
#include <ridgepoint/cpu/pooling.hpp>
#include <ridgepoint/graph/layers.hpp>

#include "support/cpu_sizes.hpp"
#include "support/pool_geometries.hpp"

namespace rp = ridgepoint;
using namespace agreement;

namespace {
/// Returns values with many ties, zeros of both signs, and infinities.
template <class T>
operand values_with_ties(index_t size) {
  operand x = random_values<T>(size, 1, -3, 3);
  for (double& value : x.values) value = std::trunc(value);
  for (std::size_t i = 0; i < x.values.size(); i += 7) x.values[i] = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 5; i < x.values.size(); i += 61) x.values[i] = std::numeric_limits<double>::infinity();
  return x;
}

/// Runs forward with index, forward without, backward. Index is converted to numbers, so it is compared like any
/// result.
auto all_passes(const rp::pool2d_geometry& g) {
  return [=](const auto& on, const auto& p, rp::step_state*) {
    using S = element_t<decltype(p)>;
    std::vector<std::uint8_t> index(static_cast<std::size_t>(g.output_size()));
    execute(on, rp::max_pool2d_args<S>{g, p[0], p[2], index.data()});
    execute(on, rp::max_pool2d_args<S>{g, p[0], p[3], nullptr});
    for (std::size_t i = 0; i < index.size(); ++i) p[4][i] = S(index[i]);
    execute(on, rp::max_pool2d_backward_args<S>{g, p[1], index.data(), p[5]});
  };
}
template <class T>
void check_passes(const rp::pool2d_geometry& g, const operand& x) {
  CAPTURE(to_string(g));
  CAPTURE(g.c);
  const index_t y = g.output_size();
  agree<T>(on_cpu, {x, random_values<T>(y, 2), output(y), output(y), output(y), output(g.input_size())}, all_passes(g));
}
}  // namespace

TEST_CASE_TEMPLATE("max pooling agrees with its definition", T, float, double) {
  for (const rp::pool2d_geometry& g : pool_geometries<T>()) check_passes<T>(g, values_with_ties<T>(g.input_size()));
}

TEST_CASE_TEMPLATE("a NaN is the maximum of its window; of several NaNs the last one wins", T, float, double) {
  for (const index_t c : {index_t{1}, body_and_tail<T>()})
    for (const index_t stride : {1, 2}) {
      const rp::pool2d_geometry g{
          .n = 1, .h = 5, .w = 6, .c = c, .kh = 3, .kw = 3, .stride = stride, .padding = {1, 1, 1, 1}};
      for (const std::size_t every : {1U, 2U, 3U, 7U, 17U}) {
        operand x = random_values<T>(g.input_size(), 3);
        for (std::size_t i = 0; i < x.values.size(); i += every) x.values[i] = std::numeric_limits<double>::quiet_NaN();
        check_passes<T>(g, x);
      }
    }
}

TEST_CASE_TEMPLATE("zeros of both signs are equal: the first one is taken", T, float, double) {
  const rp::pool2d_geometry g{.n = 1, .h = 1, .w = 2, .c = body_and_tail<T>(), .kh = 1, .kw = 2};
  for (const T first : {T(0), -T(0)}) {
    std::vector<T> x(static_cast<std::size_t>(g.input_size()), first), y(static_cast<std::size_t>(g.c));
    for (std::size_t i = static_cast<std::size_t>(g.c); i < x.size(); ++i) x[i] = -first;
    execute(on_cpu(1), rp::max_pool2d_args<T>{g, x.data(), y.data(), nullptr});
    for (const T value : y) CHECK(std::signbit(value) == std::signbit(first));
  }
}

TEST_CASE("an index outside the image is skipped") {
  const rp::pool2d_geometry g{.n = 1, .h = 2, .w = 2, .c = 1, .kh = 2, .kw = 2, .padding = {1, 0, 1, 0}};
  const std::vector<float> dy{1, 2, 3, 4};
  const std::vector<std::uint8_t> index{0, 200, 3, 3};  // outside the image, not a tap, pixels (1, 0) and (1, 1)
  std::vector<float> dx(4, -1);
  execute(on_cpu(1), rp::max_pool2d_backward_args<float>{g, dy.data(), index.data(), dx.data()});
  CHECK(dx == std::vector<float>{0, 0, 3, 4});
}

TEST_CASE_TEMPLATE("a gradient larger than the caches has the same bits at any alignment", T, float, double) {
  const auto lanes = tested::lanes<T>();
  rp::pool2d_geometry g{.n = 1, .h = 64, .w = 10, .c = 2 * lanes, .kh = 2, .kw = 2, .stride = 2};
  g.n = static_cast<index_t>(rp::cacheable_bytes() / sizeof(T)) / g.input_size() + 1;
  const auto size = static_cast<std::size_t>(g.input_size());
  std::vector<T> dy(static_cast<std::size_t>(g.output_size()));
  std::vector<std::uint8_t> index(dy.size());
  for (std::size_t i = 0; i < dy.size(); ++i)
    dy[i] = static_cast<T>(i % 1021 + 1), index[i] = static_cast<std::uint8_t>(i * 7 % 11 % 5);
  const rp::host_buffer room((size + 1) * sizeof(T));
  T* const aligned = static_cast<T*>(room.data());
  std::vector<T> first;
  for (T* const dx : {aligned + 1, aligned}) {
    std::fill_n(dx, size, T(-1));
    execute(on_cpu(2), rp::max_pool2d_backward_args<T>{g, dy.data(), index.data(), dx});
    if (first.empty()) first.assign(dx, dx + size);
    CHECK(std::equal(first.begin(), first.end(), dx));
  }
}

TEST_CASE("a window of 256 taps has a number for each") {
  const rp::pool2d_geometry g{.n = 1, .h = 16, .w = 16, .c = 20, .kh = 16, .kw = 16};
  operand x = random_values<float>(g.input_size(), 4);
  for (index_t c = 0; c < g.c; ++c) x.values[static_cast<std::size_t>((255 - 13 * c) * g.c + c)] = 100;
  check_passes<float>(g, x);
}

TEST_CASE("a pooling layer has no padding by default, and vectors fill its numbers") {
  rp::graph net("pools");
  const rp::node x = net.input({8, 6, 3});
  CHECK((x | rp::nn::max_pool{}).extents() == rp::shape{4, 3, 3});
  CHECK((x | rp::nn::avg_pool{.window = 3}).extents() == rp::shape{3, 2, 3});
}
