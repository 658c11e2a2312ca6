// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <ridgepoint/core/either.hpp>
#include <ridgepoint/roofline/work.hpp>

/// \file
/// Prepared calls: decisions that depend only on extents, strides, options and addresses are made once; the computation
/// runs many times.
///
/// A backend that benefits has, in addition to execute(on, args):
///   prepare(on, args, options) → state      a value with a member `preparation info`
///   execute(on, state, args, memory)        runs the call with the same arguments, with info's workspace and constants
///   make_constants(on, state, args, to)     writes info.constant_bytes to `to`, again when constant memory has changed
/// An op without these is executed from its arguments alone.
namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Assumptions that hold between the runs of a call.
struct prepare_options {
  const void* constant = nullptr;  // memory that changes only before make_constants(): the weights of inference
  std::size_t constant_bytes = 0;
};

/// Information about a prepared call.
struct preparation {
  const char* algorithm = "";       // of a fixed set of names: "packed", "dot"
  std::size_t workspace_bytes = 0;  // needed by a run, contents undefined before and after
  std::size_t constant_bytes = 0;   // operands in another format, kept between the runs
  work executed = {};               // by a run, including lanes without an element; its receipt counts the
                                    // definition
  double predicted_cycles = 0;      // of a run on one thread, by the backend's own planner; 0: no prediction
};

namespace detail {
/// Returns the work executed by a call with this FLOP of products; the rest is as defined.
[[nodiscard]] constexpr work executed_with(std::uint64_t matrix_flop, const work& definition) noexcept {
  work executed = definition;
  executed.flop += matrix_flop - definition.matrix_flop;
  executed.matrix_flop = matrix_flop;
  return executed;
}
}  // namespace detail

/// Memory of one run: backend memory, 64-byte aligned.
struct call_memory {
  void* workspace = nullptr;
  const void* constants = nullptr;
};

/// True if Backend prepares the op with arguments Args.
template <class Backend, class Args>
concept prepares = requires(const Backend& on, const Args& args, const prepare_options& options) {
  { prepare(on, args, options).info } -> std::convertible_to<preparation>;
};

/// The backend that runs a call is the one that prepares it.
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

/// A call that is checked and prepared once and run many times, with the workspace and the constants it needs.
///
/// A run checks nothing, plans nothing and allocates nothing. Runs share the workspace: use a separate call for each
/// thread.
/// Throws, in the constructor: as check(args); std::bad_alloc.
/// Example:
///   const rp::prepared product(on, rp::gemm_args<float>{.a = a.matrix(), .b = b.matrix(), .c = c.matrix()});
///   product.run();                                            // C ← A·B
///   product.info().algorithm                                  // "small"
template <backend Backend, class Args>
  requires prepares<Backend, Args>
class prepared {
 public:
  prepared(const Backend& on, const Args& args, const prepare_options& options = {})
      : on_(on),
        args_((check(args), args)),
        state_(prepare(on_, args_, options)),
        workspace_(on_.allocate(info().workspace_bytes)),
        constants_(on_.allocate(info().constant_bytes)),
        memory_{.workspace = workspace_.data(), .constants = constants_.data()} {
    refresh();
  }

  [[nodiscard]] const preparation& info() const noexcept { return state_.info; }
  /// Returns the arguments of the constructor; receipt(args()) is the receipt of a run.
  [[nodiscard]] const Args& args() const noexcept { return args_; }

  void run() const { run(args_); }
  /// Runs with other operands. Requires: extents, strides and options of the original arguments, and the same constant
  /// memory. Nothing is checked.
  RIDGEPOINT_INLINE void run(const Args& args) const { execute(on_, state_, args, memory_); }
  /// Recomputes the constants after constant memory has changed.
  void refresh() const {
    if (info().constant_bytes != 0) make_constants(on_, state_, args_, constants_.data());
  }

 private:
  Backend on_;
  Args args_;
  decltype(prepare(std::declval<const Backend&>(), std::declval<const Args&>(), prepare_options{})) state_;
  typename Backend::buffer workspace_, constants_;
  call_memory memory_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
