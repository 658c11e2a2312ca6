// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

#include <ridgepoint/core/scalar.hpp>
#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/core/types.hpp>
#include <ridgepoint/ops/all.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Multiply-adds in registers: 16·rounds FLOP by each of `threads` threads.
template <scalar T>
struct gpu_peak_args {
  static constexpr std::string_view name = "gpu_peak";
  index_t rounds = 0, threads = 0;
  T* out = nullptr;  // one element per thread
};

/// Streams words of 16 bytes through memory, `passes` times.
struct gpu_stream_args {
  static constexpr std::string_view name = "gpu_stream";
  enum class way { copy, read, write };
  way kind = way::copy;
  index_t passes = 1, words = 0;
  const void* from = nullptr;     // copy, read
  void* to = nullptr;             // copy, write
  std::uint32_t* sums = nullptr;  // read: one element for each of `threads`
  index_t threads = 0;
};

/// An empty kernel.
struct gpu_nothing_args {
  static constexpr std::string_view name = "gpu_nothing";
};

/// The ops that measure a GPU's ceilings; networks do not use them.
using gpu_probe_ops = type_list<gpu_peak_args<float>, gpu_peak_args<double>, gpu_stream_args, gpu_nothing_args>;

/// Ops that networks storing T in a short type compute in float, between conversions: updates and statistics. Packed
/// products are excluded because no plan uses them.
template <scalar T>
using ops_in_floats =
    type_list<sum_of_squares_args<T>, sgd_update_args<T>, momentum_update_args<T>, rmsprop_keras_update_args<T>,
              rmsprop_tf1_update_args<T>, adam_update_args<T>, adadelta_update_args<T>, batch_norm_args<T>,
              batch_norm_backward_args<T>, batch_norm_inference_args<T>, fold_batch_norm_args<T>, layer_norm_args<T>,
              layer_norm_backward_args<T>, group_norm_args<T>, group_norm_backward_args<T>, detection_args<T>,
              pack_b_args<T>, gemm_packed_args<T>>;

/// Ops that GPUs lack.
template <scalar T>
using ops_not_on_gpus = type_list<rms_norm_args<T>, rms_norm_backward_args<T>>;

/// Ops on elements of type T that run on a GPU.
template <scalar T>
using gpu_ops = decltype(all_ops<T>{} - ops_not_on_gpus<T>{});

/// The arguments of every op that runs on a GPU, in the order of the component's table.
using cuda_ops = decltype(gpu_ops<float>{} + gpu_ops<double>{} + (gpu_ops<bfloat16>{} - ops_in_floats<bfloat16>{}) +
                          (gpu_ops<float16>{} - ops_in_floats<float16>{}) + conversion_ops{} +
                          float16_conversion_ops{} + untyped_ops{} + gpu_probe_ops{});

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
