// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <ridgepoint/core/quantile.hpp>
#include <ridgepoint/study/processor_model.hpp>
#include <ridgepoint/study/target.hpp>

#include "gpu_targets.hpp"
#include "study_trainings.hpp"

/// The studies' trainings on CPUs by the CPU model, and their published ratios to GPUs.
namespace tool {

using rp::processor::measured_time;
using rp::processor::platform;
using rp::study::demand;
using rp::study::evidence;

/// Returns the mean of |error|.
inline double mean_error(const std::vector<double>& errors) {
  double sum = 0;
  for (const double error : errors) sum += std::abs(error);
  return sum / static_cast<double>(errors.size());
}

/// Compares with study D's trainings on 8 to 64 virtual CPUs: constants are fitted to July's, November's are held out.
inline rp::study::target_result compare_study_d_processors(const std::filesystem::path& data) {
  const study_d_times times(rp::load_csv((data / "maxwoolf_summary.csv").string()));
  constexpr std::array machines{"cpu8", "cpu16", "cpu32", "cpu64"};
  struct ratios {
    std::vector<double> modelled, published;
  };
  std::map<std::string, ratios> gains;  // AVX2 over SSE2, by machine
  ratios over_half;                     // times on 64 virtual CPUs over times on 32
  std::vector<measured_time> july;
  std::map<std::string, std::vector<double>> errors;
  for (const study_training& t : study_d_trainings()) {
    const rp::processor::step_load training = rp::processor::load_of(t.training_step),
                                   inference = t.inference_step ? rp::processor::load_of(*t.inference_step)
                                                                : rp::processor::step_load{};
    std::map<std::string, double> predicted_s;
    for (const platform& p : rp::processor::published_platforms()) {
      if (std::ranges::find(machines, p.on.name) == machines.end()) continue;
      rp::processor::parts of{};
      rp::processor::add(of, parts_of(p, training), t.training_steps);
      rp::processor::add(of, parts_of(p, inference), t.validation_steps);
      predicted_s[p.name] = seconds(p.with, of);
      july.push_back({of, times.at("2017-07", t.published, p.name)});
      const double error = predicted_s[p.name] / july.back().elapsed_s - 1;
      errors["July"].push_back(error);
      errors["July, " + t.name].push_back(error);
      const auto november = times.total_s.find({"2017-11", t.published, p.name});
      if (november != times.total_s.end()) errors["November"].push_back(predicted_s[p.name] / november->second - 1);
    }
    const auto add_ratio = [&](ratios& to, const std::string& over, const std::string& under) {
      to.modelled.push_back(predicted_s[over] / predicted_s[under]);
      to.published.push_back(times.at("2017-07", t.published, over) / times.at("2017-07", t.published, under));
    };
    for (const std::string machine : machines) add_ratio(gains[machine], machine, machine + "-compiled");
    for (const char* build : {"", "-compiled"})
      add_ratio(over_half, std::string("cpu64") + build, std::string("cpu32") + build);
  }
  rp::study::target_result r{.lines = {}};
  for (const auto& [what, all] : errors)
    r.lines.push_back({rp::concat(what, ": mean error of ", all.size(), " trainings, %"), 100 * mean_error(all),
                       std::nan(""), demand::none, 0, what == "November" ? evidence::hold_out : evidence::calibration});
  for (const char* machine : machines)
    r.lines.push_back({rp::concat(machine, ": AVX2 over SSE2, median"), rp::median(gains[machine].modelled),
                       rp::median(gains[machine].published), demand::none, 0, evidence::calibration});
  const auto no_faster = [](const std::vector<double>& all) {
    return static_cast<double>(std::ranges::count_if(all, [](double ratio) { return ratio >= 0.95; }));
  };
  r.lines.push_back({rp::concat("of ", over_half.modelled.size(), " trainings, at most 5 % less time on 64 than on 32"),
                     no_faster(over_half.modelled), no_faster(over_half.published), demand::none, 0,
                     evidence::calibration});
  const rp::processor::software fitted = rp::processor::fit(july, rp::processor::tensorflow_constants);
  double largest = 0;
  for (const platform& p : rp::processor::published_platforms())
    for (const auto constant : rp::processor::constants)
      if (!rp::exactly(p.with.*constant, fitted.*constant))
        largest = std::max(largest, std::abs(p.with.*constant / (fitted.*constant) - 1));
  r.lines.push_back({"constants against a fit to these times: largest |difference|", largest, std::nan(""),
                     demand::at_most, 0.005, evidence::definitional});
  r.rows = errors["July"].size() + errors["November"].size();
  r.note = rp::concat("constants: ", text(fitted),
                      "; November's TensorFlow 1.4 is newer, and its recurrent layers are twice as fast");
  return r;
}

/// Compares with study D's tables of July: times over the K80's, compiled TensorFlow (AVX2) over the shipped one
/// (SSE2), and the speeds that its times imply.
inline rp::study::target_result compare_study_d_relative(const std::filesystem::path& data) {
  const rp::csv_table t = rp::load_csv((data / "maxwoolf_2017-07_pivot.csv").string());
  std::map<std::pair<std::string, std::string>, std::size_t> rows;  // network, quantity
  for (std::size_t row = 0; row < t.size(); ++row)
    rows[{t.text(row, t.column("model")), t.text(row, t.column("quantity"))}] = row;
  std::set<std::size_t> compared;
  const auto published = [&](const std::string& network, const char* quantity, const std::string& column) {
    const auto found = rows.find({network, quantity});
    rp::require<rp::data_error>(found != rows.end(), t.source(), ": has no ", quantity, " of ", network);
    compared.insert(found->second);
    return t.number(found->second, t.column(column));
  };
  const rp::gpu::platform k80 = gpu_with("k80", "keras-loops");
  rp::study::target_result r{.lines = {}};
  std::vector<double> errors;
  std::size_t right = 0;
  double speed_error = 0;
  for (const study_training& training : study_d_trainings()) {
    const std::string network = training.published;
    const double k80_s = training.total_s(k80), flop = training.matrix_flop();
    const auto check_speed = [&](const std::string& column) {
      const double implied = published(network, "implied_GFLOPs", column);
      if (std::isnan(implied)) return;  // the network has no table of FLOP
      speed_error = std::max(speed_error, std::abs(1e-9 * flop / published(network, "total_s", column) / implied - 1));
    };
    check_speed("gpu");
    for (const char* cpu : {"cpu8", "cpu16", "cpu32", "cpu64"}) {
      const std::string shipped = cpu, compiled = shipped + "-compiled";
      const double shipped_s = training.total_s(rp::processor::find_platform(shipped)),
                   compiled_s = training.total_s(rp::processor::find_platform(compiled));
      for (const auto& [name, column, elapsed_s] :
           {std::tuple(shipped, shipped + "pip", shipped_s), std::tuple(compiled, shipped + "cmp", compiled_s)}) {
        const double theirs = published(network, "rel_time", column), ours = elapsed_s / k80_s;
        check_speed(column);
        errors.push_back(ours / theirs - 1);
        right += (ours > 1) == (theirs > 1) ? 1 : 0;
        r.lines.push_back({rp::concat(training.name, ": time on ", name, " over K80"), ours, theirs, demand::none, 0,
                           evidence::calibration});
      }
      r.lines.push_back({rp::concat(training.name, ": AVX2 over SSE2 on ", shipped), shipped_s / compiled_s,
                         published(network, "pip/cmp speedup", shipped + "cmp"), demand::none, 0,
                         evidence::calibration});
    }
  }
  r.lines.push_back({rp::concat("mean error of ", errors.size(), " times over K80, %"), 100 * mean_error(errors),
                     std::nan(""), demand::none, 0, evidence::calibration});
  r.lines.push_back({"of these, on the right side of the K80, %",
                     100 * static_cast<double>(right) / static_cast<double>(errors.size()), std::nan(""), demand::none,
                     0, evidence::calibration});
  r.lines.push_back({"FLOP over published times against the published FLOP/s: largest |error|", speed_error,
                     std::nan(""), demand::at_most, 0.005, evidence::definitional});
  r.rows = compared.size();
  r.note =
      "the CPUs' constants are fitted to these times, the K80's but for one are not. The K80's recurrent layers are "
      "loops; its convolutions took up to 3 times as long as modelled, so CPUs seem slower next to it";
  return r;
}

/// Compares with study A's trainings and tests on Colab's CPU, and the repetitions by others, by study D's constants.
inline rp::study::target_result compare_study_a_processor(const std::filesystem::path& data) {
  const rp::csv_table t = rp::load_csv((data / "study_a_results.csv").string());
  const auto text = [&](std::size_t row, const char* column) { return t.text(row, t.column(column)); };
  std::map<std::string, std::vector<double>> published_s;  // by network
  rp::study::target_result r{.lines = {}}, single{.lines = {}};
  const platform& colab = rp::processor::find_platform("colab-cpu");
  for (std::size_t row = 0; row < t.size(); ++row) {
    if (text(row, "platform") != "CPU") continue;
    const study_training& training = training_of(study_a_trainings(), 'A', t, row, "net");
    const double theirs = seconds_of(t, row, "seconds");
    const bool trains = text(row, "phase") == "train";
    if (trains) published_s[training.published].push_back(theirs), ++r.rows;
    const std::string source = text(row, "source");
    const char* by = source.starts_with("study_a")  ? "study"
                     : source.starts_with("course") ? "course's notebook"
                                                    : "replication";
    single.lines.push_back({rp::concat(training.name, ", ", text(row, "phase"), ", s; ", by),
                            trains ? training.total_s(colab) : training.test_s(colab), theirs});
  }
  for (const study_training& training : study_a_trainings()) {
    std::vector<double>& runs = published_s[training.published];
    rp::require<rp::data_error>(!runs.empty(), t.source(), ": has no training of ", training.published, " on CPU");
    r.lines.push_back({rp::concat(training.name, ", s; modelled"), training.total_s(colab), rp::median(runs)});
  }
  r.lines.insert(r.lines.end(), single.lines.begin(), single.lines.end());
  r.note =
      "the first lines are medians of 2 to 3 runs, the others single runs; TensorFlow 2.4 has other convolutions than "
      "1.2";
  return r;
}

/// Compares with the speed-ups over the CPU in study A's table, in its per cent: (CPU's time / time − 1) · 100.
inline rp::study::target_result compare_study_a_table(const std::filesystem::path& data) {
  const rp::csv_table t = rp::load_csv((data / "study_a_results.csv").string());
  const auto text = [&](std::size_t row, const char* column) { return t.text(row, t.column(column)); };
  const auto percent = [](double cpu_s, double elapsed_s) { return 100 * (cpu_s / elapsed_s - 1); };
  const platform& colab = rp::processor::find_platform("colab-cpu");
  rp::study::target_result r{.lines = {}};
  std::map<std::tuple<std::string, std::string, std::string>, double> cpu_s;  // by source, network and phase
  double difference = 0;
  for (std::size_t row = 0; row < t.size(); ++row) {
    const double theirs = t.number(row, t.column("speedup_pct_vs_cpu"));
    if (std::isnan(theirs)) continue;
    const std::string network = text(row, "net"), phase = text(row, "phase"), on = text(row, "platform");
    double& base_s = cpu_s[{text(row, "source"), network, phase}];
    if (on == "CPU") base_s = seconds_of(t, row, "seconds");
    rp::require<rp::data_error>(base_s > 0 && (on == "CPU" || on == "GPU" || on == "TPU"),
                                t.where(row, t.column("platform")), " is ", on, "; must be GPU or TPU after CPU");
    ++r.rows;
    difference = std::max(difference, std::abs(percent(base_s, seconds_of(t, row, "seconds")) - theirs));
    if (on == "CPU" || !text(row, "source").starts_with("study_a")) continue;
    const study_training& training = training_of(study_a_trainings(), 'A', t, row, "net");
    const std::string what = rp::concat(training.name, ", ", phase, ", ");
    if (on == "TPU") {
      r.lines.push_back({what + "TPU over CPU, %", 0, theirs});
      continue;
    }
    const rp::gpu::platform k80 = gpu_with("k80", network == "RNN" ? "keras-loops" : "keras");
    const double ours = phase == "train" ? percent(training.total_s(colab), training.total_s(k80))
                                         : percent(training.test_s(colab), training.test_s(k80));
    r.lines.push_back({what + "K80 over CPU, %", ours, theirs});
  }
  r.lines.push_back({"speed-ups of both sources from their times: largest difference, points", difference, std::nan(""),
                     demand::at_most, 0.06, evidence::definitional});
  r.note =
      "in the study's column TPU its networks ran on the host's CPU, since the code asks for no TPU: ours is 0. The "
      "replication, whose later host was up to 9.6 times as fast, is only checked for its arithmetic. The study does "
      "not name its GPU; the K80's software is of 2017";
  return r;
}

/// Compares with study C's trainings on two desktop CPUs, by study D's constants.
inline rp::study::target_result compare_study_c_processors(const std::filesystem::path&) {
  const study_training training(rp::models::embryo_cnn{}, {48'000});
  rp::study::target_result r{.lines = {}};
  const auto add = [&](const char* name, double published_min) {
    r.lines.push_back({rp::concat("20 epochs on ", name, ", min; modelled"),
                       training.total_s(rp::processor::find_platform(name)) / 60, published_min});
  };
  add("i7-dual", 309), add("i7-quad", 134);
  r.note = "the study does not name the CPUs' generation or how its TensorFlow was compiled: SSE2 is assumed";
  return r;
}

}  // namespace tool
