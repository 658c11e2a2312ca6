// SPDX-License-Identifier: MIT
#include "step_options.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>

#include "number_option.hpp"
#include "one_of.hpp"
#include "trained_network.hpp"

namespace tool {
namespace {

const std::map<std::string, ridgepoint::any_optimiser>& optimisers() {
  namespace nn = ridgepoint::nn;
  static const std::map<std::string, ridgepoint::any_optimiser> all{{"sgd", nn::sgd{}},
                                                                    {"momentum", nn::momentum{}},
                                                                    {"rmsprop", nn::rmsprop_keras{}},
                                                                    {"rmsprop-tf1", nn::rmsprop_tf1{}},
                                                                    {"adam", nn::adam{}},
                                                                    {"adamw", nn::adamw{}},
                                                                    {"adadelta", nn::adadelta{}}};
  return all;
}

const std::map<std::string, ridgepoint::precision>& stored_formats() {
  using ridgepoint::precision;
  static const std::map<std::string, precision> all{
      {"f32", precision::f32}, {"bf16", precision::bf16}, {"f16", precision::f16}};
  return all;
}

constexpr ridgepoint::index_t largest_value = 1 << 30;  // of an option of a network, which checks its own range

/// Adds settings such as "layers=32,nodes=2048"; returns the error, or "".
std::string add_settings(ridgepoint::models::parameter_values& to, const std::string& text) {
  std::istringstream settings(text + ',');
  for (std::string one; std::getline(settings, one, ',');) {
    const std::size_t equals = (std::min)(one.find('='), one.size());
    const std::string value = one.substr((std::min)(equals + 1, one.size()));
    const std::optional number = measurement::decimal<ridgepoint::index_t>(value);
    if (equals == 0 || !number || *number < 0 || *number > largest_value)
      return ridgepoint::concat("is ", text, "; must be NAME=VALUE with an integer from 0 to ", largest_value,
                                ", as in layers=32");
    to[one.substr(0, equals)] = *number;
  }
  return "";
}

}  // namespace

std::string step_options::network_text() const {
  std::string text;
  for (const auto& [name, value] : network) text += ridgepoint::concat(' ', name, '=', value);
  return text;
}

std::string set_option(const ridgepoint::models::parameter_values& values) {
  std::string text;
  for (const auto& [name, value] : values) text += ridgepoint::concat(text.empty() ? " --set " : ",", name, '=', value);
  return text;
}

ridgepoint::precision step_options::stored() const {
  if (precision.empty()) return ridgepoint::precision::f32;
  const auto found = stored_formats().find(precision);
  ridgepoint::require<ridgepoint::value_error>(found != stored_formats().end(), "--precision is ", precision,
                                               ", which only models of machines have; must be f32, bf16 or f16");
  return found->second;
}

ridgepoint::any_optimiser step_options::optimiser_or(ridgepoint::any_optimiser own) const {
  return optimiser.empty() ? own : optimisers().at(optimiser);
}

void add_set_option(CLI::App& app, ridgepoint::models::parameter_values& to) {
  const auto add = [&to](const std::vector<std::string>& all) {
    for (const std::string& text : all)
      if (const std::string wrong = add_settings(to, text); !wrong.empty()) throw CLI::ValidationError("--set", wrong);
  };
  app.add_option_function<std::vector<std::string>>("--set", add,
                                                    "Options of the network, as layers=32,nodes=64; see models NETWORK")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
}

void add_step_options(CLI::App& app, step_options& o) {
  using ridgepoint::conv_algorithm;
  static const std::map<std::string, conv_algorithm> algorithms{{"automatic", conv_algorithm::automatic},
                                                                {"exact", conv_algorithm::exact},
                                                                {"segments", conv_algorithm::segments},
                                                                {"patches", conv_algorithm::patches},
                                                                {"joined", conv_algorithm::joined},
                                                                {"dots", conv_algorithm::dots},
                                                                {"winograd", conv_algorithm::winograd},
                                                                {"winograd-2x2", conv_algorithm::winograd_2x2},
                                                                {"winograd-4x4", conv_algorithm::winograd_4x4}};
  add_set_option(app, o.network);
  app.add_option("--batch", o.batch, which_batch(known_networks()))->check(number_in(1, 1 << 30));
  app.add_option_function<std::string>(
         "--algorithm", [&o](const std::string& name) { o.convolution = algorithms.at(name); },
         "Convolution algorithm; winograd where it applies (default: automatic)")
      ->transform(one_of(algorithms));
  app.add_option("--optimizer", o.optimiser, "Optimizer and its default learning rate (default: the model's)")
      ->transform(one_of(optimisers()));
}

CLI::Option* add_network_argument(CLI::App& app, const char* argument, std::string& to,
                                  const std::vector<known_network>& networks) {
  std::vector<std::string> names;
  names.reserve(networks.size());
  for (const known_network& network : networks) names.emplace_back(network.name);
  const bool all = networks.size() == known_networks().size();
  return app
      .add_option(argument, to,
                  all ? "Network; `ridgepoint models` lists them" : "Network: " + ridgepoint::names_of(networks))
      ->transform(in_any_case(names));
}

std::string which_batch(const std::vector<known_network>& networks) {
  std::string text = "Samples per step (default: the model's";
  for (const known_network& network : networks)
    if (network.usual_batch != network.batch) text += ridgepoint::concat(", ", network.name, ' ', network.usual_batch);
  return text + ')';
}

}  // namespace tool
