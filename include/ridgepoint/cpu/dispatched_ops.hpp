// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/kernels/probe/args.hpp>
#include <ridgepoint/ops/all.hpp>
#include <ridgepoint/ops/array_gemm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The arguments of every op of the CPU backend, in the order of the dispatch table.
using dispatched_ops = decltype(matrix_ops<float>{} + matrix_ops<double>{} + image_ops<float>{} + image_ops<double>{} +
                                sequence_ops<float>{} + sequence_ops<double>{} + dense_network_ops<bfloat16>{} +
                                conversion_ops{} + untyped_ops{} + probe_ops{} + array_ops{});

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
