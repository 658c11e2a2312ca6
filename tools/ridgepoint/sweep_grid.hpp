// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ridgepoint/models/learning.hpp>

namespace tool {

struct step_options;
struct trained_network;

/// A network with its parameters and batch: a point of a sweep.
struct sweep_point {
  std::string network;
  ridgepoint::models::parameter_values parameters;
  ridgepoint::index_t batch = 0;

  /// "paradnn-fc --set layers=4,nodes=32 --batch 64": the arguments of a command; equal for equal points.
  [[nodiscard]] std::string text() const;
  /// FNV-1a of text(): the same on every machine.
  [[nodiscard]] std::uint64_t hash() const;
  /// Returns the options of its step.
  [[nodiscard]] step_options step() const;
  /// Returns the network to train. Throws: as unchecked_network().
  [[nodiscard]] trained_network trained() const;
  friend bool operator==(const sweep_point&, const sweep_point&) = default;
};

/// Networks and the values of their parameters and of the batch; every combination is a point.
struct sweep_grid {
  std::string name;  // of the output file
  std::vector<std::string> networks;
  std::vector<std::pair<std::string, std::vector<ridgepoint::index_t>>> parameters;
  std::vector<ridgepoint::index_t> batches;
  static constexpr double most_points = 1e6;

  /// Returns the values of a parameter. Throws: value_error for an unknown parameter.
  [[nodiscard]] const std::vector<ridgepoint::index_t>& values(std::string_view parameter) const {
    for (const auto& [known, of] : parameters)
      if (known == parameter) return of;
    throw ridgepoint::value_error(ridgepoint::concat("sweep ", name, ": has no parameter ", parameter));
  }
  /// Returns the number of points.
  [[nodiscard]] double size() const noexcept;
  /// Returns every point, in the order of the values, the batch fastest. Throws: value_error for more than most_points.
  [[nodiscard]] std::vector<sweep_point> points() const;
};

inline double sweep_grid::size() const noexcept {
  auto count = static_cast<double>(networks.size() * batches.size());
  for (const auto& [parameter, of] : parameters) count *= static_cast<double>(of.size());
  return count;
}

inline std::vector<sweep_point> sweep_grid::points() const {
  ridgepoint::require<ridgepoint::value_error>(size() <= most_points, "sweep ", name, ": has ", size(),
                                               " points; must have at most ", most_points);
  std::vector<sweep_point> all;
  for (const std::string& network : networks) all.push_back({network, {}, 0});
  const auto cross = [&](const std::vector<ridgepoint::index_t>& with, const auto& set) {
    std::vector<sweep_point> more;
    more.reserve(all.size() * with.size());
    for (const sweep_point& p : all)
      for (const ridgepoint::index_t value : with) more.push_back(p), set(more.back(), value);
    all = std::move(more);
  };
  for (const auto& [parameter, of] : parameters)
    cross(of, [&name = parameter](sweep_point& p, ridgepoint::index_t value) { p.parameters[name] = value; });
  cross(batches, [](sweep_point& p, ridgepoint::index_t value) { p.batch = value; });
  return all;
}

/// All networks of a published grid, or only those that heat maps show.
enum class extent_of_sweep { all, drawn };

/// Names of published_grid().
inline constexpr std::array<std::string_view, 4> published_grids{"fc", "cnn", "rnn", "study-a"};
/// True for ParaDnn's families: they have charts.
[[nodiscard]] constexpr bool is_family(std::string_view grid) noexcept { return grid != "study-a"; }

/// Returns ParaDnn's grid of fully connected ("fc"), convolutional ("cnn") or recurrent ("rnn") networks: table 2; or
/// study A's five networks ("study-a").
[[nodiscard]] inline sweep_grid published_grid(std::string_view family, extent_of_sweep which) {
  const bool drawn = which == extent_of_sweep::drawn;
  sweep_grid g{.name = std::string(family), .networks = {}, .parameters = {}, .batches = {}};
  const auto values = [&](std::vector<ridgepoint::index_t> all, ridgepoint::index_t shown) {
    return drawn ? std::vector<ridgepoint::index_t>{shown} : all;
  };
  if (family == "fc") {
    g.networks = {"paradnn-fc"};
    g.parameters = {{"layers", values({4, 8, 16, 32, 64, 128}, 32)},
                    {"nodes", {32, 64, 128, 256, 512, 1024, 2048, 4096, 8192}},
                    {"inputs", values({2000, 4000, 6000, 8000}, 2000)},
                    {"outputs", values({200, 400, 600, 800, 1000}, 1000)}};
    g.batches = {64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384};
  } else if (family == "cnn") {
    g.networks = {"paradnn-cnn"};
    g.parameters = {{"bottleneck", values({0, 1}, 1)},
                    {"blocks", values({1, 2, 3, 4, 5, 6, 7, 8}, 4)},
                    {"filters", {16, 32, 64}},
                    {"pixels", values({200, 250, 300}, 200)},
                    {"outputs", values({500, 1000, 1500}, 1000)}};
    g.batches = {64, 128, 256, 512, 1024};
  } else if (family == "study-a") {
    g.networks = {"mnist-mlp", "mnist-cnn", "mnist-rnn", "mnist-lstm", "mnist-autoencoder"};
    g.batches = {128};
  } else {
    g.networks = {"paradnn-rnn"};
    if (!drawn) g.networks.insert(g.networks.end(), {"paradnn-gru", "paradnn-lstm"});
    g.parameters = {{"layers", values({1, 5, 9, 13}, 5)},
                    {"width", {100, 500, 900}},
                    {"length", values({10, 50, 90}, 50)},
                    {"vocabulary", values({2, 8, 32, 128, 512}, 512)}};
    g.batches = {16, 64, 256, 1024};
  }
  return g;
}

/// Reads {"schema": "ridgepoint.grid", "schema_version": 1, "network": NAME, "set": {PARAMETER: [VALUE, …]}, "batch":
/// [VALUE, …]}. Throws: data_error.
[[nodiscard]] sweep_grid load_grid(const std::string& file);

/// Orders points so that each next one is as different as possible from those before it: any first part of the sweep
/// covers the whole grid. Distances are between places in the sorted values of each parameter. Beyond some thousand
/// points the order is by hash.
[[nodiscard]] std::vector<sweep_point> spread_out(std::vector<sweep_point> points);

}  // namespace tool
