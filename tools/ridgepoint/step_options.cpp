// SPDX-License-Identifier: MIT
#include "step_options.hpp"

#include <algorithm>
#include <map>

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

}  // namespace

ridgepoint::any_optimiser step_options::optimiser_or(ridgepoint::any_optimiser own) const {
  return optimiser.empty() ? own : optimisers().at(optimiser);
}

void add_optimiser_option(CLI::App& app, step_options& o) {
  app.add_option("--optimizer", o.optimiser, "Optimizer and its default learning rate (default: the model's)")
      ->transform(one_of(optimisers()));
}

void add_step_options(CLI::App& app, step_options& o) {
  using ridgepoint::conv_algorithm, ridgepoint::precision;
  static const std::map<std::string, conv_algorithm> algorithms{{"automatic", conv_algorithm::automatic},
                                                                {"exact", conv_algorithm::exact},
                                                                {"segments", conv_algorithm::segments},
                                                                {"patches", conv_algorithm::patches},
                                                                {"joined", conv_algorithm::joined},
                                                                {"dots", conv_algorithm::dots},
                                                                {"winograd", conv_algorithm::winograd},
                                                                {"winograd-2x2", conv_algorithm::winograd_2x2},
                                                                {"winograd-4x4", conv_algorithm::winograd_4x4}};
  static const std::map<std::string, precision> precisions{
      {"f32", precision::f32}, {"bf16", precision::bf16}, {"f16", precision::f16}};
  const auto named = [&app](const char* option, auto& value, const auto& all, const char* what) {
    app.add_option_function<std::string>(
           option, [&value, &all](const std::string& name) { value = all.at(name); }, what)
        ->transform(one_of(all));
  };
  app.add_option("--batch", o.batch, which_batch(known_networks()))->check(number_in(1, 1'000'000));
  named("--algorithm", o.convolution, algorithms,
        "Algorithm of convolutions; winograd where windows allow it (default: automatic)");
  named("--precision", o.in, precisions, "Stored format of activations, gradients and weights (default: f32)");
  add_optimiser_option(app, o);
  add_parameter_options(app, o.network, known_networks());
}

CLI::Option* add_network_argument(CLI::App& app, const char* argument, std::string& to,
                                  const std::vector<known_network>& networks) {
  std::vector<std::string> names;
  std::string list;
  for (const known_network& network : networks) {
    names.emplace_back(network.name);
    list += (list.empty() ? "" : ", ") + names.back();
  }
  return app.add_option(argument, to, "Network: " + list)->transform(in_any_case(names));
}

std::string which_batch(const std::vector<known_network>& networks) {
  std::string text = "Samples per step (default: the model's";
  for (const known_network& network : networks)
    if (network.usual_batch != network.batch) text += ridgepoint::concat(", ", network.name, ' ', network.usual_batch);
  return text + ')';
}

void add_parameter_options(CLI::App& app, ridgepoint::models::parameter_values& to,
                           const std::vector<known_network>& networks) {
  const auto names_with = [&](std::string_view parameter) {  // "paradnn-cnn, retinanet"
    std::string list;
    for (const known_network& network : networks)
      if (std::ranges::count(network.parameters, parameter) > 0)
        list += ridgepoint::concat(list.empty() ? "" : ", ", network.name);
    return list;
  };
  for (const known_network& network : networks)
    for (const std::string_view parameter : network.parameters) {
      if (app.get_option_no_throw(ridgepoint::concat("--", parameter)) != nullptr) continue;
      add_parameter_option(app, to, parameter, ridgepoint::concat("Parameter of ", names_with(parameter)));
    }
}

void add_parameter_option(CLI::App& app, ridgepoint::models::parameter_values& to, std::string_view parameter,
                          const std::string& description) {
  app.add_option_function<ridgepoint::index_t>(
         ridgepoint::concat("--", parameter),
         [&to, name = std::string(parameter)](ridgepoint::index_t value) { to[name] = value; }, description)
      ->check(number_in(0, 1 << 30).description(""));  // each network checks its own range
}

}  // namespace tool
