// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <string>

#include <ridgepoint/graph/compile.hpp>
#include <ridgepoint/models/learning.hpp>
#include <ridgepoint/models/parameters.hpp>

#include "commands.hpp"
#include "networks.hpp"

namespace tool {

/// What a command is told of the steps of a network: how many samples, how they are computed, how is learnt.
struct step_options {
  ridgepoint::index_t batch = 0;  // 0: the model's
  ridgepoint::conv_algorithm convolution = ridgepoint::conv_algorithm::automatic;
  ridgepoint::precision in = ridgepoint::precision::f32;
  std::string optimiser;                         // empty: the model's
  ridgepoint::models::parameter_values network;  // of a model that has parameters

  /// Throws: value_error for a parameter that the model does not have.
  template <class Model>
  [[nodiscard]] Model model_of() const {
    return ridgepoint::models::configured<Model>(network);
  }
  /// " --blocks 1 --pixels 200"
  [[nodiscard]] std::string network_text() const {
    std::string text;
    for (const auto& [name, value] : network) text += ridgepoint::concat(" --", name, ' ', value);
    return text;
  }
  template <class Model>
  [[nodiscard]] ridgepoint::compile_options of(std::uint64_t seed) const {
    return ridgepoint::models::learning<Model>(
        {.batch = batch_of<Model>(), .seed = seed, .precision = in, .convolution = convolution});
  }
  template <class Model>
  [[nodiscard]] ridgepoint::index_t batch_of() const {
    return batch > 0 ? batch : Model::batch;
  }
  template <class Model>
  [[nodiscard]] ridgepoint::any_optimiser optimiser_of() const;
};

namespace detail {
[[nodiscard]] inline const std::map<std::string, ridgepoint::any_optimiser>& optimisers() {
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
}  // namespace detail

template <class Model>
ridgepoint::any_optimiser step_options::optimiser_of() const {
  if (optimiser.empty()) return typename Model::optimiser{};
  return detail::optimisers().at(optimiser);
}

/// Declares --optimizer.
inline void add_optimiser_option(CLI::App& app, step_options& o) {
  app.add_option("--optimizer", o.optimiser,
                 "How is learnt, with the rate that it has by itself (default: as the model is)")
      ->check(CLI::IsMember(detail::optimisers()));
}

/// Declares --batch, --algorithm, --precision, --optimizer and the parameters of networks.
inline void add_step_options(CLI::App& app, step_options& o) {
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
        ->check(CLI::IsMember(all));
  };
  app.add_option("--batch", o.batch, which_batch(trained_networks{}))->check(CLI::Range(1, 1'000'000));
  named("--algorithm", o.convolution, algorithms,
        "How convolutions are computed, winograd where windows suit it (default: automatic)");
  named("--precision", o.in, precisions, "What activations, gradients and weights are stored as (default: f32)");
  add_optimiser_option(app, o);
  add_parameter_options(app, o.network, trained_networks{});
}

}  // namespace tool
