// SPDX-License-Identifier: MIT
// Winograd's algorithm against the definition in double, within bounds that follow from its transforms.
#include <ridgepoint/cpu/conv2d.hpp>
#include <ridgepoint/cpu/conv2d_winograd.hpp>
#include <ridgepoint/cpu/conv2d_winograd_weights.hpp>

#include <string_view>

#include "support/agreement.hpp"
#include "support/run_prepared.hpp"

namespace rp = ridgepoint;
using namespace agreement;
using rp::conv_algorithm;

namespace {

/// |fl(y) − y| ≤ γ(n + 24)·n·K·max|x|·max|w|: n products are summed, and a value passes at most 24 more roundings, 3+3
/// of Bᵀ, 4 + 4 of G and its entries, 5 + 5 of Aᵀ. K is k² with k = max_i Σ_p |Aᵀ(i, p)|·‖G(p)‖₁·‖Bᵀ(p)‖₁ = 23.8. For
/// the gradient for the filter, of Cᵀ, A and Bᵀ, k = 28.3.
constexpr double image_condition = 23.8 * 23.8, filter_condition = 28.3 * 28.3;

double bound(index_t n, double condition) { return gamma<float>(n + 24) * static_cast<double>(n) * condition * 2 * 2; }

/// The passes as agree() has them: of operands p, the last the results.
struct forward {
  rp::conv2d_geometry g;
  rp::activation act = rp::activation::none;
  bool biased = true;
  [[nodiscard]] std::vector<operand> operands() const {
    return {random_values<float>(g.input_size(), 1), random_values<float>(g.filter_size(), 2),
            random_values<float>(g.f, 3), output(g.output_size())};
  }
  [[nodiscard]] double error() const { return bound(g.c, image_condition) + 8 * 0x1p-24 * special_ulp; }
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
  [[nodiscard]] double error() const { return bound(g.f, image_condition); }
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
  [[nodiscard]] double error() const {
    const index_t tiles = g.n * rp::ceil_div(g.oh(), 4) * rp::ceil_div(g.ow(), 4);
    return bound(tiles, filter_condition) + gamma<float>(g.n * g.oh() * g.ow()) * 4 * double(g.n * g.oh() * g.ow());
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

/// A pass by Winograd's algorithm: within its bound, and the same bits for any number of threads, wherever its operands
/// lie, prepared or not, the filter constant or not.
template <class Pass>
void agree_on(const Pass& pass) {
  const std::string what = to_string(pass.g);
  CAPTURE(what);
  CAPTURE(pass.g.padding.top);
  CAPTURE(pass.g.padding.left);
  const std::vector<operand> operands = pass.operands();
  const auto want = by_definition(pass, operands);
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
      execute(rp::native_cpu(threads), pass.args(got.pointers, conv_algorithm::winograd));
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
        CHECK(worst <= pass.error());
      }
      compare(got);
      for (const bool constant : {false, true}) {
        memory<float, guarded_vector<float>> prepared(operands, make);
        const auto args = pass.args(prepared.pointers, conv_algorithm::winograd);
        const rp::prepare_options options{.constant = constant ? prepared.pointers[1] : nullptr,
                                          .constant_bytes = static_cast<std::size_t>(pass.g.filter_size()) * 4};
        const rp::native_cpu on(threads);
        const rp::conv2d_prepared made = prepare(on, args, options);
        run_prepared(on, made, args);
        CHECK(std::string_view(made.told.algorithm) == "winograd 4x4");
        if (!std::is_same_v<Pass, backward_weights>) CHECK((made.told.constant_bytes > 0) == constant);
        compare(prepared);
      }
    }
}
void agree_on_passes(const rp::conv2d_geometry& g) {
  agree_on(forward{g});
  agree_on(backward_data{g});
  agree_on(backward_weights{g});
}

[[nodiscard]] double rms_error(const std::vector<float>& got, const std::vector<double>& want) {
  double sum = 0, size = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double error = static_cast<double>(got[i]) - want[i];
    sum += error * error, size += want[i] * want[i];
  }
  return std::sqrt(sum / size);
}
/// RMS error of Winograd's algorithm relative to that of the same sums, added up in float one product after the other:
/// sum(i, add) calls add(x, w) for each product of result i.
template <class Pass, class Sum>
[[nodiscard]] double error_ratio(const Pass& pass, const Sum& sum) {
  const std::vector<operand> operands = pass.operands();
  const auto want = by_definition(pass, operands);
  memory<float, std::vector<float>> got(operands,
                                        [](index_t n) { return std::vector<float>(static_cast<std::size_t>(n)); });
  std::vector<float> direct(got.vectors.back().size());
  for (std::size_t i = 0; i < direct.size(); ++i)
    sum(static_cast<index_t>(i), [&](index_t x, index_t w) { direct[i] += got.pointers[0][x] * got.pointers[1][w]; });
  execute(rp::native_cpu(1), pass.args(got.pointers, conv_algorithm::winograd));
  return rms_error(got.vectors.back(), want.back()) / rms_error(direct, want.back());
}

}  // namespace

TEST_CASE("Winograd's convolutions agree with their definitions: whole and cut tiles") {
  for (const index_t h : {1, 2, 3, 4, 5, 8, 9})
    for (const index_t w : {1, 4, 6, 9})
      for (const rp::padding2d& padding :
           {rp::padding2d{1, 1, 1, 1}, rp::padding2d{2, 1, 0, 2}, rp::padding2d{0, 2, 3, 2}})
        agree_on_passes({.n = 1 + h % 3, .h = h, .w = w, .c = 5, .f = 3, .kh = 3, .kw = 3, .padding = padding});
  agree_on_passes({.n = 2, .h = 3, .w = 3, .c = 17, .f = 18, .kh = 3, .kw = 3});
  agree_on_passes({.n = 3, .h = 9, .w = 7, .c = 17, .f = 18, .kh = 3, .kw = 3});
}
TEST_CASE("Winograd's convolutions agree with their definitions: channels around a register and a panel") {
  constexpr index_t lanes = rp::simd::lanes<float>, panel = rp::kernels::panel_width<float>;
  for (const index_t c : {index_t{1}, lanes - 1, lanes, lanes + 1, panel, 2 * panel + 3})
    for (const index_t f : {index_t{1}, lanes - 1, lanes + 1, panel + 1, 3 * panel})
      if (c > 0 && f > 0)
        agree_on_passes({.n = 1, .h = 6, .w = 7, .c = c, .f = f, .kh = 3, .kw = 3, .padding = {1, 1, 1, 1}});
}
TEST_CASE("Winograd's convolutions agree with their definitions: parts and chunks of tiles") {
  agree_on_passes({.n = 1, .h = 130, .w = 126, .c = 4, .f = 5, .kh = 3, .kw = 3, .padding = {1, 1, 1, 1}});
  agree_on_passes({.n = 3, .h = 18, .w = 22, .c = 130, .f = 70, .kh = 3, .kw = 3, .padding = {1, 1, 1, 1}});
  agree_on_passes({.n = 2, .h = 7, .w = 7, .c = 260, .f = 150, .kh = 3, .kw = 3, .padding = {1, 1, 1, 1}});
}
TEST_CASE("Winograd's convolutions agree with their definitions: groups") {
  for (const index_t groups : {2, 3})
    for (const index_t c : {3, 16})
      agree_on_passes({.n = 2,
                       .h = 9,
                       .w = 10,
                       .c = groups * c,
                       .f = groups * 5,
                       .kh = 3,
                       .kw = 3,
                       .padding = {0, 1, 1, 0},
                       .groups = groups});
}
TEST_CASE("Winograd's convolution applies its activation") {
  for (const rp::activation act : {rp::activation::relu, rp::activation::relu6, rp::activation::leaky_relu,
                                   rp::activation::sigmoid, rp::activation::tanh})
    agree_on(forward{{.n = 2, .h = 5, .w = 6, .c = 3, .f = 18, .kh = 3, .kw = 3}, act});
}
TEST_CASE("an empty batch has an empty output, and gradients of zero, by Winograd's algorithm too") {
  agree_on_passes({.n = 0, .h = 5, .w = 6, .c = 3, .f = 4, .kh = 3, .kw = 3});
}
TEST_CASE(
    "Winograd's results are at most twice as far off as those of direct summation, 2.5 times where sums are short") {
  constexpr index_t edge = 10, outputs = edge - 2, f = 8;
  for (const index_t c : {16, 32, 64, 128, 256, 512}) {
    forward pass{{.n = 1, .h = edge, .w = edge, .c = c, .f = f, .kh = 3, .kw = 3}};
    pass.biased = false;
    const double ratio = error_ratio(pass, [&](index_t i, const auto& add) {
      const index_t row = i / f / outputs, column = i / f % outputs;
      for (index_t tap = 0; tap < 9; ++tap)
        for (index_t k = 0; k < c; ++k)
          add(((row + tap / 3) * edge + column + tap % 3) * c + k, (tap * c + k) * f + i % f);
    });
    MESSAGE("y of " << c << " channels: " << ratio);
    const double without_fma = rp::simd::native::fma ? 0 : 0.2;  // transforms round products too
    CHECK(ratio <= (c >= 64 ? 2.0 : 2.5) + without_fma);
  }
  for (const index_t n : {16, 128}) {
    const backward_weights pass{{.n = n, .h = edge, .w = edge, .c = 16, .f = f, .kh = 3, .kw = 3}};
    const double ratio = error_ratio(pass, [&](index_t i, const auto& add) {
      const index_t k = i / f % 16, tap = i / f / 16;
      for (index_t pixel = 0; pixel < n * outputs * outputs; ++pixel) {
        const index_t image = pixel / outputs / outputs, row = pixel / outputs % outputs, column = pixel % outputs;
        add(((image * edge + row + tap / 3) * edge + column + tap % 3) * 16 + k, pixel * f + i % f);
      }
    });
    MESSAGE("dw of " << n << " images: " << ratio);
    CHECK(ratio <= 2.0);
  }
}
TEST_CASE("a NaN spreads within the tiles that read it, and no further") {
  const forward pass{{.n = 1, .h = 12, .w = 12, .c = 3, .f = 4, .kh = 3, .kw = 3, .padding = {1, 1, 1, 1}}};
  std::vector<operand> operands = pass.operands();
  operands[0].values[(5 * 12 + 5) * 3 + 1] = std::numeric_limits<double>::quiet_NaN();
  const auto want = by_definition(pass, operands);
  memory<float, std::vector<float>> got(operands,
                                        [](index_t n) { return std::vector<float>(static_cast<std::size_t>(n)); });
  execute(rp::native_cpu(1), pass.args(got.pointers, conv_algorithm::winograd));
  for (index_t i = 0; i < 12; ++i)
    for (index_t j = 0; j < 12; ++j) {
      const auto at = static_cast<std::size_t>((i * 12 + j) * 4);
      if (std::isnan(want[3][at])) CHECK(std::isnan(got.vectors[3][at]));
      if (i / 4 != 1 || j / 4 != 1) CHECK(!std::isnan(got.vectors[3][at]));
    }
}
TEST_CASE("an algorithm is chosen, forced or forbidden") {
  const rp::native_cpu on(1);
  const auto chosen = [&](const auto& args) { return std::string_view(prepare(on, args).told.algorithm); };
  rp::conv2d_args<float> a{
      .geometry = {.n = 1, .h = 28, .w = 28, .c = 64, .f = 64, .kh = 3, .kw = 3, .padding = {1, 1, 1, 1}}};
  CHECK(chosen(a) == "winograd 4x4");
  const std::string_view exact = rp::kernels::replicates_a<float> ? "patches" : "segments";
  a.algorithm = conv_algorithm::exact;
  CHECK(chosen(a) == exact);
  a.algorithm = conv_algorithm::patches;
  CHECK(chosen(a) == "patches");
  a.algorithm = conv_algorithm::segments;
  CHECK(chosen(a) == "segments");
  a.algorithm = conv_algorithm::automatic;
  a.geometry.c = 3;
  CHECK(chosen(a) == exact);
  a.algorithm = conv_algorithm::winograd;
  CHECK(chosen(a) == "winograd 4x4");
  a.geometry.stride = 2;
  CHECK_THROWS_WITH_AS(static_cast<void>(prepare(on, a)),
                       "conv2d: 1x28x28x3 * 3x3x3x64 /2 of 4 bytes an element; Winograd needs 3x3 taps of float, "
                       "stride and dilation 1",
                       rp::unsupported);
  CHECK_THROWS_AS(execute(on, a), rp::unsupported);
  const rp::conv2d_args<double> d{.geometry = {.n = 1, .h = 28, .w = 28, .c = 64, .f = 64, .kh = 3, .kw = 3},
                                  .algorithm = conv_algorithm::winograd};
  CHECK_THROWS_AS(static_cast<void>(prepare(on, d)), rp::unsupported);
}
