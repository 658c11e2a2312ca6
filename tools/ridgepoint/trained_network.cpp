// SPDX-License-Identifier: MIT
#include "trained_network.hpp"

#include <ridgepoint/models/all.hpp>

#include "networks.hpp"

namespace tool {
namespace {

namespace rp = ridgepoint;

template <class Model>
constexpr bool reads_characters() {
  if constexpr (requires { Model::texts; }) return Model::texts.from == rp::models::study_texts::set::characters;
  return false;
}

template <class Model>
constexpr bool reads_embryos() {
  using rp::models::study_images;
  if constexpr (requires { Model::images; }) return Model::images.from == study_images::set::embryos;
  return false;
}

template <class Model>
trained_network described(step_options step, std::uint64_t seed) {
  if (step.batch == 0) step.batch = rp::models::usual_batch<Model>();
  const auto model = std::make_shared<Model>(rp::models::configured<Model>(step.network));
  const auto build = [model](rp::graph& net) { return rp::models::objectives_of(*model, net); };
  const auto asked = step.network.find("vocabulary");
  const rp::index_t vocabulary = asked == step.network.end() ? 0 : asked->second;
  const auto load = [=](const data_source& from) {
    training_data data(*model, from);
    if constexpr (reads_characters<Model>())
      rp::require<rp::value_error>(vocabulary == 0 || vocabulary == model->text.vocabulary, Model::name,
                                   ": vocabulary is ", vocabulary, ", but the text has ", model->text.vocabulary,
                                   " different characters; must be as many, or not be given");
    return data;
  };
  return {.name = std::string(Model::name),
          .epochs = Model::epochs,
          .batch = step.batch,
          .optimiser = step.optimiser_or(typename Model::optimiser{}),
          .options = rp::models::learning<Model>(
              {.batch = step.batch, .seed = seed, .precision = step.stored(), .convolution = step.convolution}),
          .writes = reads_characters<Model>(),
          .embryos = reads_embryos<Model>(),
          .load = load,
          .build = build};
}

}  // namespace

trained_network network_named(const std::string& name, const step_options& step, std::uint64_t seed) {
  trained_network named = unchecked_network(name, step, seed);
  rp::graph refused_early(named.name);
  static_cast<void>(named.build(refused_early));
  return named;
}

trained_network unchecked_network(const std::string& name, const step_options& step, std::uint64_t seed) {
  return *rp::models::with_model(trained_networks{}, name, [&]<class Model>() {
    return std::make_shared<const trained_network>(described<Model>(step, seed));
  });
}

const std::vector<known_network>& known_networks() {
  static const std::vector<known_network> all = known(trained_networks{});
  return all;
}

rp::compiled training_plan(const trained_network& of) {
  rp::graph net(of.name);
  return rp::plan_training(net, of.build(net), of.optimiser, of.options);
}

rp::plan smallest_training(std::string_view name, rp::precision in) {
  step_options one;
  one.batch = 1;
  one.precision = to_string(in);
  return training_plan(network_named(std::string(name), one, 0)).plan;
}

}  // namespace tool
