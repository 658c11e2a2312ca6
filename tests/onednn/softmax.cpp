// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/onednn/elementwise.hpp>
#include <ridgepoint/reference/losses.hpp>

#include "operands.hpp"

namespace rp = ridgepoint;
using rp::index_t;

TEST_CASE("softmax agrees with the definition, also in place") {
  const rp::onednn on(1);
  rp::random_stream random(1);
  for (const index_t rows : {0, 1, 5, 128})
    for (const index_t cols : {1, 10, 33})
      for (const index_t gap : {0, 3}) {
        CAPTURE(rows);
        CAPTURE(cols);
        CAPTURE(gap);
        test::matrix x(rows, cols, random, false, gap), y(rows, cols, random), y0(rows, cols, random);
        for (index_t i = 0; i < rows; ++i)
          for (index_t j = 0; j < cols; ++j) x.view()(i, j) *= 20;
        rp::softmax<float>(rp::reference, x.view(), y0.view());
        CHECK(rp::softmax<float>(on, x.view(), y.view()) ==
              receipt(rp::softmax_args<float>{.x = x.view(), .y = y.view()}));
        rp::softmax<float>(on, x.view(), x.view());
        for (index_t i = 0; i < rows; ++i)
          for (index_t j = 0; j < cols; ++j) {
            CHECK(std::abs(y.at(i, j) - y0.at(i, j)) <= test::gamma(cols) + test::special_error);
            CHECK(x.at(i, j) == y.at(i, j));
          }
      }
}
