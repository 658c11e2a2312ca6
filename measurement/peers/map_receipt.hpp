// SPDX-License-Identifier: MIT
#pragma once

#include "map_problem.hpp"

namespace peer {

/// Returns the receipt of an op of map_problem.
[[nodiscard]] inline ridgepoint::work map_receipt(const std::string& op, ridgepoint::index_t rows,
                                                  ridgepoint::index_t cols) {
  namespace rp = ridgepoint;
  float any = 0;  // an address, so that the gradient counts
  const rp::matrix_view<float> x(nullptr, rows, cols), gradient(&any, rows, cols);
  if (op == "softmax") return receipt(rp::softmax_args<float>{.x = x, .y = x});
  if (op == "softmax_cross_entropy")
    return receipt(rp::softmax_cross_entropy_args<float>{.logits = x, .dlogits = gradient});
  if (is_optimiser(op)) return with_update(op, {.size = rows * cols}, [](const auto& args) { return receipt(args); });
  // exp counts one special function per element, like sigmoid
  return receipt(
      rp::activate_args<float>{.f = op == "exp" ? rp::activation::sigmoid : activation_named(op), .size = rows * cols});
}

}  // namespace peer
