// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace fake {

/// Whether there is a cuDNN that is played.
bool has_cudnn();

/// Which engines cuDNN finds: all of them, those it falls back on, or none.
enum class engines { all, fallback, none };
void set_engines(engines found);

/// The number of the engine that ran last, 0 before the first: 10 computes in tensor floats, 14 by
/// Winograd's algorithm, 20 by the products of the definition.
std::int64_t last_engine();

}  // namespace fake
