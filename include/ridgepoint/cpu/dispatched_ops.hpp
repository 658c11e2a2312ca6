// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/kernels/probe/args.hpp>
#include <ridgepoint/ops/all.hpp>
#include <ridgepoint/ops/gemm_batched.hpp>
#include <ridgepoint/ops/gemm_packed.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The forms of a product besides gemm().
template <scalar T>
using product_ops = type_list<gemm_batched_args<T>, pack_b_args<T>, gemm_packed_args<T>>;

/// The arguments of every op in the dispatch table, in the table's order.
using dispatched_ops = decltype(all_ops<float>{} + all_ops<double>{} + product_ops<float>{} + product_ops<double>{} +
                                untyped_ops{} + probe_ops{});

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
