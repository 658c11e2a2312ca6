// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/onednn/recurrent.hpp>
#include <ridgepoint/ops/prepare.hpp>
#include <ridgepoint/reference/recurrent.hpp>

#include "tensors.hpp"

namespace test {

using ridgepoint::sequence_view;

/// Recurrent layer with its present operands and requested results.
struct recurrent_case {
  index_t steps, n, in, units;
  bool biased = true, h0 = true, y = true, last = true, dy = true, dlast = true, dx = true, dh0 = true;
  bool sample_major = false, y_sample_major = false;
  double largest_bias = 1;
};

/// Shapes with each extent equal to one, around oneDNN's vector width, and multiples of it.
inline const std::vector<recurrent_case> recurrent_shapes{{1, 1, 1, 1},   {1, 3, 5, 7},   {5, 1, 4, 8},
                                                          {4, 3, 1, 6},   {6, 5, 9, 1},   {3, 4, 33, 20},
                                                          {7, 2, 16, 16}, {5, 17, 24, 40}};

/// Returns a usual case, and copies that each change one option.
inline std::vector<recurrent_case> recurrent_variants() {
  const recurrent_case usual{4, 3, 6, 10};
  std::vector<recurrent_case> all(15, usual);
  all[0].biased = false;
  all[1].h0 = false;
  all[2].y = false;
  all[3].last = false;
  all[4].dy = false;
  all[5].dlast = false;
  all[6].dx = false;
  all[7].dh0 = false;
  all[8].sample_major = true;
  all[9].sample_major = true, all[9].h0 = all[9].dh0 = all[9].dx = false;
  all[10].h0 = all[10].dh0 = all[10].dlast = all[10].last = false;
  all[11].h0 = all[11].dy = all[11].biased = false;
  all[12].largest_bias = 60;  // saturates the gates
  all[13].y_sample_major = true;
  return all;
}

/// Returns a sequence (steps, n, width) with its values in either order.
template <class T>
[[nodiscard]] sequence_view<T> sequence(T* data, const recurrent_case& c, index_t width) {
  return c.sample_major || (c.y_sample_major && width == c.units)
             ? sequence_view<T>::sample_major(data, c.steps, c.n, width)
             : sequence_view<T>::time_major(data, c.steps, c.n, width);
}

/// Inputs of a layer. Weights are so small that a step does not amplify errors, gradients so small that they stay
/// around one.
struct recurrent_values {
  tensor<float> x, wx, wh, bias, recurrent_bias, h0, c0, dy, dlast, dlast_c;

  recurrent_values(const recurrent_case& c, index_t gates)
      : x(values(c.steps * c.n * c.in, 1)),
        wx(values(c.in * gates * c.units, 2, -1.0 / static_cast<double>(c.in + c.units),
                  1.0 / static_cast<double>(c.in + c.units))),
        wh(values(c.units * gates * c.units, 3, -1.0 / static_cast<double>(c.in + c.units),
                  1.0 / static_cast<double>(c.in + c.units))),
        bias(values(gates * c.units, 4, -c.largest_bias, c.largest_bias)),
        recurrent_bias(values(gates * c.units, 5)),
        h0(values(c.n * c.units, 6)),
        c0(values(c.n * c.units, 7)),
        dy(values(c.steps * c.n * c.units, 8, -1.0 / static_cast<double>(c.steps), 1.0 / static_cast<double>(c.steps))),
        dlast(values(c.n * c.units, 9)),
        dlast_c(values(c.n * c.units, 10)) {}
};
struct recurrent_results {
  tensor<float> y, last, last_c, c, gates, dx, dwx, dwh, db, drecurrent_bias, dh0, dc0;

  recurrent_results(const recurrent_case& of, index_t columns, index_t kept)
      : y(unwritten(of.steps * of.n * of.units)),
        last(unwritten(of.n * of.units)),
        last_c(last),
        c(y),
        gates(unwritten(of.steps * of.n * of.units * std::max<index_t>(kept, 1))),
        dx(unwritten(of.steps * of.n * of.in)),
        dwx(unwritten(of.in * columns * of.units)),
        dwh(unwritten(of.units * columns * of.units)),
        db(unwritten(columns * of.units)),
        drecurrent_bias(db),
        dh0(last),
        dc0(last) {}
};

/// Returns the operands of every cell; absent and unrequested ones are null.
[[nodiscard]] inline ridgepoint::recurrent<float> forward_operands(const recurrent_case& c, const recurrent_values& v,
                                                                   recurrent_results& r) {
  return {.x = sequence(v.x.data(), c, c.in),
          .wx = v.wx.data(),
          .wh = v.wh.data(),
          .bias = c.biased ? v.bias.data() : nullptr,
          .h0 = c.h0 ? v.h0.data() : nullptr,
          .y = sequence(c.y ? r.y.data() : nullptr, c, c.units),
          .last = c.last || !c.y ? r.last.data() : nullptr};
}
/// Takes the saved results of the forward pass in `kept`.
[[nodiscard]] inline ridgepoint::recurrent_backward<float> backward_operands(const recurrent_case& c,
                                                                             const recurrent_values& v,
                                                                             const recurrent_results& kept,
                                                                             recurrent_results& r) {
  return {.x = sequence(v.x.data(), c, c.in),
          .wx = v.wx.data(),
          .wh = v.wh.data(),
          .h0 = c.h0 ? v.h0.data() : nullptr,
          .y = sequence(kept.y.data(), c, c.units),
          .dy = sequence(c.dy ? v.dy.data() : nullptr, c, c.units),
          .dlast = c.dlast || !c.dy ? v.dlast.data() : nullptr,
          .dx = sequence(c.dx ? r.dx.data() : nullptr, c, c.in),
          .dwx = r.dwx.data(),
          .dwh = r.dwh.data(),
          .db = c.biased ? r.db.data() : nullptr,
          .dh0 = c.dh0 ? r.dh0.data() : nullptr};
}

/// Checks both passes by oneDNN and by definition, and their receipts. `Cell` provides the arguments: forward(case,
/// values, results), backward(case, values, kept, results), gates and kept.
template <class Cell>
void check_recurrent(const ridgepoint::onednn& on, const recurrent_case& c, const Cell& cell) {
  const std::string what = ridgepoint::concat(c.steps, 'x', c.n, 'x', c.in, " -> ", c.units);
  CAPTURE(what);
  CAPTURE(c.biased);
  CAPTURE(c.h0);
  CAPTURE(c.y);
  CAPTURE(c.last);
  CAPTURE(c.dy);
  CAPTURE(c.dlast);
  CAPTURE(c.dx);
  CAPTURE(c.dh0);
  CAPTURE(c.sample_major);
  CAPTURE(c.y_sample_major);
  CAPTURE(c.largest_bias);
  namespace rp = ridgepoint;
  const recurrent_values v(c, cell.gates);
  recurrent_results got(c, cell.gates, cell.kept), expected = got, kept = got;
  const auto forward = [&](const auto& where, const recurrent_case& of, recurrent_results& r) {
    const auto args = cell.forward(of, v, r);
    CHECK(rp::run(where, args) == receipt(args));
  };
  const auto backward = [&](const auto& where, recurrent_results& r) {
    const auto args = cell.backward(c, v, kept, r);
    CHECK(rp::run(where, args) == receipt(args));
  };
  forward(on, c, got);
  forward(rp::reference, c, expected);
  recurrent_case all = c;
  all.y = true;
  forward(rp::reference, all, kept);
  backward(on, got);
  backward(rp::reference, expected);

  // Error of one step: oneDNN's functions, and sums of magnitudes up to one plus a bias. Errors propagate to later
  // steps.
  const auto steps = static_cast<double>(c.steps), rows = steps * static_cast<double>(c.n);
  const double step = special_error + gamma(c.in + c.units + 4) * (2 + c.largest_bias), error = 2 * steps * step;
  const auto within = [](const char* name, const tensor<float>& a, const tensor<float>& b, double bound) {
    tensor<float> both = a;  // unrequested values are NaN in both
    for (index_t i = 0; i < a.size(); ++i)
      if (std::isnan(a[i]) && std::isnan(b[i])) both[i] = 0;
    tensor<float> other = b;
    for (index_t i = 0; i < a.size(); ++i)
      if (std::isnan(a[i]) && std::isnan(b[i])) other[i] = 0;
    check_within(name, both, other, [=](index_t) { return bound; });
  };
  within("y", got.y, expected.y, error);
  within("last", got.last, expected.last, error);
  within("c", got.c, expected.c, 4 * error);  // |c| reaches 4 and more
  within("last_c", got.last_c, expected.last_c, 4 * error);
  within("gates", got.gates, expected.gates, error);
  const double gradient = 4 * error;
  within("dx", got.dx, expected.dx, gradient);
  within("dh0", got.dh0, expected.dh0, gradient);
  within("dc0", got.dc0, expected.dc0, gradient);
  within("dwx", got.dwx, expected.dwx, rows * gradient);
  within("dwh", got.dwh, expected.dwh, rows * gradient);
  within("db", got.db, expected.db, rows * gradient);
  within("drecurrent_bias", got.drecurrent_bias, expected.drecurrent_bias, rows * gradient);
}
template <class Cell>
void check_recurrent_cases(const Cell& cell) {
  static const ridgepoint::onednn on(1);
  for (const recurrent_case& c : recurrent_shapes) check_recurrent(on, c, cell);
  for (const recurrent_case& c : recurrent_variants()) check_recurrent(on, c, cell);
}

/// Checks an empty batch: it writes nothing except zero gradients.
template <class Cell>
void check_empty_batch(const Cell& cell) {
  const ridgepoint::onednn on(1);
  const recurrent_case none{.steps = 2, .n = 0, .in = 3, .units = 2}, some{.steps = 2, .n = 1, .in = 3, .units = 2};
  const recurrent_values v(some, cell.gates);
  recurrent_results r(some, cell.gates, cell.kept);
  ridgepoint::run(on, cell.forward(none, v, r));
  ridgepoint::run(on, cell.backward(none, v, r, r));
  CHECK(std::isnan(r.y[0]));
  CHECK(std::isnan(r.dx[0]));
  for (const tensor<float>* sum : {&r.dwx, &r.dwh, &r.db})
    for (index_t i = 0; i < sum->size(); ++i) CHECK((*sum)[i] == 0);
}

/// Checks that prepared calls write nothing before they run, then the same as plain calls, and report the work done in
/// addition to oneDNN's primitive.
template <class Cell>
void check_prepared_calls(const Cell& cell) {
  const ridgepoint::onednn on(1);
  const recurrent_case c{.steps = 3, .n = 4, .in = 20, .units = 16};
  const recurrent_values v(c, cell.gates);
  recurrent_results r(c, cell.gates, cell.kept), plain = r;
  const ridgepoint::prepared forward(on, cell.forward(c, v, r));
  CHECK(std::isnan(r.y[0]));
  CHECK(std::string(forward.info().algorithm).find(", then products for what the backward pass needs") !=
        (cell.kept > 0 ? std::string::npos : 0));
  CHECK(forward.info().executed == receipt(forward.args()));
  forward.run();
  ridgepoint::run(on, cell.forward(c, v, plain));
  CHECK(std::equal(r.y.data(), r.y.data() + r.y.size(), plain.y.data()));
  const ridgepoint::prepared backward(on, cell.backward(c, v, r, r));
  CHECK(std::isnan(r.dwx[0]));
  CHECK(std::string(backward.info().algorithm).ends_with(" after a forward pass of its own"));
  backward.run();
  backward.run();  // sums do not accumulate
  ridgepoint::run(on, cell.backward(c, v, plain, plain));
  CHECK(std::equal(r.dwx.data(), r.dwx.data() + r.dwx.size(), plain.dwx.data()));
}

}  // namespace test
