// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/onednn/onednn.hpp>
#include <ridgepoint/ops/conv2d.hpp>
#include <ridgepoint/reference/reference.hpp>

#include "tensors.hpp"

namespace test {

/// Options of a pass: bias or its gradient, residual and activation.
struct convolution_options {
  bool biased = true;
  ridgepoint::activation act = ridgepoint::activation::none;
  bool residual = false;
};

/// Three passes of conv2d() or depthwise_conv2d(), by oneDNN and by definition.
template <class Forward, class Data, class Weights, class Geometry>
void check_convolution(const ridgepoint::onednn& on, const Geometry& g, const convolution_options& options = {}) {
  const std::string what = to_string(g);
  CAPTURE(what);
  CAPTURE(g.padding.top);
  CAPTURE(g.padding.bottom);
  CAPTURE(g.padding.left);
  CAPTURE(g.padding.right);
  CAPTURE(options.biased);
  const index_t f = ridgepoint::detail::output_of(g)[3];
  struct given {
    tensor<float> x, w, bias, dy, residual;
  };
  struct results {
    tensor<float> y, dx, dw, db;
  };
  const auto run_all = [&](const auto& where, const given& in, ridgepoint::activation act) {
    results r{unwritten(g.output_size()), unwritten(g.input_size()), unwritten(g.filter_size()), unwritten(f)};
    Forward forward{.geometry = g, .x = in.x.data(), .w = in.w.data(), .y = r.y.data()};
    if constexpr (requires { forward.act; })
      forward.act = act, forward.slope = 0.25, forward.residual = options.residual ? in.residual.data() : nullptr;
    Weights weights{.geometry = g, .x = in.x.data(), .dy = in.dy.data(), .dw = r.dw.data()};
    if (options.biased) forward.bias = in.bias.data(), weights.db = r.db.data();
    const Data data{.geometry = g, .dy = in.dy.data(), .w = in.w.data(), .dx = r.dx.data()};
    CHECK(ridgepoint::run(where, forward) == receipt(forward));
    CHECK(ridgepoint::run(where, data) == receipt(data));
    CHECK(ridgepoint::run(where, weights) == receipt(weights));
    return r;
  };
  const given in{values(g.input_size(), 1), values(g.filter_size(), 2), values(f, 3), values(g.output_size(), 4),
                 values(g.output_size(), 5)};
  const given size{magnitudes(in.x), magnitudes(in.w), magnitudes(in.bias), magnitudes(in.dy), magnitudes(in.residual)};
  using ridgepoint::activation;
  const results got = run_all(on, in, options.act), expected = run_all(ridgepoint::reference, in, options.act),
                scale = run_all(ridgepoint::reference, size, activation::none);
  const bool special = options.act == activation::sigmoid || options.act == activation::tanh;
  const index_t outputs = g.n * g.oh() * g.ow();
  check_sums("y", got.y, expected.y, scale.y, g.filter_size() / f + 2, special ? special_error : 0);
  check_sums("dx", got.dx, expected.dx, scale.dx, g.filter_size() / g.c);
  check_sums("dw", got.dw, expected.dw, scale.dw, outputs);
  if (options.biased) check_sums("db", got.db, expected.db, scale.db, outputs);
}

}  // namespace test
