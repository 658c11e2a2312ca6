// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include <ridgepoint/core/either.hpp>
#include <ridgepoint/graph/trainer.hpp>
#include <ridgepoint/models/all.hpp>

#include "peer.hpp"

namespace peer {

/// The networks whose training steps are compared: those of images, with their own loss and optimiser.
using compared_networks = ridgepoint::type_list<
    ridgepoint::models::mnist_mlp, ridgepoint::models::mnist_cnn, ridgepoint::models::mnist_autoencoder,
    ridgepoint::models::keras_mnist_cnn, ridgepoint::models::cifar10_cnn, ridgepoint::models::resnet_32,
    ridgepoint::models::embryo_cnn, ridgepoint::models::resnet_50, ridgepoint::models::mobilenet_v1,
    ridgepoint::models::squeezenet, ridgepoint::models::densenet_121, ridgepoint::models::vgg_16>;

/// What every process of a comparison reads: the same weights and the same batch, network/description.py.
struct network_files {
  std::filesystem::path folder;

  /// RIDGEPOINT_NETWORK. Throws: not_available if nobody has said it.
  [[nodiscard]] static network_files named() {
    const char* folder = std::getenv("RIDGEPOINT_NETWORK");
    if (folder == nullptr) throw not_available("RIDGEPOINT_NETWORK is not set; must be a folder");
    return {folder};
  }
  [[nodiscard]] std::string description() const { return (folder / "network.json").string(); }
  [[nodiscard]] std::string weights() const { return (folder / "weights.safetensors").string(); }
  [[nodiscard]] std::string batch() const { return (folder / "batch.safetensors").string(); }
};

/// A network with its output.
struct described_network {
  ridgepoint::graph net;
  ridgepoint::node output;
};
template <class Model>
[[nodiscard]] described_network described() {
  ridgepoint::graph net{std::string(Model::name)};
  ridgepoint::node output = Model{}.build(net);
  return {std::move(net), std::move(output)};
}
/// The same without its dropout, whose random numbers are everybody's own.
[[nodiscard]] inline described_network without_dropout(const described_network& whole) {
  ridgepoint::graph net(whole.net.name());
  std::vector<ridgepoint::node> at;
  for (const auto& each : whole.net.nodes()) {
    std::vector<ridgepoint::node> inputs;
    for (const int i : each.inputs) inputs.push_back(at[static_cast<std::size_t>(i)]);
    if (!each.layer) at.push_back(net.input(each.output, each.type));
    else if (each.layer->target<ridgepoint::nn::dropout>() != nullptr) at.push_back(inputs[0]);
    else at.push_back(ridgepoint::apply(*each.layer, inputs, each.key));
  }
  return {std::move(net), at[static_cast<std::size_t>(whole.net.index_of(whole.output))]};
}

/// It ready to learn as its model does.
template <class Model, class Backend>
[[nodiscard]] auto network_trainer(const Backend& on, const described_network& of, ridgepoint::index_t batch) {
  return of.net.template train<float>(on, of.output, typename Model::loss{}, typename Model::optimiser{},
                                      ridgepoint::models::learning<Model>({.batch = batch, .seed = 42}));
}

template <class Model>
inline constexpr bool learns_labels = Model::loss::target == ridgepoint::element::i32;

/// A batch of images, and what is to be learnt of them.
template <class Model>
struct network_batch {
  std::vector<float> x;
  std::vector<std::conditional_t<learns_labels<Model>, std::int32_t, float>> y;

  /// Throws: data_error if the files lack one of them.
  explicit network_batch(const network_files& files) {
    for (const ridgepoint::safetensor& t : ridgepoint::read_safetensors(files.batch()).tensors) {
      if (t.name == "x") take(t, x);
      if (t.name == "y") take(t, y);
    }
    ridgepoint::require<ridgepoint::data_error>(!x.empty() && !y.empty(), files.batch(), ": must have x and y");
  }

 private:
  template <class T>
  static void take(const ridgepoint::safetensor& from, std::vector<T>& values) {
    values.resize(from.values.size() / sizeof(T));
    std::memcpy(values.data(), from.values.data(), values.size() * sizeof(T));
  }
};

/// Training steps of a network on one fixed batch, from weights that others start from, too.
template <class Model, class Backend>
class network_problem {
 public:
  network_problem(const Backend& on, ridgepoint::index_t batch, const network_files& files)
      : batch_(files), losses_(first_losses(on, batch, files, batch_)), trainer_(started(on, batch, files)) {}
  void step() { trainer_.step(batch_.x, batch_.y); }
  /// Of the first two steps, without dropout.
  [[nodiscard]] const std::vector<double>& losses() const noexcept { return losses_; }
  /// How many of a step's calls the backend had to leave to another one; empty if it has no other.
  [[nodiscard]] std::string detail() const {
    if constexpr (ridgepoint::composed<Backend>) {
      const auto& program = trainer_.learning().program();
      std::size_t own = 0;
      for (std::size_t call = 0; call < program.call_count(); ++call)
        if (program.executed_by(call) == program.on().name()) ++own;
      return ridgepoint::concat(own, " of ", program.call_count(), " calls, the others on ",
                                program.on().rest().name());
    }
    return "";
  }

 private:
  using trainer = decltype(network_trainer<Model>(std::declval<const Backend&>(), described<Model>(), 1));

  static trainer started(const Backend& on, ridgepoint::index_t batch, const network_files& files) {
    trainer made = network_trainer<Model>(on, described<Model>(), batch);
    made.load_parameters(files.weights());
    return made;
  }
  static std::vector<double> first_losses(const Backend& on, ridgepoint::index_t batch, const network_files& files,
                                          const network_batch<Model>& data) {
    trainer quiet = network_trainer<Model>(on, without_dropout(described<Model>()), batch);
    quiet.load_parameters(files.weights());
    const double first = quiet.step(data.x, data.y);
    return {first, quiet.step(data.x, data.y)};
  }

  network_batch<Model> batch_;
  std::vector<double> losses_;
  trainer trainer_;
};

/// From the words "network f32 mnist-cnn 128".
/// Throws: not_available if they are something else.
template <class Backend>
task network_task(const Backend& on, const words& w) {
  if (w.size() != 4 || w[0] != "network" || w[1] != "f32") throw not_available("not a network in f32");
  return ridgepoint::models::with_model(compared_networks{}, w[2], [&]<class Model>() -> task {
    const auto p = std::make_shared<network_problem<Model, Backend>>(on, std::stol(w[3]), network_files::named());
    return {.work = 1, .run = [p] { p->step(); }, .detail = p->detail(), .losses = p->losses()};
  });
}

}  // namespace peer
