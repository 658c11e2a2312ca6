// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/graph/fit.hpp>
#include <ridgepoint/roofline/strict_json.hpp>

#include "step_options.hpp"

namespace tool {

namespace rp = ridgepoint;

/// An epoch of a training, evaluated after it.
struct finished_epoch {
  int epoch = 0;            // from 1; a resumed training goes on after the checkpoint's
  std::uint64_t steps = 0;  // since the beginning
  double loss = 0, test_loss = 0, train_s = 0;
  std::vector<double> accuracies = {};  // of each loss that has one, 0 to 1
};

/// A training as `train --json` writes it.
struct training_history {
  std::string network;
  rp::index_t batch = 0;
  step_options step = {};
  std::vector<finished_epoch> epochs = {};
};

/// Returns the accuracy of each loss that has one.
[[nodiscard]] inline std::vector<double> accuracies_of(const rp::evaluation& result) {
  std::vector<double> found;
  const auto add = [&](const auto& judged) {
    if (judged.labels > 0) found.push_back(judged.accuracy());
  };
  if (result.each.empty()) add(result);
  for (const rp::judgement& each : result.each) add(each);
  return found;
}

/// Returns "mnist-mlp, batch 128, optimizer adam", with the options that change what is learned.
[[nodiscard]] inline std::string training_text(const training_history& h) {
  return rp::concat(h.network, h.step.network_text(), ", batch ", h.batch,
                    h.step.optimiser.empty() ? "" : ", optimizer " + h.step.optimiser);
}

[[nodiscard]] inline rp::json document(const training_history& h) {
  rp::json epochs = rp::json::array();
  for (const finished_epoch& e : h.epochs)
    epochs.push_back({{"epoch", e.epoch},
                      {"steps", e.steps},
                      {"loss", e.loss},
                      {"test_loss", e.test_loss},
                      {"train_s", e.train_s},
                      {"accuracies", e.accuracies}});
  return {{"schema", "ridgepoint.training"},
          {"schema_version", 1},
          {"training", training_text(h)},
          {"epochs", std::move(epochs)}};
}

/// Returns the first epoch of a file of `train --json` after which the test accuracy was at least `accuracy`; of
/// several losses the first counts.
/// Throws: value_error if the file is of another training or never reaches the accuracy; data_error for a file that is
/// no training, or does not begin at epoch 1.
[[nodiscard]] inline finished_epoch first_epoch_with(double accuracy, const std::string& file,
                                                     const training_history& of) {
  const rp::json document = rp::parse_strict(rp::read_file(file, 16 << 20), file);
  const rp::json_reader in(document, file + ": ");
  in.require_schema("ridgepoint.training");
  rp::require<rp::value_error>(in.text("training") == training_text(of), file, " is of ", in.text("training"),
                               "; must be of ", training_text(of));
  double highest = 0;
  int expected = 1;
  for (const rp::json_reader& epoch : in.objects("epochs")) {
    const auto number = static_cast<int>(epoch.count("epoch", 1'000'000));
    rp::require<rp::data_error>(number == expected, epoch.path("epoch"), " is ", number, "; must be ", expected);
    ++expected;
    const std::vector<double> reached = epoch.numbers("accuracies", 0);
    rp::require<rp::value_error>(!reached.empty(), file, ": ", of.network, " has no accuracy; must have one");
    rp::require<rp::data_error>(reached[0] <= 1, epoch.path("accuracies"), "[0] is ", reached[0],
                                "; must be from 0 to 1");
    if (reached[0] >= accuracy) return {.epoch = number, .steps = epoch.count("steps", 1'000'000'000'000)};
    highest = (std::max)(highest, reached[0]);
  }
  rp::require<rp::data_error>(expected > 1, file, " has no epoch; must have one");
  throw rp::value_error(rp::concat(file, " reaches a test accuracy of ", highest, "; must reach ", accuracy));
}

}  // namespace tool
