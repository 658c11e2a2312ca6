// SPDX-License-Identifier: MIT
#include <ridgepoint/mxu/recurrent.hpp>

#include "mxu/backend.hpp"

namespace rp = ridgepoint;
using namespace agreement;

namespace {

struct layer_extents {
  index_t steps, n, in, u;
};
constexpr layer_extents cases[] = {{1, 1, 1, 1}, {3, 2, 5, 4}, {4, 5, 3, 6}, {2, 0, 3, 2}};

template <class T>
rp::sequence_view<T> sequence(T* data, const layer_extents& e, index_t width) {
  return rp::sequence_view<T>::sample_major(data, e.steps, e.n, width);
}

/// With given states, some steps are skipped.
rp::sequence_mask mask(const layer_extents& e, bool given) {
  static constexpr std::int32_t counts[] = {1, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 1};
  return given ? sequence(counts, e, 1) : rp::sequence_mask{};
}
/// Operands 0 to 6 of a forward pass: x, wx, wh, bias, h0, y, last.
std::vector<operand> forward_operands(const layer_extents& e, index_t gates) {
  const index_t columns = gates * e.u;
  return {random_values<float>(e.steps * e.n * e.in, 1, -1, 1),
          random_values<float>(e.in * columns, 2, -1, 1),
          random_values<float>(e.u * columns, 3, -1, 1),
          random_values<float>(columns, 4),
          random_values<float>(e.n * e.u, 5, -1, 1),
          output(e.steps * e.n * e.u),
          output(e.n * e.u)};
}
template <class S>
rp::recurrent<S> forward(const std::vector<S*>& p, const layer_extents& e, bool given) {
  return {.x = sequence<const S>(p[0], e, e.in),
          .wx = p[1],
          .wh = p[2],
          .bias = given ? p[3] : nullptr,
          .h0 = given ? p[4] : nullptr,
          .y = sequence(p[5], e, e.u),
          .last = p[6],
          .mask = mask(e, given)};
}
/// Operands 0 to 11 of a backward pass: x, wx, wh, h0, y, dy, dlast, dx, dwx, dwh, db, dh0.
std::vector<operand> backward_operands(const layer_extents& e, index_t gates) {
  const index_t columns = gates * e.u, states = e.n * e.u;
  return {random_values<float>(e.steps * e.n * e.in, 1, -1, 1),
          random_values<float>(e.in * columns, 2, -1, 1),
          random_values<float>(e.u * columns, 3, -1, 1),
          random_values<float>(states, 4, -1, 1),
          random_values<float>(e.steps * states, 5, 0.1, 0.9),
          random_values<float>(e.steps * states, 6, -1, 1),
          random_values<float>(states, 7, -1, 1),
          output(e.steps * e.n * e.in),
          output(e.in * columns),
          output(e.u * columns),
          output(columns),
          output(states)};
}
template <class S>
rp::recurrent_backward<S> backward(const std::vector<S*>& p, const layer_extents& e, bool given) {
  return {.x = sequence<const S>(p[0], e, e.in),
          .wx = p[1],
          .wh = p[2],
          .h0 = given ? p[3] : nullptr,
          .y = sequence<const S>(p[4], e, e.u),
          .dy = sequence<const S>(p[5], e, e.u),
          .dlast = given ? p[6] : nullptr,
          .dx = sequence(p[7], e, e.in),
          .dwx = p[8],
          .dwh = p[9],
          .db = p[10],
          .dh0 = p[11],
          .mask = mask(e, given)};
}
rp::activation gate_of(bool given) { return given ? rp::activation::hard_sigmoid : rp::activation::sigmoid; }
std::vector<operand> with(std::vector<operand> all, std::initializer_list<operand> more) {
  all.insert(all.end(), more);
  return all;
}

}  // namespace

TEST_CASE("rnn agrees with its definition") {
  for (const layer_extents& e : cases)
    for (const bool given : {true, false}) {
      agree<float>(mxu_backend::on_fp32, forward_operands(e, 1), [&](const auto& on, const auto& p, rp::step_state*) {
        using S = element_t<decltype(p)>;
        execute(on, rp::rnn_args<S>{forward<S>(p, e, given), rp::activation::relu});
      });
      agree<float>(mxu_backend::on_fp32, backward_operands(e, 1), [&](const auto& on, const auto& p, rp::step_state*) {
        using S = element_t<decltype(p)>;
        execute(on, rp::rnn_backward_args<S>{backward<S>(p, e, given), rp::activation::tanh});
      });
    }
}

TEST_CASE("lstm agrees with its definition") {
  for (const layer_extents& e : cases)
    for (const bool given : {true, false}) {
      const index_t cells = e.steps * e.n * e.u, states = e.n * e.u;
      agree<float>(mxu_backend::on_fp32,
                   with(forward_operands(e, 4),
                        {random_values<float>(states, 8, -1, 1), output(cells), output(4 * cells), output(states)}),
                   [&](const auto& on, const auto& p, rp::step_state*) {
                     using S = element_t<decltype(p)>;
                     execute(on, rp::lstm_args<S>{forward<S>(p, e, given), given ? p[7] : nullptr, p[8], p[9], p[10],
                                                  gate_of(given)});
                   });
      agree<float>(
          mxu_backend::on_fp32,
          with(backward_operands(e, 4), {random_values<float>(states, 8, -1, 1), random_values<float>(cells, 9, -1, 1),
                                         random_values<float>(4 * cells, 10, 0.1, 0.9), output(states),
                                         random_values<float>(states, 11, -1, 1)}),
          [&](const auto& on, const auto& p, rp::step_state*) {
            using S = element_t<decltype(p)>;
            execute(on, rp::lstm_backward_args<S>{backward<S>(p, e, given), given ? p[12] : nullptr, p[13], p[14],
                                                  p[15], p[16], gate_of(given)});
          });
    }
}

TEST_CASE("projected_lstm agrees with its definition") {
  for (const layer_extents& e : cases)
    for (const bool given : {true, false}) {
      const index_t p = e.u + 1, rows = e.steps * e.n, cells = rows * e.u, states = e.n * e.u;
      const std::vector<operand> weights{
          random_values<float>(rows * e.in, 1, -1, 1), random_values<float>(e.in * 4 * e.u, 2, -1, 1),
          random_values<float>(p * 4 * e.u, 3, -1, 1), random_values<float>(e.u * p, 4, -1, 1)};
      agree<float>(mxu_backend::on_fp32,
                   with(weights, {random_values<float>(4 * e.u, 5), random_values<float>(e.n * p, 6, -1, 1),
                                  random_values<float>(states, 7, -1, 1), output(rows * p), output(e.n * p),
                                  output(cells), output(4 * cells), output(cells), output(states)}),
                   [&](const auto& on, const auto& all, rp::step_state*) {
                     using S = element_t<decltype(all)>;
                     execute(on, rp::projected_lstm_args<S>{{.x = sequence<const S>(all[0], e, e.in),
                                                             .wx = all[1],
                                                             .wh = all[2],
                                                             .bias = given ? all[4] : nullptr,
                                                             .h0 = given ? all[5] : nullptr,
                                                             .y = sequence(all[7], e, p),
                                                             .last = all[8],
                                                             .mask = mask(e, given)},
                                                            e.u,
                                                            all[3],
                                                            given ? all[6] : nullptr,
                                                            all[9],
                                                            all[10],
                                                            all[11],
                                                            all[12],
                                                            gate_of(given)});
                   });
      agree<float>(
          mxu_backend::on_fp32,
          with(weights, {random_values<float>(e.n * p, 5, -1, 1), random_values<float>(states, 6, -1, 1),
                         random_values<float>(rows * p, 7, 0.1, 0.9), random_values<float>(rows * p, 8, -1, 1),
                         random_values<float>(e.n * p, 9, -1, 1), random_values<float>(cells, 10, -1, 1),
                         random_values<float>(4 * cells, 11, 0.1, 0.9), random_values<float>(cells, 12, -1, 1),
                         random_values<float>(states, 13, -1, 1), output(rows * e.in), output(e.in * 4 * e.u),
                         output(p * 4 * e.u), output(e.u * p), output(4 * e.u), output(e.n * p), output(states)}),
          [&](const auto& on, const auto& all, rp::step_state*) {
            using S = element_t<decltype(all)>;
            execute(on, rp::projected_lstm_backward_args<S>{{.x = sequence<const S>(all[0], e, e.in),
                                                             .wx = all[1],
                                                             .wh = all[2],
                                                             .h0 = given ? all[4] : nullptr,
                                                             .y = sequence<const S>(all[6], e, p),
                                                             .dy = sequence<const S>(all[7], e, p),
                                                             .dlast = given ? all[8] : nullptr,
                                                             .dx = sequence(all[13], e, e.in),
                                                             .dwx = all[14],
                                                             .dwh = all[15],
                                                             .db = all[17],
                                                             .dh0 = all[18],
                                                             .mask = mask(e, given)},
                                                            e.u,
                                                            all[3],
                                                            given ? all[5] : nullptr,
                                                            all[9],
                                                            all[10],
                                                            all[11],
                                                            all[16],
                                                            all[19],
                                                            all[12],
                                                            gate_of(given)});
          });
    }
}

TEST_CASE("gru agrees with its definition, reset before and after") {
  for (const layer_extents& e : cases)
    for (const rp::gru_reset reset : {rp::gru_reset::before, rp::gru_reset::after})
      for (const bool given : {true, false}) {
        const bool biased = given && reset == rp::gru_reset::after;
        const index_t kept = rp::gru_args<float>::saved(reset) * e.steps * e.n * e.u;
        agree<float>(
            mxu_backend::on_fp32, with(forward_operands(e, 3), {random_values<float>(3 * e.u, 8), output(kept)}),
            [&](const auto& on, const auto& p, rp::step_state*) {
              using S = element_t<decltype(p)>;
              execute(on,
                      rp::gru_args<S>{forward<S>(p, e, given), reset, biased ? p[7] : nullptr, p[8], gate_of(given)});
            });
        agree<float>(mxu_backend::on_fp32,
                     with(backward_operands(e, 3),
                          {random_values<float>(kept, 9, 0.1, 0.9), biased ? output(3 * e.u) : operand{}}),
                     [&](const auto& on, const auto& p, rp::step_state*) {
                       using S = element_t<decltype(p)>;
                       execute(on, rp::gru_backward_args<S>{backward<S>(p, e, given), reset, p[12],
                                                            biased ? p[13] : nullptr, gate_of(given)});
                     });
      }
}

TEST_CASE("bf16 rounds the operands of the cells' products, and nothing else") {
  // One step, one unit, h0 = 0: y = tanh(x·wx + bias) with wx = 1.00390625, which enters the array as 1.
  const float x = 1, wx = 1.00390625F, wh = 1, bias = 0.00390625F;
  float y = 0;
  rp::run(mxu_backend::small_mxu(rp::systolic::number_format::bf16),
          rp::rnn_args<float>{
              .operands = {.x = {&x, 1, 1, 1, 1, 1}, .wx = &wx, .wh = &wh, .bias = &bias, .y = {&y, 1, 1, 1, 1, 1}},
              .act = rp::activation::none});
  CHECK(y == 1 + bias);
}
