// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/onednn/recurrent_sums.hpp>

#include "tensors.hpp"

namespace rp = ridgepoint;
namespace dnn = rp::onednn_detail;

TEST_CASE("exchanging gates twice gives what was") {
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

TEST_CASE("a bias is told by the row that tells most of it, and keeps at their ends those that tell nothing") {
  const auto value_of = [](auto inverse, float argument) {
    return std::same_as<decltype(inverse), dnn::inverse_tanh> ? std::tanh(argument) : dnn::sigmoid_of(argument);
  };
  const auto check = [&](auto inverse) {
    for (const float bias : {0.0F, 0.7F, -3.0F, 12.0F, 40.0F, -150.0F, 1000.0F}) {
      CAPTURE(bias);
      const float sums[] = {0.5F, -2.0F, 90.0F, 5.0F, -90.0F};
      float values[5];
      for (int i = 0; i < 5; ++i) values[i] = value_of(inverse, sums[i] + bias);
      const float got = dnn::bias_of_column(inverse, 5, sums, 1, values, 1);
      for (int i = 0; i < 5; ++i)
        CHECK(std::abs(value_of(inverse, sums[i] + got) - values[i]) <= 4 * std::numeric_limits<float>::epsilon());
    }
  };
  check(dnn::inverse_sigmoid());
  check(dnn::inverse_tanh());
}
