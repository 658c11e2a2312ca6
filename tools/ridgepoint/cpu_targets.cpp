// SPDX-License-Identifier: MIT
// The model of a CPU against the sweeps that were measured on it.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/roofline/machine_json.hpp>
#include <ridgepoint/study/processor_model.hpp>

#include "published_targets.hpp"
#include "step_options.hpp"
#include "sweep_rows.hpp"
#include "trained_network.hpp"

namespace tool {
namespace {

using rp::processor::measured_load;

/// A measured point, and its loads for the model.
struct judged_point {
  std::string family;
  sweep_point point;
  measured_load measured;
  bool fitted = false;
};

/// Reads the measured steps of a family, on all cores and on one. The first `fitted` points in the order of
/// spread_out() calibrate.
void add_points(std::vector<judged_point>& to, std::string& host, const std::filesystem::path& file,
                const std::string& family, std::size_t fitted) {
  std::size_t complete = 0;
  std::map<std::string, recorded_row> rows;
  std::vector<sweep_point> points;
  for (recorded_row& row : read_sweep_rows(rp::read_file(file.string(), 1U << 30), file.string(), complete)) {
    if (row.host.empty()) continue;
    if (host.empty()) host = row.host;
    rp::require<rp::data_error>(row.host == host, file.string(), " has a row of ", row.host,
                                "; must have rows of one host, as ", host);
    if (row.state != "ok") continue;
    const auto [at, added] = rows.try_emplace(row.point.text(), row);
    rp::require<rp::data_error>(added, file.string(), " has ", row.point.text(), " in two settings, ", row.setting,
                                " and ", at->second.setting, "; must have one");
    points.push_back(std::move(row.point));
  }
  for (const sweep_point& p : spread_out(std::move(points))) {
    const recorded_row& row = rows.at(p.text());
    const rp::json_reader in(row.document, rp::concat(file.string(), ": ", p.text(), ": "));
    step_options step;
    step.batch = p.batch;
    step.network = p.parameters;
    const trained_network of = network_named(p.network, step, 42);
    rp::graph net(of.name);
    const rp::processor::step_load load =
        rp::processor::load_of(rp::plan_training(net, of.build(net), of.optimiser, of.options));
    const auto threads = static_cast<rp::index_t>(in.number("threads", 1, 1 << 20));
    to.push_back({family, p, {load, threads, *row.step_s}, fitted > 0});
    if (threads > 1) to.push_back({family, p, {load, 1, in.number("one_core_step_s", 1e-9, 1e9)}, fitted > 0});
    fitted -= fitted > 0 ? 1 : 0;
  }
}

rp::study::target_result compare_processor(const std::filesystem::path& data) {
  rp::processor::platform p{.on = rp::processor::chip_of(rp::load_machine((data / "machine.json").string())),
                            .with = {}};
  std::vector<judged_point> judged;
  std::string host;
  add_points(judged, host, data / "sweep_fc.jsonl", "fc", 7);
  add_points(judged, host, data / "sweep_cnn.jsonl", "cnn", 6);
  add_points(judged, host, data / "sweep_rnn.jsonl", "rnn", 7);
  std::vector<measured_load> calibrating;
  for (const judged_point& each : judged)
    if (each.fitted) calibrating.push_back(each.measured);
  p.with = fit(p.on, calibrating);

  rp::study::target_result r{.lines = {}};
  std::map<std::string, std::vector<double>> errors;
  std::vector<std::pair<double, std::string>> worst;
  for (const judged_point& each : judged) {
    p.cores = each.measured.cores;
    const double predicted_s = seconds(p, each.measured.step), error = predicted_s / each.measured.elapsed_s - 1;
    errors[each.fitted ? "calibration" : each.family].push_back(std::abs(error));
    if (!each.fitted) errors["all"].push_back(std::abs(error));
    if (!each.fitted)
      worst.emplace_back(std::abs(error),
                         rp::concat(each.point.text(), ", ", p.cores,
                                    p.cores == 1 ? " core: " : " cores: ", rp::quantity(predicted_s, "s"), " for ",
                                    rp::quantity(each.measured.elapsed_s, "s")));
  }
  for (const auto& [family, all] : errors) {
    double sum = 0;
    for (const double error : all) sum += error;
    const bool fitted = family == "calibration";
    r.lines.push_back({rp::concat(family, ": mean error of ", all.size(), " steps, %"),
                       100 * sum / static_cast<double>(all.size()), 0,
                       fitted ? rp::study::demand::none : rp::study::demand::points, 12,
                       fitted ? rp::study::evidence::calibration : rp::study::evidence::hold_out});
  }
  r.rows = judged.size();
  std::ranges::sort(worst, std::greater{});
  const rp::processor::software& with = p.with;
  r.note =
      rp::concat("constants: products take ", rp::figures(with.product), " of their time at the peak, windows ",
                 rp::figures(with.window), ", results ", rp::figures(with.result_flop), " FLOP; traffic of operands ",
                 rp::figures(with.operand_traffic), ", of ops ", rp::figures(with.traffic), "; an op ",
                 rp::quantity(with.op_s, "s"), ", a recurrent step ", rp::quantity(with.recurrent_step_s, "s"),
                 "; serial ", rp::figures(with.serial_share), "; largest errors:");
  for (std::size_t i = 0; i < (std::min)(worst.size(), std::size_t{10}); ++i) r.note += "\n  " + worst[i].second;
  return r;
}

}  // namespace

std::vector<rp::study::target> cpu_targets() {
  return {{"steps",
           "this machine: training steps of ParaDnn's networks, measured by ridgepoint sweep",
           {"machine.json", "sweep_fc.jsonl", "sweep_cnn.jsonl", "sweep_rnn.jsonl"},
           compare_processor}};
}

}  // namespace tool
