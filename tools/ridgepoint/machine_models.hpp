// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include <ridgepoint/gpu/step.hpp>
#include <ridgepoint/graph/compiled.hpp>
#include <ridgepoint/mxu/memory.hpp>
#include <ridgepoint/mxu/step.hpp>
#include <ridgepoint/study/network_chart.hpp>

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

/// Returns the number of values fed per sample.
[[nodiscard]] ridgepoint::index_t fed_values(const ridgepoint::compiled& made);

/// A CPU of a study, with its software: processor::published_platforms().
struct study_processor {
  std::string name, hardware, software;  // hardware: the same for two builds of the software
};
/// Returns the CPUs of the studies.
[[nodiscard]] std::vector<study_processor> study_processors();
/// Models a training step on a CPU.
[[nodiscard]] ridgepoint::study::chart_step modelled_on(const study_processor& on, const ridgepoint::compiled& made,
                                                        const std::string& title);

}  // namespace tool
