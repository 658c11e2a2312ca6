// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include <ridgepoint/graph/trainer.hpp>
#include <ridgepoint/reference/all.hpp>

/// Checks that the recurrent weights of three layers of 256 units and `columns` columns, "rnn_1.wh" if `cell` is "rnn",
/// start with orthonormal rows.
template <class Model>
void check_orthonormal_start(const std::string& cell, ridgepoint::index_t columns) {
  ridgepoint::graph net("digits");
  const ridgepoint::node logits = Model::build(net);
  auto trainer = net.train<float>(ridgepoint::reference, logits, typename Model::loss{}, typename Model::optimiser{},
                                  {.batch = 1});
  for (const char* number : {"_1.wh", "_2.wh", "_3.wh"}) {
    const std::string layer = cell + number;
    CAPTURE(layer);
    const ridgepoint::tensor<float> w = trainer.parameter(layer);
    REQUIRE(w.size() == 256 * columns);
    for (const ridgepoint::index_t other : {0, 1, 255}) {
      double product = 0;
      for (ridgepoint::index_t j = 0; j < columns; ++j) product += double(w[j]) * double(w[other * columns + j]);
      CHECK(std::abs(product - (other == 0 ? 1 : 0)) < 1e-5);
    }
  }
}
