// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/core/layouts.hpp>
#include <ridgepoint/onednn/recurrent.hpp>
#include <ridgepoint/onednn/recurrent_layers.hpp>

#include "tensors.hpp"

namespace rp = ridgepoint;
namespace dnn = rp::onednn_detail;

TEST_CASE("exchanging gates twice is the identity") {
  const float rows[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  float once[12], twice[12];
  dnn::exchange_gates(rows, once, 2, 2);
  CHECK(once[0] == 3);
  CHECK(once[2] == 1);
  CHECK(once[4] == 5);
  CHECK(once[6] == 9);
  dnn::exchange_gates(once, twice, 2, 2);
  CHECK(std::equal(rows, rows + 12, twice));
}

TEST_CASE("the backend converts gates and biases to oneDNN's order like core/layouts.hpp") {
  constexpr rp::index_t rows = 3, u = 5;
  const test::tensor<float> w = test::values(rows * 3 * u, 1), b = test::values(3 * u, 2), rb = test::values(3 * u, 3);
  rp::tensor<float> ours({rows, 3 * u}), theirs({rows, 3 * u}), bias({3 * u}), recurrent({3 * u}), four({4 * u});
  std::copy_n(w.data(), w.size(), ours.data());
  std::copy_n(b.data(), b.size(), bias.data());
  std::copy_n(rb.data(), rb.size(), recurrent.data());
  std::vector<float> exchanged(static_cast<std::size_t>(rows * 3 * u)), biases(4 * u);
  dnn::exchange_gates(ours.data(), exchanged.data(), rows, u);
  rp::recurrent_weights_to(rp::recurrent_layout::onednn, rp::recurrent_cell::gru, ours, theirs);
  CHECK(std::equal(theirs.begin(), theirs.end(), exchanged.begin()));
  dnn::lbr_gru_cell::bias_of(u, bias.data(), recurrent.data(), biases.data());
  rp::reset_after_biases_to_onednn(bias, recurrent, four);
  CHECK(std::equal(four.begin(), four.end(), biases.begin()));
}

TEST_CASE("a bias is recovered from the most informative row, and saturated values stay saturated") {
  const auto value_of = [](auto inverse, float argument) {
    return std::same_as<decltype(inverse), dnn::inverse_tanh> ? std::tanh(argument) : dnn::sigmoid_of(argument);
  };
  const auto check = [&](auto inverse) {
    for (const float bias : {0.0F, 0.7F, -3.0F, 12.0F, 40.0F, -150.0F, 1000.0F}) {
      CAPTURE(bias);
      const float sums[] = {15.0F, 6.0F, -2.0F, 90.0F, 5.0F, -90.0F, 0.5F};
      float values[7];
      for (int i = 0; i < 7; ++i) values[i] = value_of(inverse, sums[i] + bias);
      const float got = dnn::bias_of_column(inverse, 7, sums, 1, values, 1);
      for (int i = 0; i < 7; ++i)
        CHECK(std::abs(value_of(inverse, sums[i] + got) - values[i]) <= 4 * std::numeric_limits<float>::epsilon());
    }
  };
  check(dnn::inverse_sigmoid());
  check(dnn::inverse_tanh());
  const float sums[] = {300.0F, -50.0F, 190.0F}, values[] = {1, 0, 1}, signs[] = {1, -1, 1};  // every row is saturated
  const float kept = dnn::bias_of_column(dnn::inverse_sigmoid(), 3, sums, 1, values, 1);
  const float kept_signs = dnn::bias_of_column(dnn::inverse_tanh(), 3, sums, 1, signs, 1);
  for (int i = 0; i < 3; ++i) {
    CHECK(dnn::sigmoid_of(sums[i] + kept) == values[i]);
    CHECK(std::tanh(sums[i] + kept_signs) == signs[i]);
  }
}
