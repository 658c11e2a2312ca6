// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/backend.hpp>
#include <ridgepoint/roofline/work.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Runs any op from its arguments: check(args), execute(on, args), receipt(args), each found beside the op or the
/// backend.
/// Inlined, so that a receipt nobody reads is not computed.
/// Throws: what check(args) throws; nothing is written then.
/// Example:
///   rp::run(on, rp::adam_update_args<float>{.size = n, .w = w, .g = g, .m = m, .v = v, .state = state});
template <backend Backend, class Args>
  requires(executes<Backend, Args>)
RIDGEPOINT_INLINE work run(const Backend& on, const Args& args) {
  check(args);
  execute(on, args);
  return receipt(args);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
