// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/gpu/step.hpp>
#include <ridgepoint/graph/compiled.hpp>
#include <ridgepoint/mxu/memory.hpp>
#include <ridgepoint/mxu/step.hpp>

/// Machine models, compiled once for all commands: modelled() of study/modelled_graph.hpp.
namespace tool {

[[nodiscard]] ridgepoint::gpu::modelled_step modelled_on(const ridgepoint::gpu::platform& on,
                                                         const ridgepoint::compiled& made);
/// Returns the memory of the step in bytes.
[[nodiscard]] double memory_on_gpu(const ridgepoint::gpu::platform& on, const ridgepoint::compiled& made);
/// Models `made` on each of `cores` cores.
[[nodiscard]] ridgepoint::tpu::modelled_step modelled_on(const ridgepoint::tpu::chip& on,
                                                         const ridgepoint::compiled& made, ridgepoint::index_t cores);
/// Returns the memory of the step on one core.
[[nodiscard]] ridgepoint::tpu::step_memory memory_on_tpu(const ridgepoint::compiled& made);

}  // namespace tool
