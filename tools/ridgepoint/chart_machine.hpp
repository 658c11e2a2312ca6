// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include <ridgepoint/gpu/chip.hpp>
#include <ridgepoint/gpu/software.hpp>
#include <ridgepoint/graph/compiled.hpp>
#include <ridgepoint/mxu/chip.hpp>
#include <ridgepoint/study/network_chart.hpp>

namespace tool {

/// The machine that the command runs on.
struct this_host {};
/// Published ceilings, or ceilings from a file, without a step.
struct ceilings_alone {
  ridgepoint::machine machine;
  std::string when;  // time of the measurement; empty: unknown
};
/// A step from a file, on any machine.
struct saved_step {
  ridgepoint::study::chart_step step;
};

/// A machine of a chart, before anything is measured or modelled.
struct chart_machine {
  std::string name;      // as requested
  std::string identity;  // the same for two names of one machine
  std::variant<this_host, ridgepoint::gpu::chip, ridgepoint::tpu::chip, ceilings_alone, saved_step> is;
};

/// Returns the help text of --machines.
[[nodiscard]] std::string which_machines();

/// Returns the names in such a list that end in .json.
[[nodiscard]] std::vector<std::string> machine_files(const std::string& list);

/// Parses a list of machines such as "host,h200,tpu-v3,gpu.json". A name that ends in .json is a file that `machine`,
/// `roofline`, `gpu` or `tpu` wrote.
/// Throws: value_error for an unknown name, a machine named twice, none or more than 8; data_error for a file of
/// another kind, or with a step of another network.
[[nodiscard]] std::vector<chart_machine> machines_named(const std::string& list, const std::string& network);

/// Options of the models.
struct chart_models {
  std::function<ridgepoint::compiled(ridgepoint::index_t batch)> plan;  // of a training step
  ridgepoint::index_t batch = 1;
  std::string title;
  ridgepoint::gpu::software software;
  std::string gpu_precision;  // empty: the chip's default
};

/// Returns the step on a machine that is not the host: modelled, or as read from the file; otherwise the reason.
[[nodiscard]] ridgepoint::study::chart_step placed_on(const chart_machine& on, const chart_models& models);

}  // namespace tool
