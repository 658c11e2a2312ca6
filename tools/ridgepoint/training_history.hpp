// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ridgepoint/graph/fit.hpp>
#include <ridgepoint/roofline/strict_json.hpp>

namespace tool {

namespace rp = ridgepoint;

/// An epoch of a training, evaluated after it.
struct finished_epoch {
  int epoch = 0;  // from 1; a resumed training goes on after the checkpoint's
  std::uint64_t steps = 0;
  double loss = 0, test_loss = 0, train_s = 0;  // train_s: of this epoch, with waiting for samples
  std::vector<double> accuracies = {};          // of each loss that has one, 0 to 1
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

/// Adds the epochs to the document of a training.
inline void add_epochs(rp::json& document, const std::vector<finished_epoch>& epochs) {
  document["schema"] = "ridgepoint.training", document["schema_version"] = 1;
  rp::json& all = document["epochs"] = rp::json::array();
  for (const finished_epoch& e : epochs)
    all.push_back({{"epoch", e.epoch},
                   {"steps", e.steps},
                   {"loss", e.loss},
                   {"test_loss", e.test_loss},
                   {"train_s", e.train_s},
                   {"accuracies", e.accuracies}});
}

/// Returns the first epoch after which a network had this test accuracy, in a file of `train --json`; of several losses
/// the first counts.
/// Throws: value_error if the file is of another network or batch, or never reaches the accuracy; data_error for a file
/// that is no training.
[[nodiscard]] inline rp::index_t epochs_until(double accuracy, const std::string& file, const std::string& network,
                                              rp::index_t batch) {
  const rp::json document = rp::parse_strict(rp::read_file(file, 16 << 20), file);
  const rp::json_reader in(document, file + ": ");
  in.require_schema("ridgepoint.training");
  rp::require<rp::value_error>(in.text("network") == network, file, " is of ", in.text("network"), "; must be of ",
                               network);
  const std::uint64_t of = in.count("batch");
  rp::require<rp::value_error>(of == static_cast<std::uint64_t>(batch), file, " has batch ", of, "; must have ", batch);
  double highest = 0;
  for (const rp::json_reader& epoch : in.objects("epochs")) {
    const std::vector<double> reached = epoch.numbers("accuracies", 0);
    rp::require<rp::value_error>(!reached.empty(), file, ": ", network, " has no accuracy; must have one");
    if (reached[0] >= accuracy) return static_cast<rp::index_t>(epoch.count("epoch", 1'000'000));
    highest = (std::max)(highest, reached[0]);
  }
  throw rp::value_error(rp::concat(file, " reaches a test accuracy of ", highest, "; must reach ", accuracy));
}

}  // namespace tool
