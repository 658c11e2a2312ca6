// SPDX-License-Identifier: MIT
#include <ridgepoint/cpu/pooling.hpp>

#include "support/cpu_sizes.hpp"
#include "support/pool_geometries.hpp"

namespace rp = ridgepoint;
using namespace agreement;

namespace {
auto both_passes(const rp::pool2d_geometry& g, rp::mean_over over) {
  return [=](const auto& on, const auto& p, rp::step_state*) {
    using S = element_t<decltype(p)>;
    execute(on, rp::avg_pool2d_args<S>{g, p[0], p[2], over});
    execute(on, rp::avg_pool2d_backward_args<S>{g, p[1], p[3], over});
  };
}
}  // namespace

TEST_CASE_TEMPLATE("average pooling agrees with its definition", T, float, double) {
  for (const rp::pool2d_geometry& g : pool_geometries<T>())
    for (const rp::mean_over over : {rp::mean_over::image, rp::mean_over::window}) {
      CAPTURE(to_string(g));
      CAPTURE(over == rp::mean_over::window);
      agree<T>(on_cpu,
               {random_values<T>(g.input_size(), 1), random_values<T>(g.output_size(), 2), output(g.output_size()),
                output(g.input_size())},
               both_passes(g, over));
    }
}

TEST_CASE_TEMPLATE("a NaN affects only the averages of its windows", T, float, double) {
  const rp::pool2d_geometry g{
      .n = 1, .h = 3, .w = 4, .c = 3, .kh = 2, .kw = 3, .stride = {1, 2}, .padding = {0, 0, 1, 1}};
  for (const std::size_t which : {0U, 1U})
    agree_on_nan<T>(on_cpu,
                    {random_values<T>(g.input_size(), 1), random_values<T>(g.output_size(), 2), output(g.output_size()),
                     output(g.input_size())},
                    which, both_passes(g, rp::mean_over::image));
}

TEST_CASE_TEMPLATE("a gradient of means larger than the caches has the same bits at any alignment", T, float, double) {
  rp::pool2d_geometry g{.n = 1, .h = 64, .w = 10, .c = 2 * tested::lanes<T>(), .kh = 2, .kw = 2, .stride = 2};
  g.n = static_cast<index_t>(rp::cacheable_bytes() / sizeof(T)) / g.input_size() + 1;
  const auto size = static_cast<std::size_t>(g.input_size());
  std::vector<T> dy(static_cast<std::size_t>(g.output_size()));
  for (std::size_t i = 0; i < dy.size(); ++i) dy[i] = static_cast<T>(i % 1021 + 1);
  const rp::host_buffer room((size + 1) * sizeof(T));
  T* const aligned = static_cast<T*>(room.data());
  const index_t row_values = g.w * g.c;
  for (T* const dx : {aligned + 1, aligned}) {
    std::fill_n(dx, size, T(-1));
    execute(on_cpu(2), rp::avg_pool2d_backward_args<T>{g, dy.data(), dx});
    index_t wrong = 0;
    for (index_t i = 0; i < g.input_size(); ++i) {
      const index_t row = i / row_values, column = i % row_values / g.c, channel = i % g.c;
      const index_t from = ((row / 2) * g.ow() + column / 2) * g.c + channel;
      wrong += dx[i] != dy[static_cast<std::size_t>(from)] / 4;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("the mean of a large image has few roundings") {
  const rp::pool2d_geometry g{.n = 1, .h = 200, .w = 200, .c = 1, .kh = 200, .kw = 200};
  const std::vector<float> x(static_cast<std::size_t>(g.input_size()), 0.1F);
  float y = 0;
  execute(on_cpu(1), rp::avg_pool2d_args<float>{g, x.data(), &y});
  CHECK(std::abs(y - 0.1F) <= 200 * 0x1p-24F * 0.1F);
}
