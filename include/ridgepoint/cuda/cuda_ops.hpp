// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cuda/probe_args.hpp>
#include <ridgepoint/ops/all.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Ops that networks storing T in a short type compute in float, between conversions: updates and statistics. Packed
/// products are excluded because no plan uses them.
template <scalar T>
using ops_in_floats =
    type_list<sum_of_squares_args<T>, sgd_update_args<T>, momentum_update_args<T>, rmsprop_keras_update_args<T>,
              rmsprop_tf1_update_args<T>, adam_update_args<T>, adadelta_update_args<T>, batch_norm_args<T>,
              batch_norm_backward_args<T>, batch_norm_inference_args<T>, fold_batch_norm_args<T>, layer_norm_args<T>,
              layer_norm_backward_args<T>, group_norm_args<T>, group_norm_backward_args<T>, detection_args<T>,
              pack_b_args<T>, gemm_packed_args<T>>;

/// The arguments of every op that runs on a GPU, in the order of the component's table.
using cuda_ops = decltype(all_ops<float>{} + all_ops<double>{} + (all_ops<bfloat16>{} - ops_in_floats<bfloat16>{}) +
                          (all_ops<float16>{} - ops_in_floats<float16>{}) + conversion_ops{} +
                          float16_conversion_ops{} + untyped_ops{} + gpu_probe_ops{});

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
