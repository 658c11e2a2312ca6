// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>

#include <ridgepoint/ops/operands.hpp>
#include <ridgepoint/ops/step_state.hpp>

/// \file
/// What the optimisers share. Each updates the weights w from the gradient g and its own state vectors in one pass,
/// with the learning rate that lies in the step_state: `rate` in their formulas.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// A vector of an optimiser and what it is called.
template <scalar T>
struct named_vector {
  std::string_view name;
  const T* data;
};

/// Throws: shape_error where a vector is null or shares memory with another, or there is no step_state.
template <scalar T, std::size_t N>
void check_update(std::string_view op, index_t size, const step_state* state,
                  const std::array<named_vector<T>, N>& vectors) {
  require<shape_error>(state != nullptr, op, ": state is a null pointer; must point to a step_state");
  for (std::size_t i = 0; i < N; ++i) {
    check_vector(op, vectors[i].name, vectors[i].data, size);
    for (std::size_t j = 0; j < i; ++j)
      check_apart(op, vectors[i].name, vectors[i].data, size, vectors[j].name, vectors[j].data, size);
  }
}

/// Throws: value_error unless 0 ≤ value < 1.
inline void check_decay(std::string_view op, std::string_view name, double value) {
  require<value_error>(value >= 0 && value < 1, op, ": ", name, " is ", value, "; must be >= 0 and < 1");
}

/// Receipt of an optimiser with `states` vectors of state: reads g (inputs), w and the states (weights), writes w and
/// states.
template <scalar T>
[[nodiscard]] constexpr work update_work(index_t size, unsigned states, unsigned flop, unsigned special) noexcept {
  const auto n = static_cast<std::uint64_t>(size);
  return {.flop = flop * n,
          .special = special * n,
          .bytes = {.inputs = bytes_of<T>(size),
                    .weights = (1 + states) * bytes_of<T>(size),
                    .outputs = (1 + states) * bytes_of<T>(size)}};
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
