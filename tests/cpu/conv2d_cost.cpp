// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ridgepoint/core/random.hpp>
#include <ridgepoint/cpu/conv2d.hpp>

#include "support/near.hpp"

namespace rp = ridgepoint;
using rp::conv_algorithm;

namespace {

/// Calls use(args) for the passes of random convolutions. Their operands are valid pointers but never read.
template <class T, class Use>
void for_drawn_passes(int count, const Use& use) {
  rp::random_stream random(1);
  const auto one_of = [&](std::initializer_list<rp::index_t> all) {
    return *(all.begin() + random.below(static_cast<std::uint32_t>(all.size())));
  };
  static T some[1] = {};
  for (int i = 0; i < count; ++i) {
    const rp::index_t groups = one_of({1, 1, 1, 2}), kernel = one_of({1, 2, 3, 3, 3, 5}),
                      edge = one_of({7, 12, 30, 56});
    const rp::conv2d_geometry g{.n = one_of({1, 2, 8, 32}),
                                .h = edge,
                                .w = edge + 1,
                                .c = groups * one_of({1, 3, 15, 16, 40, 130}),
                                .f = groups * one_of({1, 2, 8, 15, 19, 64, 130}),
                                .kh = kernel,
                                .kw = kernel,
                                .stride = one_of({1, 1, 2, 3}),
                                .padding = {kernel / 2, kernel / 2, kernel / 2, kernel / 2},
                                .dilation = one_of({1, 1, 1, 2}),
                                .groups = groups};
    const std::string what = to_string(g);
    CAPTURE(what);
    use(rp::conv2d_args<T>{.geometry = g, .x = some, .w = some, .y = some});
    use(rp::conv2d_backward_data_args<T>{.geometry = g, .dy = some, .w = some, .dx = some});
    use(rp::conv2d_backward_weights_args<T>{.geometry = g, .x = some, .dy = some, .dw = some});
  }
}

/// Returns the info of a pass with this algorithm and number of threads.
template <class Args>
[[nodiscard]] rp::preparation info_of(Args a, conv_algorithm algorithm, int threads = 1) {
  a.algorithm = algorithm;
  return prepare(rp::native_cpu(threads), a).info;
}

/// Returns the algorithms that `automatic` can choose.
template <template <class> class Args, class T>
[[nodiscard]] std::vector<conv_algorithm> candidates_of(const Args<T>& a) {
  std::vector<conv_algorithm> all{conv_algorithm::patches};
  if (!rp::kernels::replicates_a<T>(rp::kernels::native_unit)) all.push_back(conv_algorithm::segments);
  if (!rp::kernels::replicates_a<T>(rp::kernels::native_unit) && rp::simd::lanes < T >> 1)
    all.push_back(conv_algorithm::dots);
  if (a.geometry.group_c() < 16 || a.geometry.group_f() < 16) return all;
  if constexpr (rp::detail::winograd_element<T>)
    for (const conv_algorithm tile : {conv_algorithm::winograd_2x2, conv_algorithm::winograd_4x4})
      if (winograd_takes(tile, a.geometry)) all.push_back(tile);
  return all;
}

}  // namespace

TEST_CASE_TEMPLATE("automatic selects the algorithm with the fewest predicted cycles", T, float, double) {
  for_drawn_passes<T>(150, [](const auto& a) {
    const rp::preparation made = info_of(a, conv_algorithm::automatic);
    const std::string_view algorithm = made.algorithm;
    CAPTURE(algorithm);
    if (algorithm == "depthwise" || algorithm == "product") return;  // these do not predict small convolutions
    CHECK(made.predicted_cycles > 0);
    CHECK(made.predicted_cycles <= info_of(a, conv_algorithm::exact).predicted_cycles);
    for (const conv_algorithm candidate : candidates_of(a)) {
      CAPTURE(static_cast<int>(candidate));
      CHECK(made.predicted_cycles <= info_of(a, candidate).predicted_cycles);
    }
  });
}
TEST_CASE_TEMPLATE("an exact convolution uses only algorithms that sum the products of the definition", T, float,
                   double) {
  for_drawn_passes<T>(150, [](const auto& a) {
    const std::string_view made = info_of(a, conv_algorithm::exact).algorithm;
    CAPTURE(made);
    const std::initializer_list<std::string_view> exact{"depthwise", "product", "segments", "patches", "dots"};
    CHECK(std::find(exact.begin(), exact.end(), made) != exact.end());
  });
}
TEST_CASE("automatic does not choose Winograd's algorithm for convolutions with sums of fewer than 16 products") {
  for (const rp::index_t c : {8, 15})
    for (const rp::index_t f : {40, 64, 128}) {
      const rp::conv2d_geometry wide{
          .n = 2, .h = 28, .w = 28, .c = c, .f = f, .kh = 3, .kw = 3, .padding = {1, 1, 1, 1}};
      rp::conv2d_geometry narrow = wide, parted = wide;
      std::swap(narrow.c, narrow.f);
      parted.c *= 2, parted.f *= 2, parted.groups = 2;
      const auto is_winograd = [](const auto& a) {
        return std::string_view(info_of(a, conv_algorithm::automatic).algorithm).starts_with("winograd");
      };
      CHECK(!is_winograd(rp::conv2d_args<float>{.geometry = wide}));
      CHECK(!is_winograd(rp::conv2d_args<float>{.geometry = parted}));
      CHECK(!is_winograd(rp::conv2d_backward_data_args<float>{.geometry = narrow}));
    }
}
TEST_CASE_TEMPLATE("the algorithm of a convolution does not depend on the number of threads", T, float, double) {
  for_drawn_passes<T>(1000, [](const auto& a) {
    const rp::conv2d_prepared alone = prepare(rp::native_cpu(1), a);
    for (const int threads : {2, 4, 16}) {
      CAPTURE(threads);
      const rp::conv2d_prepared made = prepare(rp::native_cpu(threads), a);
      CHECK(made.of_product == alone.of_product);
      CHECK(made.joined == alone.joined);
      CHECK(std::string_view(made.info.algorithm) == alone.info.algorithm);
    }
  });
}
TEST_CASE("twice as many groups double the predicted time") {
  const auto cycles = [](auto pass, rp::index_t groups) {
    pass.geometry = {.n = 2, .h = 9, .w = 9, .c = groups * 6, .f = groups * 10, .kh = 3, .kw = 3, .groups = groups};
    return prepare(rp::native_cpu(1), pass).info.predicted_cycles;
  };
  const auto grow = [&](const auto& pass) { CHECK(cycles(pass, 4) == near(2 * cycles(pass, 2), 1e-6)); };
  grow(rp::conv2d_args<float>{});
  grow(rp::conv2d_backward_data_args<float>{});
  grow(rp::conv2d_backward_weights_args<float>{});
}
