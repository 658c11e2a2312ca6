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
/// Ceilings alone, published or from a file: nothing is known of a step.
struct ceilings_alone {
  ridgepoint::machine machine;
  std::string when;  // they were measured; empty: not told
};
/// A step from a file, of whatever machine.
struct saved_step {
  ridgepoint::study::chart_step step;
};

/// A machine of a chart as it was found: nothing is measured or modelled yet.
struct chart_machine {
  std::string name;      // as it was asked for
  std::string identity;  // the same for two names of one machine
  std::variant<this_host, ridgepoint::gpu::chip, ridgepoint::tpu::chip, ceilings_alone, saved_step> is;
};

/// What --help says of --machines.
[[nodiscard]] std::string which_machines();

/// The files in such a list: its names that end in .json.
[[nodiscard]] std::vector<std::string> machine_files(const std::string& list);

/// The machines of a list such as "host,h200,tpu-v3,gpu.json"; a name that ends in .json is a file that `machine`,
/// `roofline`, `gpu` or `tpu` wrote.
/// Throws: value_error for an unknown name, a machine named twice, none or more than 8; data_error for a file that is
/// none of these, or whose step is not of the network.
[[nodiscard]] std::vector<chart_machine> machines_named(const std::string& list, const std::string& network);

/// How steps are modelled.
struct chart_models {
  std::function<ridgepoint::compiled(ridgepoint::index_t batch)> plan;  // of a training step
  ridgepoint::index_t batch = 1;
  std::string title;
  ridgepoint::gpu::software software;
  std::string gpu_precision;  // empty: what suits the chip
};

/// The step on a machine that is not the host: modelled, or as the file has it; where that cannot be, the reason.
[[nodiscard]] ridgepoint::study::chart_step placed_on(const chart_machine& on, const chart_models& models);

}  // namespace tool
