// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <ridgepoint/core/either.hpp>
#include <ridgepoint/roofline/work.hpp>

/// \file
/// A call in two parts: what follows from extents, strides, options and addresses alone, decided once, and the
/// computation, run many times.
///
/// A backend that gains by it has, beside execute(on, args):
///   prepare(on, args, options) → state      a value of its own with a member `preparation told`
///   execute(on, state, args, memory)        the same call with the same arguments, with told's workspace and constants
///   make_constants(on, state, args, to)     told.constant_bytes at `to`, anew when constant memory has changed
/// An op without these is executed from its arguments alone.
namespace ridgepoint::inline RIDGEPOINT_ABI {

/// What may be taken for granted between the runs of a call.
struct prepare_options {
  const void* constant = nullptr;  // memory that changes only when constants are made anew: the weights of inference
  std::size_t constant_bytes = 0;
};

/// What a backend tells of a call it has prepared.
struct preparation {
  const char* algorithm = "";       // of a fixed set of names: "packed", "dot"
  std::size_t workspace_bytes = 0;  // that a run needs, contents undefined before and after
  std::size_t constant_bytes = 0;   // operands in another form, kept between the runs
  work executed = {};               // what a run executes, lanes without an element included; its receipt counts the
                                    // definition
  double predicted_cycles = 0;      // of a run on one thread, by the backend's own planner; 0: it predicts nothing
};

namespace detail {
/// What a call executes whose products have so many FLOP; the rest is as defined.
[[nodiscard]] constexpr work executed_with(std::uint64_t matrix_flop, const work& definition) noexcept {
  work executed = definition;
  executed.flop += matrix_flop - definition.matrix_flop;
  executed.matrix_flop = matrix_flop;
  return executed;
}
}  // namespace detail

/// Memory of one run: backend memory on a boundary of 64 bytes.
struct call_memory {
  void* workspace = nullptr;
  const void* constants = nullptr;
};

/// Whether Backend prepares the op whose arguments are Args.
template <class Backend, class Args>
concept prepares = requires(const Backend& on, const Args& args, const prepare_options& options) {
  { prepare(on, args, options).told } -> std::convertible_to<preparation>;
};

/// What runs on one of two backends is prepared by that one.
template <class Args, backend Either>
using executor_type = std::remove_cvref_t<decltype(executor_of<Args>(std::declval<const Either&>()))>;
template <backend Primary, backend Rest, class Args>
  requires prepares<executor_type<Args, either<Primary, Rest>>, Args>
[[nodiscard]] auto prepare(const either<Primary, Rest>& on, const Args& args, const prepare_options& options) {
  return prepare(executor_of<Args>(on), args, options);
}
template <backend Primary, backend Rest, class State, class Args>
void make_constants(const either<Primary, Rest>& on, const State& state, const Args& args, void* to) {
  make_constants(executor_of<Args>(on), state, args, to);
}
template <backend Primary, backend Rest, class State, class Args>
void execute(const either<Primary, Rest>& on, const State& state, const Args& args, const call_memory& memory) {
  execute(executor_of<Args>(on), state, args, memory);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
