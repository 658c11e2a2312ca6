// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/all.hpp>
#include <ridgepoint/onednn/onednn.hpp>
#include <ridgepoint/ops/all.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace onednn_detail {

/// What a training step needs and the library has no primitive for, and our own packed form of B.
using own_ops = type_list<softmax_cross_entropy_args<float>, mse_args<float>, binary_cross_entropy_args<float>,
                          dropout_args<float>, sgd_update_args<float>, momentum_update_args<float>,
                          rmsprop_keras_update_args<float>, rmsprop_tf1_update_args<float>, adam_update_args<float>,
                          adadelta_update_args<float>, advance_args, pack_b_args<float>, gemm_packed_args<float>>;

}  // namespace onednn_detail

/// The op on the native_cpu backend, with this translation unit's instruction set and the same number of threads.
template <class Args>
  requires(onednn_detail::own_ops::contains<Args>)
void execute(const onednn& on, const Args& args) { execute(native_cpu(on.thread_count()), args); }

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
