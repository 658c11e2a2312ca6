// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>

#include <ridgepoint/onednn/onednn.hpp>
#include <ridgepoint/reference/fold_batch_norm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The library has no such primitive: the definition's loop, run where parameters change.
template <std::same_as<fold_batch_norm_args<float>> Args>
void execute(const onednn&, const Args& args) {
  execute(reference, args);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
