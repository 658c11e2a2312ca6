// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/core/tensor.hpp>
#include <ridgepoint/ops/all.hpp>
#include <ridgepoint/reference/all.hpp>

#include "support/gradient.hpp"
#include "support/near.hpp"
#include "support/random_tensor.hpp"

/// Checks the backward pass of every op against finite differences in double. `weight` represents the rest of a
/// network: the
/// loss is Σ weight(i)·y(i), so dy = weight.
namespace rp = ridgepoint;
using rp::index_t;
using rp::reference;
using rp::tensor;

TEST_CASE("dense: the gradients for x, w and bias") {
  const index_t n = 4, in = 5, out = 3;
  auto x = random_tensor({n, in}, 1), w = random_tensor({in, out}, 2), bias = random_tensor({out}, 3);
  const auto weight = random_tensor({n, out}, 4);
  tensor<double> y({n, out}), dx({n, in}), dw({in, out}), db({out});
  const auto loss = [&] {
    rp::dense(reference, x, w, bias.data(), y);
    return dot(weight, y);
  };
  rp::dense_backward_data(reference, weight, w, dx);
  rp::dense_backward_weights(reference, x, weight, dw, db.data());
  check_gradient(x.values(), dx.values(), loss);
  check_gradient(w.values(), dw.values(), loss);
  check_gradient(bias.values(), db.values(), loss);
}

TEST_CASE("activations: the gradient outside kinks") {
  for (int number = 0; number < rp::activation_count; ++number) {
    const auto f = static_cast<rp::activation>(number);
    CAPTURE(to_string(f));
    auto x = random_tensor({40}, 5, -4, 4);
    for (double& value : x.values())
      for (const double kink : {0.0, 2.5, -2.5})
        if (std::abs(value - kink) < 1e-3) value += 0.01;
    const auto weight = random_tensor({40}, 6);
    tensor<double> y({40}), dx({40});
    const auto loss = [&] {
      rp::activate(reference, f, x.values(), y.values(), 0.2);
      return dot(weight, y);
    };
    static_cast<void>(loss());
    const auto& from = derives_from_input(f) ? x : y;
    rp::activate_backward(reference, f, from.values(), weight.values(), dx.values(), 0.2);
    check_gradient(x.values(), dx.values(), loss);
  }
}

TEST_CASE("add: both branches get the unchanged gradient") {
  auto a = random_tensor({20}, 7);
  const auto b = random_tensor({20}, 8), weight = random_tensor({20}, 9);
  tensor<double> y({20});
  check_gradient(a.values(), weight.values(), [&] {
    rp::add(reference, a.values(), b.values(), y.values());
    return dot(weight, y);
  });
}

TEST_CASE("dropout: its gradient uses the same mask") {
  auto x = random_tensor({300}, 10);
  const auto weight = random_tensor({300}, 11);
  tensor<double> y({300}), dx({300});
  const rp::step_state state{.step = 9};
  const rp::dropout_args<double> options{.rate = 0.4, .seed = 5, .stream = 2, .state = &state};
  rp::dropout(reference, weight.values(), dx.values(), options);
  check_gradient(x.values(), dx.values(), [&] {
    rp::dropout(reference, x.values(), y.values(), options);
    return dot(weight, y);
  });
}

TEST_CASE("dropout of sequences: every step of a sample uses the same mask") {
  constexpr rp::index_t samples = 3, steps = 4, width = 50;
  auto x = random_tensor({samples, steps, width}, 10);
  const auto weight = random_tensor({samples, steps, width}, 11);
  tensor<double> y({samples, steps, width}), dx({samples, steps, width});
  const rp::step_state state{.step = 9};
  const rp::dropout_args<double> options{
      .rate = 0.4, .seed = 5, .stream = 2, .state = &state, .steps = steps, .width = width};
  rp::dropout(reference, weight.values(), dx.values(), options);
  check_gradient(x.values(), dx.values(), [&] {
    rp::dropout(reference, x.values(), y.values(), options);
    return dot(weight, y);
  });
  rp::dropout(reference, x.values(), y.values(), options);
  const rp::dropout_mask mask(0.4, 5, 9, 2);
  for (rp::index_t i = 0; i < samples; ++i)
    for (rp::index_t t = 0; t < steps; ++t)
      for (rp::index_t j = 0; j < width; ++j)
        CHECK(y(i, t, j) == (mask.keeps(i * width + j) ? x(i, t, j) * mask.scale() : 0.0));
}

TEST_CASE("softmax cross-entropy: the gradient for the logits") {
  auto logits = random_tensor({5, 7}, 12);
  const std::int32_t labels[] = {0, 6, 3, 3, 1};
  tensor<double> dlogits({5, 7});
  rp::step_state state;
  rp::softmax_cross_entropy(reference, logits, labels, dlogits, &state);
  check_gradient(logits.values(), dlogits.values(), [&] {
    rp::softmax_cross_entropy<double>(reference, logits, labels, {}, &state);
    return state.loss;
  });
}

TEST_CASE("softmax cross-entropy equals softmax and the logarithm at the label") {
  const auto logits = random_tensor({3, 4}, 13);
  const std::int32_t labels[] = {2, 0, 3};
  tensor<double> p({3, 4}), dlogits({3, 4});
  rp::step_state state;
  rp::softmax(reference, logits, p);
  rp::softmax_cross_entropy(reference, logits, labels, dlogits, &state);
  double loss = 0;
  for (index_t i = 0; i < 3; ++i) {
    loss -= std::log(p.matrix()(i, labels[i])) / 3;
    for (index_t j = 0; j < 4; ++j)
      CHECK(dlogits.matrix()(i, j) == near((p.matrix()(i, j) - (j == labels[i] ? 1 : 0)) / 3, 1e-12));
  }
  CHECK(state.loss == near(loss, 1e-12));
}

TEST_CASE("mean squared error and binary cross-entropy: the gradient") {
  auto y = random_tensor({30}, 14);
  const auto target = random_tensor({30}, 15, 0, 1);
  tensor<double> dy({30});
  rp::step_state state;
  rp::mse_args<double> mse{.y = y.data(), .target = target.data(), .dy = dy.data(), .size = 30, .state = &state};
  rp::mse(reference, mse);
  mse.dy = nullptr;
  check_gradient(y.values(), dy.values(), [&] { return rp::mse(reference, mse), state.loss; });
  rp::binary_cross_entropy_args<double> bce{
      .y = y.data(), .target = target.data(), .dy = dy.data(), .size = 30, .state = &state};
  rp::binary_cross_entropy(reference, bce);
  bce.dy = nullptr;
  check_gradient(y.values(), dy.values(), [&] { return rp::binary_cross_entropy(reference, bce), state.loss; });
}
