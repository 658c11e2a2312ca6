// SPDX-License-Identifier: MIT
#pragma once

#include "map_problem.hpp"

namespace peer {

/// Returns the receipt of an op of map_problem.
[[nodiscard]] inline ridgepoint::work map_receipt(const std::string& op, ridgepoint::index_t rows,
                                                  ridgepoint::index_t cols) {
  namespace rp = ridgepoint;
  if (op == "softmax") return rp::softmax_work<float>(rows, cols);
  if (op == "softmax_cross_entropy") return rp::softmax_cross_entropy_work<float>(rows, cols, {.gradient = true});
  if (is_optimiser(op)) return with_update(op, {.size = rows * cols}, [](const auto& args) { return receipt(args); });
  // exp counts one special function per element, like sigmoid
  return rp::activate_work<float>(op == "exp" ? rp::activation::sigmoid : activation_named(op), rows * cols);
}

}  // namespace peer
