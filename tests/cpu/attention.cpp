// SPDX-License-Identifier: MIT
#include <ridgepoint/cpu/attention.hpp>

#include "support/attention_case.hpp"
#include "support/cpu_copies.hpp"
#include "support/recurrent_shapes.hpp"

namespace rp = ridgepoint;
using namespace agreement;

namespace {

/// Sizes around the tiles of registers, queries and keys; fewer and more queries than keys; no samples, queries or
/// keys;
/// samples of all lengths.
template <class T>
std::vector<attention_case> attention_cases() {
  const index_t mr = tested::tile_rows(), nr = tested::panel_width<T>();
  std::vector<attention_case> all{{1, 1, 1, 1, 1},
                                  {2, 3, 5, 2, 4},
                                  {0, 3, 5, 2, 4},
                                  {2, 0, 5, 2, 4},
                                  {2, 3, 0, 2, 4},
                                  {2, 4, 4, 3, 2, true, true},
                                  {2, 7, 7, 2, 3, false, true},
                                  {2, 3, 7, 1, 3, true},
                                  {1, 140, 4, 2, 2, true},
                                  {1, 4, 140, 1, 2, true},
                                  {4, 5, 6, 2, 3, false, false, {0, 1, 6, 9}},
                                  {4, 6, 6, 2, 3, true, true, {-1, 3, 6, 5}},
                                  {3, 3, 300, 1, 2, false, false, {128, 129, 300}},
                                  {2, 3, 4, 2, 2, false, false, {}, 0.5},
                                  {1, 2, 3, 1, 512 / sizeof(T)}};
  for (const index_t extent : around(128)) {
    all.push_back({1, extent, 3, 1, 2});
    all.push_back({1, 5, extent, 1, 2, false});
    all.push_back({1, extent, extent, 1, 2, true, extent % 2 == 1});
  }
  for (const index_t extent : around(4 * mr)) all.push_back({1, extent, 4, 1, 3, extent % 2 == 0});
  for (const index_t extent : around(nr)) {
    all.push_back({1, 3, extent, 2, 5});
    all.push_back({1, 4, 5, 2, extent, true});
  }
  std::erase_if(all, [](const attention_case& c) { return c.width < 1; });
  return all;
}

}  // namespace

TEST_CASE_TEMPLATE("attention and its gradient agree with their definitions", T, float, double) {
  for (const attention_case& c : attention_cases<T>()) {
    INFO(c.name());
    agree<T>(on_cpu, c.operands_of<T>(), c.run());
    if (c.queries < 10 && c.keys < 10) agree<T>(on_cpu_of_prepared, c.operands_of<T>(), c.run());
  }
}

TEST_CASE("the workspace is a few tiles per thread, plus one number per query for the gradient") {
  const auto bytes = [](index_t s, int threads) {
    const index_t heads = 8, width = 64;
    const std::vector<float> all(static_cast<std::size_t>(s * heads * width));
    const rp::heads_view<const float> x(all.data(), {1, s, heads, width});
    const auto to = [&] { return rp::heads_view<float>(nullptr, x.extents); };
    const tested_cpu on(threads);
    const auto forward = prepare(on, rp::attention_args<float>{.q = x, .k = x, .v = x, .y = to()}, {});
    const auto backward = prepare(
        on,
        rp::attention_backward_args<float>{.q = x, .k = x, .v = x, .y = x, .dy = x, .dq = to(), .dk = to(), .dv = to()},
        {});
    return std::pair{forward.info.workspace_bytes, backward.info.workspace_bytes};
  };
  const auto [forward, backward] = bytes(4096, 1);
  const auto [forward_twice, backward_twice] = bytes(8192, 1);
  CHECK(forward < 512 * 1024);
  CHECK(backward < 512 * 1024);
  CHECK(forward_twice == forward);
  CHECK(backward_twice == backward + 4096 * sizeof(float));
  CHECK(bytes(4096, 3) == std::pair{3 * forward, 3 * backward});
}

TEST_CASE_TEMPLATE("scores that grow from tile to tile, and weights that vanish", T, float, double) {
  const index_t keys = 300, width = 2;  // the largest score is last: each tile rescales the earlier sums
  std::vector<T> q{T(1), T(0)}, k, v, y(2), log_sum(1);
  double sum = 0, mean = 0;
  for (index_t j = 0; j < keys; ++j) {
    const double score = static_cast<double>(j) - 150;
    k.insert(k.end(), {static_cast<T>(score), T(7)});
    v.insert(v.end(), {static_cast<T>(j), T(1)});
    sum += std::exp(score - 149);
    mean += std::exp(score - 149) * static_cast<double>(j);
  }
  execute(on_cpu(1), rp::attention_args<T>{.options = {.scale = 1},
                                           .q = {q.data(), {1, 1, 1, width}},
                                           .k = {k.data(), {1, keys, 1, width}},
                                           .v = {v.data(), {1, keys, 1, width}},
                                           .y = {y.data(), {1, 1, 1, width}},
                                           .log_sums = log_sum.data()});
  const double u = std::numeric_limits<T>::epsilon();
  CHECK(std::abs(static_cast<double>(y[0]) - mean / sum) <= 32 * u * 300);
  CHECK(std::abs(static_cast<double>(y[1]) - 1) <= 32 * u);
  CHECK(std::abs(static_cast<double>(log_sum[0]) - (149 + std::log(sum))) <= 2 * u * 150);
}
