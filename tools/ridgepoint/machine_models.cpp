// SPDX-License-Identifier: MIT
#include "machine_models.hpp"

#include <ridgepoint/study/modelled_graph.hpp>

namespace tool {

namespace rp = ridgepoint;

rp::gpu::modelled_step modelled_on(const rp::gpu::platform& on, const rp::compiled& made) { return modelled(on, made); }
rp::tpu::modelled_step modelled_on(const rp::tpu::chip& on, const rp::compiled& made, rp::index_t cores) {
  return modelled(on, made, cores);
}
double memory_on_gpu(const rp::gpu::platform& on, const rp::compiled& made) { return memory_bytes(on, made); }
rp::tpu::step_memory memory_on_tpu(const rp::compiled& made) { return rp::tpu::memory_of(made); }

}  // namespace tool
