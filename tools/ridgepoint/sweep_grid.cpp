// SPDX-License-Identifier: MIT
#include "sweep_grid.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/core/nearest_name.hpp>
#include <ridgepoint/roofline/strict_json.hpp>

#include "measurement/shown.hpp"
#include "step_options.hpp"
#include "trained_network.hpp"

namespace tool {
namespace {

namespace rp = ridgepoint;
using rp::index_t;

std::vector<index_t> integers(const rp::json_reader& in, const char* key, index_t least) {
  std::vector<index_t> values;
  for (const double value : in.numbers(key, static_cast<double>(least))) {
    rp::require<rp::data_error>(value <= 1 << 30 && std::floor(value) == value, in.path(key), " has ", value,
                                "; must be integers from ", least, " to ", 1 << 30);
    values.push_back(static_cast<index_t>(value));
    rp::require<rp::data_error>(std::ranges::count(values, values.back()) == 1, in.path(key), " has ", value,
                                " twice; must have it once");
  }
  rp::require<rp::data_error>(!values.empty(), in.path(key), " is empty; must have at least one value");
  return values;
}

/// Returns each point's place in the sorted values of every parameter, of the batch and of the networks, from 0 to 1.
std::vector<std::vector<double>> places(const std::vector<sweep_point>& points) {
  std::map<std::string, std::map<index_t, double>> axes;
  std::map<std::string, double> networks;
  for (const sweep_point& p : points) {
    networks[p.network] = axes["batch"][p.batch] = 0;
    for (const auto& [name, value] : p.parameters) axes["--set " + name][value] = 0;
  }
  const auto number = [](auto& axis) {
    double next = 0;
    for (auto& [value, place] : axis) place = axis.size() > 1 ? next++ / static_cast<double>(axis.size() - 1) : 0;
  };
  number(networks);
  for (auto& [name, axis] : axes) number(axis);
  std::vector<std::vector<double>> all;
  all.reserve(points.size());
  for (const sweep_point& p : points) {
    all.push_back({networks[p.network], axes["batch"][p.batch]});
    for (const auto& [name, value] : p.parameters) all.back().push_back(axes["--set " + name][value]);
  }
  return all;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < (std::min)(a.size(), b.size()); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

}  // namespace

std::string sweep_point::text() const { return rp::concat(network, set_option(parameters), " --batch ", batch); }

step_options sweep_point::step() const {
  step_options step;
  step.batch = batch;
  step.network = parameters;
  return step;
}

trained_network sweep_point::trained() const { return unchecked_network(network, step(), 42); }

std::uint64_t sweep_point::hash() const {
  std::uint64_t h = 0xcbf29ce484222325U;
  for (const char c : text()) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return h;
}

sweep_grid load_grid(const std::string& file) {
  const rp::json document = rp::parse_strict(rp::read_file(file, 1 << 20), file);
  const rp::json_reader in(document, file + ": ");
  in.require_schema("ridgepoint.grid");
  sweep_grid g{.name = std::filesystem::path(file).stem().string(),
               .networks = {in.text("network")},
               .parameters = {},
               .batches = integers(in, "batch", 1)};
  const auto known = std::ranges::find(known_networks(), g.networks[0], &known_network::name);
  std::vector<std::string_view> names;
  for (const known_network& network : known_networks()) names.push_back(network.name);
  rp::require<rp::data_error>(known != known_networks().end(), in.path("network"), " is ",
                              measurement::shown(g.networks[0], 40), "; must be one of ", rp::names_of(names),
                              rp::did_you_mean(g.networks[0], names));
  if (in.has("set")) {
    const rp::json_reader set = in.object("set");
    for (const std::string& name : set.keys()) {
      rp::require<rp::data_error>(
          std::ranges::find(known->options, name, &network_option::name) != known->options.end(),
          set.path(name.c_str()), ": ", known->name, " has no such option; `ridgepoint models ", known->name,
          "` lists them");
      g.parameters.emplace_back(name, integers(set, name.c_str(), 0));
    }
  }
  return g;
}

std::vector<sweep_point> spread_out(std::vector<sweep_point> points) {
  std::ranges::sort(points, {}, [](const sweep_point& p) { return std::pair(p.hash(), p.text()); });
  const std::vector<std::vector<double>> at = places(points);
  constexpr std::size_t most_distances = 20'000'000;
  const std::size_t count = points.empty() ? 0 : (std::min)(points.size(), most_distances / points.size());
  std::vector<double> nearest(points.size(), HUGE_VAL);  // squared distance to the chosen points; -1: chosen
  std::vector<std::size_t> order;
  const auto choose = [&](std::size_t i) {
    order.push_back(i);
    for (std::size_t j = 0; j < points.size(); ++j)
      if (nearest[j] >= 0) nearest[j] = (std::min)(nearest[j], distance(at[i], at[j]));
    nearest[i] = -1;
  };
  while (order.size() < count) choose(static_cast<std::size_t>(std::ranges::max_element(nearest) - nearest.begin()));
  for (std::size_t i = 0; i < points.size(); ++i)
    if (nearest[i] >= 0) order.push_back(i);
  std::vector<sweep_point> ordered;
  ordered.reserve(points.size());
  for (const std::size_t i : order) ordered.push_back(std::move(points[i]));
  return ordered;
}

}  // namespace tool
