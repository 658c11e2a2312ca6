// SPDX-License-Identifier: MIT
// The model of a CPU against the sweeps that were measured on it.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include <ridgepoint/roofline/environment.hpp>
#include <ridgepoint/roofline/machine_json.hpp>

#include "cpu_targets.hpp"
#include "published_targets.hpp"
#include "sweep_rows.hpp"
#include "trained_network.hpp"

namespace tool {
namespace {

/// A measured point, and the parts of its time in the model.
struct judged_point {
  std::string family;
  sweep_point point;
  index_t cores = 1;
  measured_time measured;
  bool fitted = false;
};

/// The measured points of a host.
struct measured_points {
  std::vector<judged_point> all;
  std::string host = {};
  std::size_t busy = 0;  // left out: other work took time meanwhile
};

/// Reads the measured steps of a family, on all cores and on one. The first `fitted` points in the order of
/// spread_out() calibrate.
void add_points(measured_points& to, platform p, const std::filesystem::path& file, const std::string& family,
                std::size_t fitted) {
  std::map<std::string, recorded_row> rows;
  std::vector<sweep_point> points;
  const sweep_rows read = read_sweep_rows(file.string());
  for (const recorded_row& row : read.rows()) {
    if (row.host.empty()) continue;
    if (to.host.empty()) to.host = row.host;
    rp::require<rp::data_error>(row.host == to.host, file.string(), " has a row of ", row.host,
                                "; must have rows of one host, as ", to.host);
    if (row.state != "ok") continue;
    const rp::json_reader in(row.document, rp::concat(file.string(), ": ", row.point.text(), ": "));
    const rp::disturbance meanwhile{.other_cores = in.number("other_cores", 0, 1 << 20),
                                    .steal_share = in.number("steal_share", 0, 1)};
    if (meanwhile.busy()) {
      ++to.busy;
      continue;
    }
    const auto [at, added] = rows.try_emplace(row.point.text(), row);
    rp::require<rp::data_error>(added, file.string(), " has ", row.point.text(), " in two settings, ", row.setting,
                                " and ", at->second.setting, "; must have one");
    points.push_back(row.point);
  }
  for (const sweep_point& point : spread_out(std::move(points))) {
    const recorded_row& row = rows.at(point.text());
    const rp::json_reader in(row.document, rp::concat(file.string(), ": ", point.text(), ": "));
    const rp::processor::step_load load = rp::processor::load_of(training_plan(point.trained()));
    const auto add = [&](index_t cores, double elapsed_s) {
      p.cores = cores;
      to.all.push_back({family, point, cores, {parts_of(p, load), elapsed_s}, fitted > 0});
    };
    const auto threads = static_cast<index_t>(in.number("threads", 1, 1 << 20));
    add(threads, *row.step_s);
    if (threads > 1) add(1, in.number("one_core_step_s", 1e-9, 1e9));
    fitted -= fitted > 0 ? 1 : 0;
  }
}

rp::study::target_result compare_processor(const std::filesystem::path& data) {
  const platform p{.on = rp::processor::chip_of(rp::load_machine((data / "machine.json").string())), .with = {}};
  measured_points judged;
  add_points(judged, p, data / "sweep_fc.jsonl", "fc", 7);
  add_points(judged, p, data / "sweep_cnn.jsonl", "cnn", 6);
  add_points(judged, p, data / "sweep_rnn.jsonl", "rnn", 7);
  if (const auto mnist = data / "sweep_study-a.jsonl"; std::filesystem::exists(mnist))
    add_points(judged, p, mnist, "study-a", 0);
  std::vector<measured_time> calibrating;
  for (const judged_point& each : judged.all)
    if (each.fitted) calibrating.push_back(each.measured);
  const std::string busy =
      rp::concat(judged.busy, " points were measured while other work used the CPU, and are left out");
  rp::require<rp::data_error>(!calibrating.empty(), data.string(), ": no point to fit to; ", busy,
                              "; delete their rows and repeat the sweeps");
  const rp::processor::software with = rp::processor::fit(calibrating, rp::processor::parallel_constants);

  rp::study::target_result r{.lines = {}};
  std::map<std::string, std::vector<double>> errors;
  std::vector<std::pair<double, std::string>> worst;
  for (const judged_point& each : judged.all) {
    const double predicted_s = seconds(with, each.measured.of), error = predicted_s / each.measured.elapsed_s - 1;
    if (each.family == "study-a") {
      r.lines.push_back({rp::concat(each.point.text(), ", ", each.cores, each.cores == 1 ? " core" : " cores", ", ms"),
                         1e3 * predicted_s, 1e3 * each.measured.elapsed_s, demand::within, 0.25});
      continue;
    }
    errors[each.fitted ? "calibration" : each.family].push_back(error);
    if (each.fitted) continue;
    errors["all"].push_back(error);
    worst.emplace_back(std::abs(error),
                       rp::concat(each.point.text(), ", ", each.cores, each.cores == 1 ? " core: " : " cores: ",
                                  rp::quantity(predicted_s, "s"), " for ", rp::quantity(each.measured.elapsed_s, "s")));
  }
  for (const auto& [family, all] : errors) {
    const bool fitted = family == "calibration";
    r.lines.push_back({rp::concat(family, ": mean error of ", all.size(), " steps, %"), 100 * mean_error(all), 0,
                       fitted ? demand::none : demand::points, 12,
                       fitted ? evidence::calibration : evidence::hold_out});
  }
  r.rows = judged.all.size();
  std::ranges::sort(worst, std::greater{});
  r.note = rp::concat("constants: ", text(with));
  if (judged.busy > 0) r.note += rp::concat("\n", busy);
  r.note += "\nlargest errors:";
  for (std::size_t i = 0; i < (std::min)(worst.size(), std::size_t{10}); ++i) r.note += "\n  " + worst[i].second;
  return r;
}

}  // namespace

std::vector<rp::study::target> cpu_targets() {
  return {
      {"steps",
       "this machine: training steps of ParaDnn's networks, measured by ridgepoint sweep",
       {"machine.json", "sweep_fc.jsonl", "sweep_cnn.jsonl", "sweep_rnn.jsonl"},
       compare_processor},
      {"study-a", "study A: five MNIST nets on Colab's CPU", {"study_a_results.csv"}, compare_study_a_processor, "A"},
      {"study-a-table",
       "study A: speed-ups of GPU and TPU over the CPU, in its per cent",
       {"study_a_results.csv"},
       compare_study_a_table,
       "A"},
      {"study-c", "study C: its network on two desktop CPUs", {}, compare_study_c_processors, "C"},
      {"study-d",
       "study D: Keras' examples on 8 to 64 virtual CPUs",
       {"maxwoolf_summary.csv"},
       compare_study_d_processors,
       "D"},
      {"study-d-relative",
       "study D, July: times over the K80's, compiled TensorFlow over the shipped one",
       {"maxwoolf_2017-07_pivot.csv"},
       compare_study_d_relative,
       "D"}};
}

}  // namespace tool
