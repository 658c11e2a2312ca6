// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include <ridgepoint/ops/prepare.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

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
