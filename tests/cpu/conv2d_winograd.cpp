// SPDX-License-Identifier: MIT
// Checks Winograd's algorithm against the definition in double, within bounds derived from its transforms.
#include <ridgepoint/cpu/conv2d.hpp>
#include <ridgepoint/kernels/conv/winograd_work.hpp>

#include <algorithm>
#include <string_view>

#include "support/cpu_copies.hpp"
#include "support/run_prepared.hpp"
#include "support/winograd_bound.hpp"

namespace rp = ridgepoint;
using namespace winograd_bound;
using rp::conv_algorithm;

namespace {

/// Passes in the form that agree() takes: operands p, results last.
struct forward_tiles {
  rp::conv2d_geometry g;
  rp::activation act = rp::activation::none;
  bool biased = true;
  [[nodiscard]] std::vector<operand> operands() const {
    return {random_values<float>(g.input_size(), 1), random_values<float>(g.filter_size(), 2),
            random_values<float>(g.f, 3), output(g.output_size())};
  }
  [[nodiscard]] double error(const way& by) const {
    return by.bound(g.group_c(), gives::image) + 8 * 0x1p-24 * special_ulp;
  }
  template <class S>
  [[nodiscard]] auto args(const std::vector<S*>& p, conv_algorithm algorithm) const {
    return rp::conv2d_args<S>{.geometry = g,
                              .x = p[0],
                              .w = p[1],
                              .bias = biased ? p[2] : nullptr,
                              .y = p[3],
                              .act = act,
                              .algorithm = algorithm};
  }
};
struct backward_data {
  rp::conv2d_geometry g;
  [[nodiscard]] std::vector<operand> operands() const {
    return {random_values<float>(g.output_size(), 1), random_values<float>(g.filter_size(), 2), output(g.input_size())};
  }
  [[nodiscard]] double error(const way& by) const { return by.bound(g.group_f(), gives::image); }
  template <class S>
  [[nodiscard]] auto args(const std::vector<S*>& p, conv_algorithm algorithm) const {
    return rp::conv2d_backward_data_args<S>{.geometry = g, .dy = p[0], .w = p[1], .dx = p[2], .algorithm = algorithm};
  }
};
struct backward_weights {
  rp::conv2d_geometry g;
  [[nodiscard]] std::vector<operand> operands() const {
    return {random_values<float>(g.input_size(), 1), random_values<float>(g.output_size(), 2), output(g.f),
            output(g.filter_size())};
  }
  [[nodiscard]] double error(const way& by) const {
    const index_t tiles = g.n * rp::ceil_div(g.oh(), by.results()) * rp::ceil_div(g.ow(), by.results());
    return by.bound(tiles, gives::filter) + gamma<float>(g.n * g.oh() * g.ow()) * 4 * double(g.n * g.oh() * g.ow());
  }
  template <class S>
  [[nodiscard]] auto args(const std::vector<S*>& p, conv_algorithm algorithm) const {
    return rp::conv2d_backward_weights_args<S>{
        .geometry = g, .x = p[0], .dy = p[1], .dw = p[3], .db = p[2], .algorithm = algorithm};
  }
};

template <class Pass>
std::vector<std::vector<double>> by_definition(const Pass& pass, const std::vector<operand>& operands) {
  memory<double, std::vector<double>> memory(
      operands, [](index_t n) { return std::vector<double>(static_cast<std::size_t>(n)); });
  execute(rp::reference, pass.args(memory.pointers, conv_algorithm::automatic));
  return memory.vectors;
}

/// Checks a pass by Winograd's algorithm: within its error bound, and the same bits for any number of threads, any
/// operand addresses, prepared or not, with a constant filter or not.
template <class Pass>
void agree_on(const way& by, const Pass& pass, const std::vector<std::vector<double>>& want) {
  CAPTURE(by.name());
  const std::string what = to_string(pass.g);
  CAPTURE(what);
  CAPTURE(pass.g.padding.top);
  CAPTURE(pass.g.padding.left);
  const std::vector<operand> operands = pass.operands();
  std::vector<std::vector<float>> first;
  const auto compare = [&](const auto& got) {
    for (std::size_t o = 0; o < operands.size(); ++o)
      CHECK(std::equal(first[o].begin(), first[o].end(), got.vectors[o].data(), [](float x, float y) {
        return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
      }));
  };
  for (const auto where :
       {placement_in_page::at_the_end, placement_in_page::at_the_start, placement_in_page::misaligned})
    for (const int threads : {1, 2, 3}) {
      const auto make = [&](index_t n) { return guarded_vector<float>(n, where); };
      memory<float, guarded_vector<float>> got(operands, make);
      execute(tested_cpu(threads), pass.args(got.pointers, by.algorithm));
      if (first.empty()) {
        double worst = 0;
        for (std::size_t o = 0; o < operands.size(); ++o) {
          const auto& values = got.vectors[o];
          first.emplace_back(values.data(), values.data() + values.size());
          for (std::size_t i = 0; i < values.size(); ++i) {
            const double error = std::abs(static_cast<double>(values[i]) - want[o][i]);
            worst = std::max(worst, std::isnan(error) ? 1e9 : error);
          }
        }
        CHECK(worst <= pass.error(by));
      }
      compare(got);
      for (const bool constant : {false, true}) {
        memory<float, guarded_vector<float>> prepared(operands, make);
        const auto args = pass.args(prepared.pointers, by.algorithm);
        const rp::prepare_options options{.constant = constant ? prepared.pointers[1] : nullptr,
                                          .constant_bytes = static_cast<std::size_t>(pass.g.filter_size()) * 4};
        const tested_cpu on(threads);
        const auto made = prepare(on, args, options);
        run_prepared(on, made, args);
        CHECK(std::string_view(made.info.algorithm) == by.name());
        if (!std::is_same_v<Pass, backward_weights>) CHECK((made.info.constant_bytes > 0) == constant);
        compare(prepared);
      }
    }
}
template <class Pass>
void agree_on(const way& by, const Pass& pass) {
  agree_on(by, pass, by_definition(pass, pass.operands()));
}
constexpr index_t all_taps[] = {3, 5};
static_assert(std::ranges::all_of(ways, [](const way& by) { return std::ranges::count(all_taps, by.taps) == 1; }));

/// Checks the passes of g with every Winograd variant, with its filter size replaced by the variant's.
void agree_on_passes(rp::conv2d_geometry g) {
  for (const index_t taps : all_taps) {
    g.kh = g.kw = taps;
    if (g.h + g.padding.top + g.padding.bottom < g.kh || g.w + g.padding.left + g.padding.right < g.kw) continue;
    const auto by_each_way = [taps](const auto& pass) {
      const auto want = by_definition(pass, pass.operands());
      for (const way& by : ways)
        if (by.taps == taps) agree_on(by, pass, want);
    };
    by_each_way(forward_tiles{g});
    by_each_way(backward_data{g});
    by_each_way(backward_weights{g});
  }
}

[[nodiscard]] double rms_error(const std::vector<float>& got, const std::vector<double>& want) {
  double sum = 0, size = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double error = static_cast<double>(got[i]) - want[i];
    sum += error * error, size += want[i] * want[i];
  }
  return std::sqrt(sum / size);
}
/// Returns the RMS error of Winograd's algorithm relative to that of direct summation in float.
/// sum(i, add) calls add(x, w) for each product of result i.
template <class Pass, class Sum>
[[nodiscard]] double error_ratio(const way& by, const Pass& pass, const Sum& sum) {
  const std::vector<operand> operands = pass.operands();
  const auto want = by_definition(pass, operands);
  memory<float, std::vector<float>> got(operands,
                                        [](index_t n) { return std::vector<float>(static_cast<std::size_t>(n)); });
  std::vector<float> direct(got.vectors.back().size());
  for (std::size_t i = 0; i < direct.size(); ++i)
    sum(static_cast<index_t>(i), [&](index_t x, index_t w) { direct[i] += got.pointers[0][x] * got.pointers[1][w]; });
  execute(tested_cpu(1), pass.args(got.pointers, by.algorithm));
  return rms_error(got.vectors.back(), want.back()) / rms_error(direct, want.back());
}

}  // namespace

TEST_CASE("Winograd's convolutions agree with their definitions: full and partial tiles") {
  for (const index_t h : {1, 2, 3, 4, 5, 8, 9})
    for (const index_t w : {1, 4, 6, 9})
      for (const rp::padding2d& padding :
           {rp::padding2d{1, 1, 1, 1}, rp::padding2d{2, 1, 0, 2}, rp::padding2d{0, 2, 3, 2}})
        agree_on_passes({.n = 1 + h % 3, .h = h, .w = w, .c = 5, .f = 3, .padding = padding});
  agree_on_passes({.n = 2, .h = 3, .w = 3, .c = 17, .f = 18});
  agree_on_passes({.n = 3, .h = 9, .w = 7, .c = 17, .f = 18});
}
TEST_CASE("Winograd's convolutions agree with their definitions: channels around a register and a panel") {
  const index_t lanes = tested::lanes<float>(), panel = tested::panel_width<float>();
  for (const index_t c : {index_t{1}, lanes - 1, lanes, lanes + 1, panel, 2 * panel + 3})
    for (const index_t f : {index_t{1}, lanes - 1, lanes + 1, panel + 1, 3 * panel})
      if (c > 0 && f > 0) agree_on_passes({.n = 1, .h = 6, .w = 7, .c = c, .f = f, .padding = {1, 1, 1, 1}});
}
TEST_CASE("Winograd's convolutions agree with their definitions: parts and chunks of tiles") {
  agree_on_passes({.n = 1, .h = 130, .w = 126, .c = 4, .f = 5, .padding = {1, 1, 1, 1}});
  agree_on_passes({.n = 3, .h = 18, .w = 22, .c = 130, .f = 70, .padding = {1, 1, 1, 1}});
  agree_on_passes({.n = 2, .h = 7, .w = 7, .c = 260, .f = 150, .padding = {1, 1, 1, 1}});
}
TEST_CASE("Winograd's convolutions agree with their definitions: groups") {
  const index_t lanes = tested::lanes<float>(), panel = tested::panel_width<float>();
  struct channels {
    index_t c, f;  // per group
  };
  for (const index_t groups : {2, 3})
    for (const channels& each : {channels{3, 5}, {16, 5}, {3, panel}, {panel, lanes}, {lanes, 2 * panel}})
      agree_on_passes({.n = 2,
                       .h = 9,
                       .w = 10,
                       .c = groups * each.c,
                       .f = groups * each.f,
                       .padding = {0, 1, 1, 0},
                       .groups = groups});
}
TEST_CASE("Winograd's convolution applies its activation") {
  for (const way& by : ways)
    for (const rp::activation act : {rp::activation::relu, rp::activation::relu6, rp::activation::leaky_relu,
                                     rp::activation::sigmoid, rp::activation::tanh})
      agree_on(by, forward_tiles{{.n = 2, .h = 5, .w = 6, .c = 3, .f = 18, .kh = by.taps, .kw = by.taps}, act});
}
TEST_CASE("an empty batch has an empty output and zero gradients, with Winograd's algorithm too") {
  agree_on_passes({.n = 0, .h = 5, .w = 6, .c = 3, .f = 4});
}
TEST_CASE("the coefficients of all transforms and their matrices are exact in float") {
  for (const way& by : ways)
    by.with_tile([]<class Tile>(Tile tile) {
      namespace wg = rp::kernels::winograd;
      const matrices m(tile);
      const auto exact = [](double got, double want) {
        CHECK(std::abs(got - want) <= 1e-14 * std::abs(want));
        CHECK(static_cast<double>(static_cast<float>(got)) == got);
      };
      for (int j = 0; j < Tile::pairs; ++j) {
        const auto plus = static_cast<std::size_t>(2 * j + 1);
        for (int i = 0; i < Tile::taps; ++i)
          exact(Tile::at_pair(j) * Tile::power(j, i), Tile::scale * m.g[plus][static_cast<std::size_t>(i)]);
        for (int i = 0; i < Tile::results; ++i) exact(Tile::power(j, i), m.a[plus][static_cast<std::size_t>(i)]);
        for (std::size_t k = 0; k < static_cast<std::size_t>(Tile::pairs); ++k)
          exact(Tile::product(j)[k], m.b[plus][2 * k + 2]);
      }
      exact(Tile::at_zero, Tile::scale * m.g[0][0]);
      for (std::size_t k = 0; k <= static_cast<std::size_t>(Tile::pairs); ++k) exact(Tile::product()[k], m.b[0][2 * k]);
    });
}
TEST_CASE("Winograd's errors are at most twice the errors of direct summation, and not larger for 2x2") {
  constexpr index_t edge = 14, f = 24;
  const double without_fma = tested::isa().unit.fma ? 0 : 0.2;  // transforms also round products
  for (const way& by : ways) {
    const index_t outputs = edge + 1 - by.taps;
    for (const index_t c : {16, 20, 24, 32, 48, 64, 128, 256, 512}) {
      forward_tiles pass{{.n = 1, .h = edge, .w = edge, .c = c, .f = f, .kh = by.taps, .kw = by.taps}};
      pass.biased = false;
      const double ratio = error_ratio(by, pass, [&](index_t i, const auto& add) {
        const index_t row = i / f / outputs, column = i / f % outputs;
        for (index_t tap = 0; tap < by.taps * by.taps; ++tap)
          for (index_t k = 0; k < c; ++k)
            add(((row + tap / by.taps) * edge + column + tap % by.taps) * c + k, (tap * c + k) * f + i % f);
      });
      MESSAGE(std::string_view(by.name()) << ", y of " << by.taps << "x" << by.taps << "x" << c << ": " << ratio);
      CHECK(ratio <= (by.results() == 2 && by.taps == 3 ? 1.0 : 2.0 + without_fma));
    }
    for (const index_t n : {16, 128}) {
      const backward_weights pass{{.n = n, .h = edge, .w = edge, .c = 16, .f = f, .kh = by.taps, .kw = by.taps}};
      const double ratio = error_ratio(by, pass, [&](index_t i, const auto& add) {
        const index_t k = i / f % 16, tap = i / f / 16;
        for (index_t pixel = 0; pixel < n * outputs * outputs; ++pixel) {
          const index_t image = pixel / outputs / outputs, row = pixel / outputs % outputs, column = pixel % outputs;
          add(((image * edge + row + tap / by.taps) * edge + column + tap % by.taps) * 16 + k, pixel * f + i % f);
        }
      });
      MESSAGE(std::string_view(by.name()) << ", dw of " << n << " images: " << ratio);
      CHECK(ratio <= 2.0);
    }
  }
}
TEST_CASE("a NaN spreads only within the tiles that read it") {
  for (const way& by : ways) {
    const index_t around = by.taps / 2, edge = by.results();
    const forward_tiles pass{{.n = 1,
                              .h = 12,
                              .w = 12,
                              .c = 3,
                              .f = 4,
                              .kh = by.taps,
                              .kw = by.taps,
                              .padding = {around, around, around, around}}};
    std::vector<operand> operands = pass.operands();
    operands[0].values[(5 * 12 + 5) * 3 + 1] = std::numeric_limits<double>::quiet_NaN();
    const auto want = by_definition(pass, operands);
    memory<float, std::vector<float>> got(operands,
                                          [](index_t n) { return std::vector<float>(static_cast<std::size_t>(n)); });
    execute(tested_cpu(1), pass.args(got.pointers, by.algorithm));
    const auto reads = [&](index_t i) {
      const index_t first = i / edge * edge - around;
      return first <= 5 && 5 < first + edge + by.taps - 1;
    };
    for (index_t i = 0; i < 12; ++i)
      for (index_t j = 0; j < 12; ++j) {
        const auto at = static_cast<std::size_t>((i * 12 + j) * 4);
        if (std::isnan(want[3][at])) CHECK(std::isnan(got.vectors[3][at]));
        if (!reads(i) || !reads(j)) CHECK(!std::isnan(got.vectors[3][at]));
      }
  }
}
TEST_CASE("the reported FLOP of Winograd's convolutions are exact, transforms included") {
  constexpr index_t c = 96;  // full registers and panels on every instruction set
  const rp::conv2d_geometry g{.n = 2, .h = 8, .w = 8, .c = c, .f = c, .kh = 3, .kw = 3, .padding = {1, 1, 1, 1}};
  const float some[1] = {};
  const auto executed = [](auto a, conv_algorithm algorithm, const rp::prepare_options& options = {}) {
    a.algorithm = algorithm;
    const rp::work all = prepare(tested_cpu(1), a, options).info.executed;
    CHECK(all.bytes == receipt(a).bytes);
    CHECK(receipt(a).matrix_flop == 21'233'664);
    return std::array{all.matrix_flop, all.flop - all.matrix_flop};
  };
  using flop = std::array<std::uint64_t, 2>;  // FLOP of products, of transforms
  const rp::conv2d_args<float> forward{.geometry = g, .x = some, .w = some, .y = nullptr};
  const rp::conv2d_backward_data_args<float> data{.geometry = g, .dy = some, .w = some, .dx = nullptr};
  const rp::conv2d_backward_weights_args<float> weights{.geometry = g, .x = some, .dy = some, .dw = nullptr};
  const rp::prepare_options constant{.constant = some, .constant_bytes = 4};
  // 8 tiles of 36 points: a quarter of the products. Per channel and tile, an input takes 288 FLOP, a result 180, a
  // gradient 160. Per channel and filter, the transform takes 144 FLOP, its transpose 162.
  constexpr std::uint64_t products = 5'308'416, of_filter = 1'327'104;
  CHECK(executed(forward, conv_algorithm::winograd_4x4) == flop{products, 1'686'528});
  CHECK(executed(forward, conv_algorithm::winograd_4x4, constant) == flop{products, 1'686'528 - of_filter});
  CHECK(executed(data, conv_algorithm::winograd_4x4) == flop{products, 1'686'528});
  CHECK(executed(weights, conv_algorithm::winograd_4x4) == flop{products, 1'837'056});
  // 32 tiles of 16 points: 64 and 36 FLOP, and 63 per filter.
  CHECK(executed(forward, conv_algorithm::winograd_2x2) == flop{9'437'184, 887'808});
}
TEST_CASE("an algorithm can be automatic, forced or forbidden") {
  const tested_cpu on(1);
  const auto chosen = [&](const auto& args) { return std::string_view(prepare(on, args, {}).info.algorithm); };
  rp::conv2d_args<float> a{
      .geometry = {.n = 1, .h = 28, .w = 28, .c = 64, .f = 64, .kh = 3, .kw = 3, .padding = {1, 1, 1, 1}}};
  CHECK(chosen(a).starts_with("winograd"));  // the tile and the exact algorithm depend on the caches
  const auto is_exact = [](std::string_view way) { return way == "segments" || way == "patches" || way == "dots"; };
  a.algorithm = conv_algorithm::exact;
  CHECK(is_exact(chosen(a)));
  a.algorithm = conv_algorithm::patches;
  CHECK(chosen(a) == "patches");
  a.algorithm = conv_algorithm::segments;
  CHECK(chosen(a) == "segments");
  a.algorithm = conv_algorithm::automatic;
  a.geometry.c = 3;
  CHECK(is_exact(chosen(a)));
  a.algorithm = conv_algorithm::winograd;
  CHECK(chosen(a) == "winograd 4x4");
  a.algorithm = conv_algorithm::winograd_2x2;
  CHECK(chosen(a) == "winograd 2x2");
  a.algorithm = conv_algorithm::winograd;
  a.geometry.h = a.geometry.w = 2;
  CHECK(chosen(a) == "winograd 2x2");
  a.geometry.h = a.geometry.w = 28;
  a.geometry.stride = 2;
  CHECK_THROWS_WITH_AS(static_cast<void>(prepare(on, a, {})),
                       "conv2d: 1x28x28x3 * 3x3x3x64 /2 of 4 bytes an element; Winograd needs 3x3 taps of float, or "
                       "5x5 for 2x2 results, stride and dilation 1",
                       rp::unsupported);
  CHECK_THROWS_AS(execute(on, a), rp::unsupported);
  a.geometry.stride = 1, a.geometry.kh = a.geometry.kw = 5;
  CHECK(chosen(a) == "winograd 2x2");
  a.algorithm = conv_algorithm::winograd_4x4;
  CHECK_THROWS_AS(static_cast<void>(prepare(on, a, {})), rp::unsupported);
  a.geometry.kw = 3;
  a.algorithm = conv_algorithm::winograd_2x2;
  CHECK_THROWS_AS(static_cast<void>(prepare(on, a, {})), rp::unsupported);
  const rp::conv2d_args<double> d{.geometry = {.n = 1, .h = 28, .w = 28, .c = 64, .f = 64, .kh = 3, .kw = 3},
                                  .algorithm = conv_algorithm::winograd};
  CHECK_THROWS_AS(static_cast<void>(prepare(on, d, {})), rp::unsupported);
}
