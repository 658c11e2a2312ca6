// SPDX-License-Identifier: MIT
#pragma once

#include "map_problem.hpp"

namespace peer {

/// What an op of map_problem computes and moves.
[[nodiscard]] inline ridgepoint::work map_receipt(const std::string& op, ridgepoint::index_t rows,
                                                  ridgepoint::index_t cols) {
  namespace rp = ridgepoint;
  if (op == "softmax") return rp::softmax_work<float>(rows, cols);
  if (op == "softmax_cross_entropy") return rp::softmax_cross_entropy_work<float>(rows, cols, {.gradient = true});
  if (is_optimiser(op)) return with_update(op, {.size = rows * cols}, [](const auto& args) { return receipt(args); });
  // exp is one special per element, as the sigmoid is
  return rp::activate_work<float>(op == "exp" ? rp::activation::sigmoid : activation_named(op), rows * cols);
}

}  // namespace peer
