// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/ops/gemm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The arguments of every op in the dispatch table, in the table's order.
using dispatched_ops = type_list<gemm_args<float>, gemm_args<double>>;

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
