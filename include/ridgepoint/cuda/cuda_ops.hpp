// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cuda/probe_args.hpp>
#include <ridgepoint/ops/all.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The arguments of every op that runs on a GPU, in the order of the component's table.
using cuda_ops = decltype(all_ops<float>{} + all_ops<double>{} + untyped_ops{} + gpu_probe_ops{});

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
