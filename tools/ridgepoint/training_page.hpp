// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/roofline/html_json.hpp>

#include "training_history.hpp"
#include "vega_bundle.hpp"

namespace tool {

/// The time and loss of every training step, without evaluations between epochs.
class pace {
 public:
  using clock = std::chrono::steady_clock;
  /// Steps [first, last), their time, and their mean loss.
  struct stretch {
    std::size_t first = 0, last = 0;
    double began_s = 0, elapsed_s = 0, loss = 0;
    [[nodiscard]] double steps_per_s() const noexcept {
      return elapsed_s > 0 ? static_cast<double>(last - first) / elapsed_s : 0;
    }
  };

  /// Starts the time of the next step now.
  void resume() { since_ = clock::now(); }
  void step(double loss) {
    const clock::time_point now = clock::now();
    steps_.emplace_back(std::chrono::duration<double>(now - since_).count(), loss);
    since_ = now;
  }
  [[nodiscard]] bool empty() const noexcept { return steps_.empty(); }
  /// Returns all steps in up to `most` stretches of equal length, except the last.
  [[nodiscard]] std::vector<stretch> stretches(std::size_t most) const {
    std::vector<stretch> all;
    const std::size_t each = std::max<std::size_t>(1, (steps_.size() + most - 1) / most);
    double now_s = 0;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (i % each == 0) all.push_back({.first = i, .last = i, .began_s = now_s});
      stretch& s = all.back();
      ++s.last;
      s.elapsed_s += steps_[i].first;
      s.loss += (steps_[i].second - s.loss) / static_cast<double>(s.last - s.first);
      now_s += steps_[i].first;
    }
    return all;
  }

 private:
  clock::time_point since_ = clock::now();
  std::vector<std::pair<double, double>> steps_;  // seconds, loss
};

namespace detail {

/// Returns a line chart of points {x, value, from}; `from` is the tooltip's first line, called `from_name`.
[[nodiscard]] inline nlohmann::json line_chart(nlohmann::json points, const std::string& title, double high,
                                               const std::string& x_name, double x_end, const char* from_name) {
  using nlohmann::json;
  const auto axis = [](const char* field, const std::string& name, double end) {
    return json{
        {"field", field}, {"type", "quantitative"}, {"title", name}, {"scale", {{"domain", {0, end > 0 ? end : 1}}}}};
  };
  json tooltip = json::array();
  for (const auto& [field, name] : {std::pair{"from", std::string(from_name)}, {"value", title}})
    tooltip.push_back({{"field", field}, {"title", name}, {"type", "quantitative"}, {"format", ".4~r"}});
  return {{"$schema", "https://vega.github.io/schema/vega-lite/v5.json"},
          {"description", title},
          {"width", 640},
          {"height", 240},
          {"data", {{"values", std::move(points)}}},
          {"mark", {{"type", "line"}, {"point", true}, {"color", "#0072B2"}}},
          {"encoding", {{"x", axis("x", x_name, x_end)}, {"y", axis("value", title, high)}, {"tooltip", tooltip}}}};
}

/// Returns a line chart over the seconds of training.
[[nodiscard]] inline nlohmann::json line_over_time(const std::vector<pace::stretch>& all, const std::string& title,
                                                   double (*value)(const pace::stretch&)) {
  nlohmann::json points = nlohmann::json::array();
  double high = 0;
  for (const pace::stretch& s : all) {
    points.push_back({{"x", s.began_s + s.elapsed_s / 2}, {"value", value(s)}, {"from", s.first + 1}});
    if (std::isfinite(value(s))) high = std::max(high, value(s));
  }
  const double end_s = all.empty() ? 0 : all.back().began_s + all.back().elapsed_s;
  return line_chart(std::move(points), title, high, "seconds of training", end_s, "from step");
}

/// Returns the test accuracy over the epochs; "" for fewer than two epochs, or without an accuracy.
[[nodiscard]] inline std::string accuracy_section(const std::vector<finished_epoch>& epochs) {
  nlohmann::json points = nlohmann::json::array();
  for (const finished_epoch& e : epochs)
    if (!e.accuracies.empty()) points.push_back({{"x", e.epoch}, {"value", 100 * e.accuracies[0]}, {"from", e.epoch}});
  if (points.size() < 2) return "";
  return "<h2>Test accuracy</h2>\n" + ridgepoint::chart_markup(line_chart(std::move(points), "test accuracy, %", 100,
                                                                          "epoch", epochs.back().epoch, "epoch"));
}

}  // namespace detail

/// Returns the page of a training: description lines, steps per second and loss over time, test accuracy after each
/// epoch, its phases as text, and a section of its own, `more`, in markup.
[[nodiscard]] inline std::string training_page(const std::string& title, const std::vector<std::string>& lines,
                                               const pace& steps, const std::vector<finished_epoch>& epochs,
                                               const std::string& phases, const std::string& more = "") {
  std::string body;
  for (const std::string& line : lines) body += "<p>" + ridgepoint::escape_markup(line) + "</p>\n";
  const auto all = steps.stretches(200);
  body +=
      "<h2>Steps per second</h2>\n" +
      ridgepoint::chart_markup(detail::line_over_time(all, "steps/s", [](const auto& s) { return s.steps_per_s(); })) +
      "<h2>Loss</h2>\n" +
      ridgepoint::chart_markup(detail::line_over_time(all, "loss", [](const auto& s) { return s.loss; })) +
      detail::accuracy_section(epochs) + "<h2>Where the time went</h2>\n<pre>" + ridgepoint::escape_markup(phases) +
      "</pre>\n" + more;
  return ridgepoint::page(title, body, vega_bundle());
}

}  // namespace tool
