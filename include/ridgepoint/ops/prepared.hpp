// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include <ridgepoint/ops/prepare.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A call that is checked and prepared once and run many times, with the workspace and the constants it wants.
///
/// A run checks nothing, plans nothing and allocates nothing. Runs share the workspace: each thread has a call of its
/// own.
/// Throws, when it is made: what check(args) throws; std::bad_alloc.
/// Example:
///   const rp::prepared product(on, rp::gemm_args<float>{.a = a.matrix(), .b = b.matrix(), .c = c.matrix()});
///   product.run();                                            // C ← A·B
///   product.told().algorithm                                  // "small"
template <backend Backend, class Args>
  requires prepares<Backend, Args>
class prepared {
 public:
  prepared(const Backend& on, const Args& args, const prepare_options& options = {})
      : on_(on),
        args_((check(args), args)),
        state_(prepare(on_, args_, options)),
        workspace_(on_.allocate(told().workspace_bytes)),
        constants_(on_.allocate(told().constant_bytes)),
        memory_{.workspace = workspace_.data(), .constants = constants_.data()} {
    refresh();
  }

  [[nodiscard]] const preparation& told() const noexcept { return state_.told; }
  /// What it was made with; receipt(args()) is the receipt of a run.
  [[nodiscard]] const Args& args() const noexcept { return args_; }

  void run() const { run(args_); }
  /// The same with other operands. Requires: extents, strides and options of the arguments it was made with; constant
  /// memory where it was. Nothing is checked.
  RIDGEPOINT_INLINE void run(const Args& args) const { execute(on_, state_, args, memory_); }
  /// Makes the constants anew: constant memory has changed.
  void refresh() const {
    if (told().constant_bytes != 0) make_constants(on_, state_, args_, constants_.data());
  }

 private:
  Backend on_;
  Args args_;
  decltype(prepare(std::declval<const Backend&>(), std::declval<const Args&>(), prepare_options{})) state_;
  typename Backend::buffer workspace_, constants_;
  call_memory memory_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
