// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/gpu/step.hpp>
#include <ridgepoint/graph/compiled.hpp>
#include <ridgepoint/mxu/memory.hpp>
#include <ridgepoint/mxu/step.hpp>

/// The models of machines, compiled once for all commands: modelled() of study/graph_on_gpu.hpp and graph_on_tpu.hpp.
namespace tool {

[[nodiscard]] ridgepoint::gpu::modelled_step modelled_on(const ridgepoint::gpu::platform& on,
                                                         const ridgepoint::compiled& made);
/// So many cores, each of which does `made`.
[[nodiscard]] ridgepoint::tpu::modelled_step modelled_on(const ridgepoint::tpu::chip& on,
                                                         const ridgepoint::compiled& made, ridgepoint::index_t cores);
/// What the step keeps in one core's memory.
[[nodiscard]] ridgepoint::tpu::step_memory memory_on_tpu(const ridgepoint::compiled& made);

}  // namespace tool
