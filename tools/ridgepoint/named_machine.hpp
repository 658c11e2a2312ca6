// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <ridgepoint/gpu/platform.hpp>
#include <ridgepoint/mxu/chip.hpp>
#include <ridgepoint/study/network_chart.hpp>

#include "machine_models.hpp"
#include "modelled_network.hpp"

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

/// A machine that a command names, before anything is measured or modelled.
struct named_machine {
  std::string name;      // as requested
  std::string identity;  // the same for two names of one machine
  std::variant<this_host, ridgepoint::gpu::chip, ridgepoint::tpu::chip, study_processor, ceilings_alone, saved_step> is;
  ridgepoint::index_t gpus = 1;  // that share a batch

  [[nodiscard]] bool is_host() const noexcept { return std::holds_alternative<this_host>(is); }
  /// Returns the name of the hardware, the same for two builds of software on it.
  [[nodiscard]] const std::string& hardware() const noexcept {
    const auto* const processor = std::get_if<study_processor>(&is);
    return processor == nullptr ? name : processor->hardware;
  }
};

/// "host, k80, …, tpu-v3, cpu8, …, skylake-vm"
[[nodiscard]] std::string known_machines();

/// Returns the files in such a list; "" for other machines.
[[nodiscard]] std::vector<std::string> machine_files(const std::string& list);

/// Parses a list of machines such as "host,h200,tpu-v3,gpu.json", the --on of a command. A name that ends in .json is a
/// file of `roofline`, `machine` or `machine --chip`; 2xk80 is two GPUs that share a batch.
/// Throws: value_error for an unknown name, a machine named twice, none or more than 8; data_error for a file of
/// another kind, or with a step of another network.
[[nodiscard]] std::vector<named_machine> machines_named(std::string_view command, const std::string& list,
                                                        const std::string& network);

/// A network's step on a machine, and the table that describes it best, drawn on demand: sweeps draw none.
struct step_on_machine {
  ridgepoint::study::chart_step step;
  std::function<std::string(const ridgepoint::study::chart_step&)> table;
  std::optional<double> feed_share = {};  // of the step, in which a modelled GPU or TPU waits for the feed
};

/// True if a model of the machine has a host that feeds it: a GPU, a TPU or a GPU's ceilings.
[[nodiscard]] bool has_feed(const named_machine& m);

/// Places the step on a machine that is not the host: modelled, or as read from the file.
/// Throws: value_error if the machine lacks the memory, the format or the cores; unsupported if it lacks an op.
[[nodiscard]] step_on_machine placed_on(const named_machine& on, const modelled_network& network);

/// Returns the step on one of several machines; of origin none, with the reason, if the machine cannot run it.
[[nodiscard]] ridgepoint::study::chart_step step_or_reason(const named_machine& on, const modelled_network& network);
/// Throws: value_error with the reasons if no machine of a command's --on can run the step.
void check_one_runs(std::string_view command, const std::vector<ridgepoint::study::chart_step>& steps);

}  // namespace tool
