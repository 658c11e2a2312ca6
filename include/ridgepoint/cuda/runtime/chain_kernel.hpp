// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <ridgepoint/core/concat.hpp>
#include <ridgepoint/core/types.hpp>
#include <ridgepoint/cuda/runtime/kernel.hpp>
#include <ridgepoint/ops/chain.hpp>

/// \file
/// The kernels of cuda/device/chain.hpp, one per chain, and their arguments.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Must match ridgepoint_device::chained, number by number.
enum class chained : int {
  activate,
  activate_backward,
  add,
  add_bias,
  dropout,
  convert,
  scale,
  unscale,
  normalise,
  normalise_by,
  normalise_backward
};

[[nodiscard]] constexpr std::string_view to_string(chained what) noexcept {
  constexpr std::string_view names[] = {
      "activate", "activate_backward", "add",       "add_bias",     "dropout",           "convert",
      "scale",    "unscale",           "normalise", "normalise_by", "normalise_backward"};
  return names[static_cast<std::size_t>(what)];
}

/// Must match ridgepoint_device::dropout_choice and chain_step, member by member.
struct dropout_choice_argument {
  std::uint64_t seed = 0;
  index_t steps = 1, width = 0;
  std::uint32_t stream = 0, threshold = 0;
};
struct chain_step_argument {
  const void *a = nullptr, *b = nullptr;
  void* y = nullptr;
  std::array<const void*, 5> columns = {};
  divisor channels = 1;
  double number = 0;
  const step_state* state = nullptr;
  dropout_choice_argument mask = {};
};
struct chain_argument {
  index_t size = 0, packed = 0;
  std::array<chain_step_argument, most_chain_links> steps = {};
};

/// Sources of an input that no step computes; must match device/chain.hpp.
inline constexpr int from_memory = -1, from_nowhere = -2;

/// Compile-time parameters of a step.
struct chain_step_form {
  chained what = chained::add;
  activation f = activation::none;
  const char *in = nullptr, *out = nullptr;  // stored types of its inputs and its result, as spelled in device code
  int a = from_memory, b = from_memory;      // a step's number, or another source
  bool kept = true;

  /// Returns its type, such as "ridgepoint_device::step<ridgepoint_device::chained::add,
  /// ridgepoint_device::activation::none, float, float, 0, -1, true>".
  [[nodiscard]] std::string expression() const {
    return concat("ridgepoint_device::step<ridgepoint_device::chained::", to_string(what),
                  ", ridgepoint_device::activation::", ridgepoint::to_string(f), ", ", in, ", ", out, ", ", a, ", ", b,
                  ", ", kept ? "true" : "false", '>');
  }
};

/// Returns the template arguments of a chain's kernel: its steps.
[[nodiscard]] inline std::string chain_parameters(std::span<const chain_step_form> steps) {
  std::string all;
  for (const chain_step_form& s : steps) all += (all.empty() ? "" : ", ") + s.expression();
  return all;
}
/// Returns the kernel; `parameters` must outlive it.
[[nodiscard]] inline kernel<chain_argument> chain_kernel(const std::string& parameters) {
  return {"chain", "chain", parameters.c_str()};
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
