// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/cuda_ops.hpp>
#include <ridgepoint/cuda/runtime/context.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

template <class T>
void execute(cuda_context& on, const gpu_peak_args<T>& p, void*) {
  on.launch(ceiling_kernels::multiply_add_chains<T>, on.loop(p.threads), p.rounds, T(0.5), p.out);
}
inline void execute(cuda_context& on, const gpu_stream_args& s, void*) {
  const launch_shape shape = on.loop(s.threads);
  using way = gpu_stream_args::way;
  if (s.kind == way::copy) on.launch(ceiling_kernels::copy_words, shape, s.passes, s.words, s.from, s.to);
  else if (s.kind == way::read) on.launch(ceiling_kernels::read_words, shape, s.passes, s.words, s.from, s.sums);
  else on.launch(ceiling_kernels::write_words, shape, s.passes, s.words, s.to);
}
inline void execute(cuda_context& on, const gpu_nothing_args&, void*) { on.launch(ceiling_kernels::nothing, {}); }

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
