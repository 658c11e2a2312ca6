// SPDX-License-Identifier: MIT
// Checks the definitions of the recurrent layers against oneDNN's primitives, in f32.
#include <doctest/doctest.h>

#include <ridgepoint/onednn/primitive.hpp>
#include <ridgepoint/reference/recurrent.hpp>

#include "operands.hpp"
#include "support/random_tensor.hpp"

namespace rp = ridgepoint;
using dims = dnnl::memory::dims;
using tag = dnnl::memory::format_tag;
using rp::index_t;
using rp::tensor;

namespace {

constexpr index_t t = 5, n = 3, in = 6, u = 8;
constexpr double tolerance = t * test::special_error;  // errors propagate to later steps

/// Layer with `gates` gates, and its operands in oneDNN's layout.
struct layer {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  index_t gates;
  tensor<float> x, wx, wh, bias, h0, c0, y, y0;

  explicit layer(index_t gates_, index_t biases)
      : gates(gates_),
        x(values({t, n, in}, 1)),
        wx(values({in, gates * u}, 2)),
        wh(values({u, gates * u}, 3)),
        bias(values({biases * u}, 4)),
        h0(values({n, u}, 5)),
        c0(values({n, u}, 6)),
        y({t, n, u}),
        y0({t, n, u}) {}
  static tensor<float> values(const rp::shape& extents, std::uint64_t seed) {
    return random_tensor<float>(extents, seed, -0.5, 0.5);
  }
  [[nodiscard]] dnnl::memory memory(const dims& extents, tag layout, const tensor<float>& of) const {
    return {{extents, dnnl::memory::data_type::f32, layout}, engine, const_cast<float*>(of.data())};
  }
  [[nodiscard]] std::unordered_map<int, dnnl::memory> arguments(index_t biases) const {
    return {{DNNL_ARG_SRC_LAYER, memory({t, n, in}, tag::tnc, x)},
            {DNNL_ARG_SRC_ITER, memory({1, 1, n, u}, tag::ldnc, h0)},
            {DNNL_ARG_WEIGHTS_LAYER, memory({1, 1, in, gates, u}, tag::ldigo, wx)},
            {DNNL_ARG_WEIGHTS_ITER, memory({1, 1, u, gates, u}, tag::ldigo, wh)},
            {DNNL_ARG_BIAS, memory({1, 1, biases, u}, tag::ldgo, bias)},
            {DNNL_ARG_DST_LAYER, memory({t, n, u}, tag::tnc, y)}};
  }
  void run(const dnnl::primitive& primitive, const std::unordered_map<int, dnnl::memory>& with) const {
    dnnl::stream stream(engine);
    primitive.execute(stream, with);
    stream.wait();
  }
  [[nodiscard]] rp::recurrent<float> operands() {
    return {.x = rp::sequence_view<const float>::time_major(x.data(), t, n, in),
            .wx = wx.data(),
            .wh = wh.data(),
            .bias = bias.data(),
            .h0 = h0.data(),
            .y = rp::sequence_view<float>::time_major(y0.data(), t, n, u)};
  }
  void check_close() const {
    for (index_t i = 0; i < y.size(); ++i)
      CHECK(std::abs(static_cast<double>(y[i]) - static_cast<double>(y0[i])) <= tolerance);
  }
};
constexpr auto infer = dnnl::prop_kind::forward_inference;
constexpr auto forwards = dnnl::rnn_direction::unidirectional_left2right;

/// oneDNN's gates are z, r, n: ours with the first two blocks of every row exchanged.
tensor<float> with_z_first(const tensor<float>& of, index_t columns) {
  tensor<float> swapped = of;
  for (index_t row = 0; row < of.size() / columns; ++row)
    for (index_t j = 0; j < u; ++j) std::swap(swapped[row * columns + j], swapped[row * columns + u + j]);
  return swapped;
}

}  // namespace

TEST_CASE("rnn with tanh") {
  layer l(1, 1);
  auto with = l.arguments(1);
  const auto description = rp::onednn_detail::describe<dnnl::vanilla_rnn_forward>(
      l.engine, {}, infer, dnnl::algorithm::eltwise_tanh, forwards, with[DNNL_ARG_SRC_LAYER].get_desc(),
      with[DNNL_ARG_SRC_ITER].get_desc(), with[DNNL_ARG_WEIGHTS_LAYER].get_desc(),
      with[DNNL_ARG_WEIGHTS_ITER].get_desc(), with[DNNL_ARG_BIAS].get_desc(), with[DNNL_ARG_DST_LAYER].get_desc(),
      dnnl::memory::desc());
  l.run(dnnl::vanilla_rnn_forward(description), with);
  rp::run(rp::reference, rp::rnn_args<float>{.operands = l.operands()});
  l.check_close();
}

TEST_CASE("lstm with an initial state") {
  layer l(4, 4);
  auto with = l.arguments(4);
  with.emplace(DNNL_ARG_SRC_ITER_C, l.memory({1, 1, n, u}, tag::ldnc, l.c0));
  const auto description = rp::onednn_detail::describe<dnnl::lstm_forward>(
      l.engine, {}, infer, forwards, with[DNNL_ARG_SRC_LAYER].get_desc(), with[DNNL_ARG_SRC_ITER].get_desc(),
      with[DNNL_ARG_SRC_ITER_C].get_desc(), with[DNNL_ARG_WEIGHTS_LAYER].get_desc(),
      with[DNNL_ARG_WEIGHTS_ITER].get_desc(), with[DNNL_ARG_BIAS].get_desc(), with[DNNL_ARG_DST_LAYER].get_desc(),
      dnnl::memory::desc(), dnnl::memory::desc());
  l.run(dnnl::lstm_forward(description), with);
  rp::run(rp::reference, rp::lstm_args<float>{.operands = l.operands(), .c0 = l.c0.data()});
  l.check_close();
}

TEST_CASE("gru, reset before the product") {
  layer l(3, 3);
  const auto wx = with_z_first(l.wx, 3 * u), wh = with_z_first(l.wh, 3 * u), bias = with_z_first(l.bias, 3 * u);
  auto with = l.arguments(3);
  with[DNNL_ARG_WEIGHTS_LAYER] = l.memory({1, 1, in, 3, u}, tag::ldigo, wx);
  with[DNNL_ARG_WEIGHTS_ITER] = l.memory({1, 1, u, 3, u}, tag::ldigo, wh);
  with[DNNL_ARG_BIAS] = l.memory({1, 1, 3, u}, tag::ldgo, bias);
  const auto description = rp::onednn_detail::describe<dnnl::gru_forward>(
      l.engine, {}, infer, forwards, with[DNNL_ARG_SRC_LAYER].get_desc(), with[DNNL_ARG_SRC_ITER].get_desc(),
      with[DNNL_ARG_WEIGHTS_LAYER].get_desc(), with[DNNL_ARG_WEIGHTS_ITER].get_desc(), with[DNNL_ARG_BIAS].get_desc(),
      with[DNNL_ARG_DST_LAYER].get_desc(), dnnl::memory::desc());
  l.run(dnnl::gru_forward(description), with);
  rp::run(rp::reference, rp::gru_args<float>{.operands = l.operands()});
  l.check_close();
}

TEST_CASE("gru, reset after the product: the candidate has a bias for the input and one for the state") {
  layer l(3, 4);
  const auto wx = with_z_first(l.wx, 3 * u), wh = with_z_first(l.wh, 3 * u), bias = with_z_first(l.bias, 4 * u);
  tensor<float> recurrent({3 * u});  // zero for r and z, since oneDNN has one bias for these
  std::copy_n(l.bias.data() + 3 * u, u, recurrent.data() + 2 * u);
  auto with = l.arguments(4);
  with[DNNL_ARG_WEIGHTS_LAYER] = l.memory({1, 1, in, 3, u}, tag::ldigo, wx);
  with[DNNL_ARG_WEIGHTS_ITER] = l.memory({1, 1, u, 3, u}, tag::ldigo, wh);
  with[DNNL_ARG_BIAS] = l.memory({1, 1, 4, u}, tag::ldgo, bias);
  const auto description = rp::onednn_detail::describe<dnnl::lbr_gru_forward>(
      l.engine, {}, infer, forwards, with[DNNL_ARG_SRC_LAYER].get_desc(), with[DNNL_ARG_SRC_ITER].get_desc(),
      with[DNNL_ARG_WEIGHTS_LAYER].get_desc(), with[DNNL_ARG_WEIGHTS_ITER].get_desc(), with[DNNL_ARG_BIAS].get_desc(),
      with[DNNL_ARG_DST_LAYER].get_desc(), dnnl::memory::desc());
  l.run(dnnl::lbr_gru_forward(description), with);
  rp::run(
      rp::reference,
      rp::gru_args<float>{.operands = l.operands(), .reset = rp::gru_reset::after, .recurrent_bias = recurrent.data()});
  l.check_close();
}
