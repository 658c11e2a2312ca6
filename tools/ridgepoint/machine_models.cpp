// SPDX-License-Identifier: MIT
#include "machine_models.hpp"

#include <ridgepoint/study/modelled_graph.hpp>
#include <ridgepoint/study/processor_model.hpp>

namespace tool {

namespace rp = ridgepoint;

rp::gpu::modelled_step modelled_on(const rp::gpu::platform& on, const rp::compiled& made) { return modelled(on, made); }
rp::tpu::modelled_step modelled_on(const rp::tpu::chip& on, const rp::compiled& made, rp::index_t cores) {
  return modelled(on, made, cores);
}
double memory_on_gpu(const rp::gpu::platform& on, const rp::compiled& made) { return memory_bytes(on, made); }
rp::tpu::step_memory memory_on_tpu(const rp::compiled& made) { return rp::tpu::memory_of(made); }
rp::index_t fed_values(const rp::compiled& made) { return rp::study::fed_values(made); }

std::vector<study_processor> study_processors() {
  std::vector<study_processor> all;
  for (const rp::processor::platform& p : rp::processor::published_platforms())
    all.push_back({p.name, p.on.name, p.with.name});
  return all;
}
rp::study::chart_step modelled_on(const study_processor& on, const rp::compiled& made, const std::string& title) {
  const rp::processor::platform& p = rp::processor::find_platform(on.name);
  rp::processor::modelled_step step = modelled(p, made);
  step.title = title + ", training";
  return {.name = {},
          .origin = rp::study::origin::modelled,
          .how = rp::concat(p.on.description, "; ", p.with.description, "; ", p.with.source),
          .note = {},
          .profile = as_profile(step),
          .machine = roofs_of(p)};
}

}  // namespace tool
