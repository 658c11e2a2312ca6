// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/core/quantile.hpp>
#include <ridgepoint/roofline/strict_json.hpp>

#include "cpu_targets.hpp"
#include "gpu_targets.hpp"

/// Study D's statements, costs and accuracies.
namespace tool {

/// Returns the cost of a time at study D's price of a month; compiled TensorFlow costs the same per hour.
[[nodiscard]] inline double study_d_usd(std::string machine, const std::string& month, double elapsed_s) {
  if (const auto end = machine.find("-compiled"); end != std::string::npos) machine.resize(end);
  return rp::study::cost_usd(elapsed_s, find_price(rp::study::published_prices(), machine, month)->usd_per_hour);
}

/// Compares July's costs over the K80's, modelled, for 7 networks on 8 CPUs.
inline rp::study::target_result compare_study_d_july_costs(const std::filesystem::path& data) {
  const rp::csv_table t = rp::load_csv((data / "maxwoolf_2017-07_pivot.csv").string());
  const rp::gpu::platform k80 = gpu_with("k80", "keras-loops");
  const std::string month = "2017-07";
  rp::study::target_result r{.lines = {}};
  std::vector<double> errors;
  for (std::size_t row = 0; row < t.size(); ++row) {
    if (t.text(row, t.column("quantity")) != "rel_cost") continue;
    const study_training& training = training_of(study_d_trainings(), 'D', t, row, "model");
    ++r.rows;
    const double base = study_d_usd("k80", month, training.total_s(k80));
    for (const char* cpu : {"cpu8", "cpu16", "cpu32", "cpu64"})
      for (const char* build : {"pip", "cmp"}) {
        const std::string name = std::string(cpu) + (build == std::string_view("cmp") ? "-compiled" : "");
        const double ours = study_d_usd(name, month, training.total_s(rp::processor::find_platform(name))) / base,
                     theirs = t.number(row, t.column(std::string(cpu) + build));
        errors.push_back(ours / theirs - 1);
        r.lines.push_back({rp::concat(training.name, ": cost on ", name, " over K80"), ours, theirs, demand::none, 0,
                           evidence::calibration});
      }
  }
  r.lines.push_back({rp::concat("mean error of ", errors.size(), " costs over K80, %"), 100 * mean_error(errors),
                     std::nan(""), demand::none, 0, evidence::calibration});
  r.note = "costs are modelled times at the study's prices; errors are as in study-d-relative";
  return r;
}

/// Compares with what study D says in its text, its prices, and November's times on CPUs; lists CNTK's times.
inline rp::study::target_result compare_study_d_text(const std::filesystem::path& data) {
  const rp::csv_table t = rp::load_csv((data / "maxwoolf_summary.csv").string());
  const study_d_times times(t);
  const std::string july = "2017-07", november = "2017-11";
  const auto cpu_s = [](const study_training& training, const std::string& name) {
    return training.total_s(rp::processor::find_platform(name));
  };
  rp::study::target_result r{.lines = {}};
  const auto fitted = [&](std::string what, double ours, double theirs) {
    r.lines.push_back({std::move(what), ours, theirs, demand::none, 0, evidence::calibration});
  };
  std::vector<double> saved, published_saved;
  double faster = 0, cheaper = 0, published_faster = 0, published_cheaper = 0;
  for (const study_training& training : study_d_trainings()) {
    const double k80_s = training.total_s(gpu_with("k80", "keras-loops")),
                 published_k80_s = times.at(july, training.published, "k80");
    for (const std::string cpu : {"cpu8", "cpu16"}) {
      const auto published_s = [&](const std::string& on) { return times.at(july, training.published, on); };
      saved.push_back(100 * (1 - cpu_s(training, cpu + "-compiled") / cpu_s(training, cpu)));
      published_saved.push_back(100 * (1 - published_s(cpu + "-compiled") / published_s(cpu)));
    }
    const std::string best = "cpu16-compiled";
    const auto is_cheaper = [&](double on_cpu, double on_k80) {
      return study_d_usd(best, july, on_cpu) < study_d_usd("k80", july, on_k80) ? 1 : 0;
    };
    if (training.published != "text_generator_keras" &&   // November has no times of its own
        training.published != "imdb_bidirectional_lstm")  // below
      r.lines.push_back({rp::concat(training.name, ": July's software over November's, K80"),
                         k80_s / training.total_s(gpu_with("k80", "keras")),
                         published_k80_s / times.at(november, training.published, "k80")});
    cheaper += is_cheaper(cpu_s(training, best), k80_s);
    published_cheaper += is_cheaper(times.at(july, training.published, best), published_k80_s);
    if (training.published != "imdb_bidirectional_lstm") continue;
    for (const std::string cpu : {"cpu8", "cpu16", "cpu32", "cpu64"})
      for (const char* build : {"", "-compiled"}) {
        faster += cpu_s(training, cpu + build) < k80_s ? 1 : 0;
        published_faster += times.at(july, training.published, cpu + build) < published_k80_s ? 1 : 0;
      }
    r.lines.push_back({"bidirectional LSTM on K80: July's loops over November's cuDNN (published: about 7)",
                       k80_s / training.total_s(gpu_with("k80", "keras")),
                       published_k80_s / times.at(november, training.published, "k80")});
  }
  fitted("time saved by compiling, 8 and 16 vCPU, median, % (published: 30 to 40)", rp::median(saved), 35);
  r.lines.push_back(
      {"the same from the published times", rp::median(published_saved), 35, demand::none, 0, evidence::definitional});
  fitted("of 8 CPUs, faster than K80 for the bidirectional LSTM", faster, published_faster);
  fitted("of 7 networks, 16 vCPU compiled cheaper than K80", cheaper, published_cheaper);

  double p100_cheapest = 0, cpu16_cheapest = 0, published_p100 = 0, published_cpu16 = 0;
  for (const study_training& training : study_d_trainings()) {
    if (training.published == "text_generator_keras") continue;  // November has no times of its own
    const auto cheapest = [&](const auto& elapsed_s) {
      std::map<double, std::string> by_cost;
      for (const std::string on : {"k80", "p100", "cpu16", "cpu32"})
        by_cost[study_d_usd(on, november, elapsed_s(on))] = on;
      return by_cost.begin()->second;
    };
    const std::string ours = cheapest([&](const std::string& on) {
      return on.starts_with("cpu") ? cpu_s(training, on) : training.total_s(gpu_with(on.c_str(), "keras"));
    });
    const std::string theirs =
        cheapest([&](const std::string& on) { return times.at(november, training.published, on); });
    p100_cheapest += ours == "p100" ? 1 : 0, published_p100 += theirs == "p100" ? 1 : 0;
    cpu16_cheapest += ours == "cpu16" ? 1 : 0, published_cpu16 += theirs == "cpu16" ? 1 : 0;
    for (const std::string on : {"cpu16", "cpu32"})
      r.lines.push_back({rp::concat(training.name, ", s; ", on, ", November"), cpu_s(training, on),
                         times.at(november, training.published, on)});
  }
  r.lines.push_back(
      {"of 6 networks in November, cheapest on P100 (published: never)", p100_cheapest, published_p100, demand::equal});
  r.lines.push_back({"of 6 networks in November, cheapest on 16 vCPU", cpu16_cheapest, published_cpu16});

  const auto price = [&](const char* machine, const std::string& month, double printed) {
    r.lines.push_back({rp::concat(machine, ", USD per hour, ", month), study_d_usd(machine, month, 3600), printed,
                       demand::within, 1e-3, evidence::definitional});
  };
  price("k80", july, 0.745), price("cpu8", july, 0.0636), price("cpu16", july, 0.1273), price("cpu32", july, 0.2546);
  price("cpu64", july, 0.5091);
  price("k80", november, 0.4975), price("p100", november, 1.5075), price("cpu16", november, 0.12);
  price("cpu32", november, 0.24);
  for (std::size_t row = 0; row < t.size(); ++row) {
    const auto text = [&](const char* column) { return t.text(row, t.column(column)); };
    if (text("framework") != "cntk" || text("post") != november) continue;
    r.lines.push_back({rp::concat("CNTK: ", text("model"), " on ", text("platform"), ", s; not modelled"), std::nan(""),
                       seconds_of(t, row, "total_s")});
    ++r.rows;
  }
  r.note =
      "the constants of CPUs are fitted to July's times; November's TensorFlow 1.4 is newer. CNTK's ops and their "
      "times are not public, so that its times are only listed; five of six on K80 are repeated from June 2017";
  return r;
}

/// The accuracy and the loss after the last epoch of a training, NaN if its file is missing.
struct last_epoch {
  double accuracy = std::nan(""), loss = std::nan("");
};
/// Reads a file of `train --json`. Throws: data_error for a file that is no training of the network.
[[nodiscard]] inline last_epoch last_epoch_of(const std::filesystem::path& file, std::string_view network) {
  last_epoch last;
  std::error_code none;
  if (!std::filesystem::exists(file, none)) return last;
  const rp::json document = rp::parse_strict(rp::read_file(file.string(), 16 << 20), file.string());
  const rp::json_reader in(document, file.string() + ": ");
  in.require_schema("ridgepoint.training");
  const std::string training = in.text("training");
  rp::require<rp::data_error>(training.starts_with(rp::concat(network, ", batch ")), file.string(), ": training is ",
                              rp::printable(training), "; must be of ", network, " without --set");
  for (const rp::json_reader& epoch : in.objects("epochs")) {
    const std::vector<double> accuracies = epoch.numbers("accuracies", 0);
    last = {accuracies.empty() ? std::nan("") : accuracies[0], epoch.number("loss", -1e300, 1e300)};
  }
  return last;
}

/// Compares accuracies with study D's: the median over its runs on all machines, and ours from files of `train --json`.
inline rp::study::target_result compare_study_d_accuracies(const std::filesystem::path& data) {
  const rp::csv_table t = rp::load_csv((data / "maxwoolf_summary.csv").string());
  rp::study::target_result r{.lines = {}};
  std::size_t trained = 0;
  for (const study_training& training : study_d_trainings()) {
    std::vector<double> accuracies, losses;
    for (std::size_t row = 0; row < t.size(); ++row) {
      if (t.text(row, t.column("model")) != training.published) continue;
      if (t.text(row, t.column("framework")) != "tensorflow") continue;
      const double accuracy = t.number(row, t.column("final_val_acc"));
      if (!std::isnan(accuracy)) accuracies.push_back(accuracy);
      losses.push_back(t.number(row, t.column("final_loss")));
      ++r.rows;
    }
    rp::require<rp::data_error>(!losses.empty(), t.source(), ": has no ", training.published);
    const last_epoch ours = last_epoch_of(data / rp::concat("train_", training.name, ".json"), training.name);
    trained += std::isnan(ours.loss) ? 0U : 1U;
    if (!accuracies.empty()) {
      r.lines.push_back(
          {rp::concat(training.name, ": accuracy after training"), ours.accuracy, rp::median(accuracies)});
      const auto [low, high] = std::ranges::minmax(accuracies);
      r.lines.push_back({rp::concat(training.name, ": published, best less worst machine, points"), 100 * (high - low),
                         std::nan(""), demand::none, 0, evidence::definitional});
    } else {
      r.lines.push_back({rp::concat(training.name, ": loss of the last epoch"), ours.loss, rp::median(losses)});
    }
  }
  r.note = rp::concat(
      "published: medians over all machines. Ours are of trainings on the same data: files train_NETWORK.json of "
      "ridgepoint train --data --json in the folder of --data; there ",
      trained == 1 ? "is " : "are ", trained, " of 7");
  return r;
}

}  // namespace tool
