// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <ridgepoint/core/either.hpp>
#include <ridgepoint/graph/trainer.hpp>
#include <ridgepoint/models/all.hpp>

#include "peer.hpp"

namespace peer {

/// Networks whose training steps are compared: of images and of sequences, with their own loss and optimiser.
using compared_networks = ridgepoint::type_list<
    ridgepoint::models::mnist_mlp, ridgepoint::models::mnist_cnn, ridgepoint::models::mnist_autoencoder,
    ridgepoint::models::keras_mnist_mlp, ridgepoint::models::keras_mnist_cnn, ridgepoint::models::cifar10_cnn,
    ridgepoint::models::resnet_18, ridgepoint::models::resnet_32, ridgepoint::models::embryo_cnn,
    ridgepoint::models::resnet_50, ridgepoint::models::mobilenet_v1, ridgepoint::models::squeezenet,
    ridgepoint::models::densenet_121, ridgepoint::models::vgg_16, ridgepoint::models::mnist_rnn,
    ridgepoint::models::mnist_lstm, ridgepoint::models::imdb_bidirectional_lstm, ridgepoint::models::imdb_fasttext,
    ridgepoint::models::lstm_text_generation, ridgepoint::models::text_generator_keras, ridgepoint::models::paradnn_rnn,
    ridgepoint::models::paradnn_gru, ridgepoint::models::paradnn_lstm, ridgepoint::models::transformer_base,
    ridgepoint::models::transformer_big>;

/// Files that every process of a comparison reads: the same weights and the same batch, network/description.py.
struct network_files {
  std::filesystem::path folder;

  /// Reads RIDGEPOINT_NETWORK. Throws: not_available if it is not set.
  [[nodiscard]] static network_files named() {
    const char* folder = std::getenv("RIDGEPOINT_NETWORK");
    if (folder == nullptr) throw not_available("RIDGEPOINT_NETWORK is not set; must be a folder");
    return {folder};
  }
  [[nodiscard]] std::string description() const { return (folder / "network.json").string(); }
  [[nodiscard]] std::string weights() const { return (folder / "weights.safetensors").string(); }
  [[nodiscard]] std::string batch() const { return (folder / "batch.safetensors").string(); }
};

/// Network with its loss and optimiser.
struct described_network {
  ridgepoint::graph net;
  std::vector<ridgepoint::objective> objectives;
  ridgepoint::any_optimiser optimiser;
  ridgepoint::compile_options options;

  /// Returns a trainer of the network.
  template <class Backend>
  [[nodiscard]] ridgepoint::trainer<float, Backend> trainer(const Backend& on) const {
    return ridgepoint::trainer<float, Backend>(net, on, objectives, optimiser, options,
                                               ridgepoint::library_ops<float, Backend>());
  }
};
/// Throws: value_error for parameters that the model does not have.
template <class Model>
[[nodiscard]] described_network described(const ridgepoint::models::parameter_values& parameters,
                                          ridgepoint::index_t batch,
                                          ridgepoint::precision in = ridgepoint::precision::f32) {
  ridgepoint::graph net{std::string(Model::name)};
  auto objectives = ridgepoint::models::objectives_of(ridgepoint::models::configured<Model>(parameters), net);
  return {std::move(net), std::move(objectives), typename Model::optimiser{},
          ridgepoint::models::learning<Model>({.batch = batch, .seed = 42, .precision = in})};
}
/// Returns the network without dropout, whose random numbers differ between implementations.
[[nodiscard]] inline described_network without_dropout(const described_network& whole) {
  described_network quiet = whole;
  quiet.net = ridgepoint::graph(whole.net.name());
  std::vector<ridgepoint::node> at;
  for (const auto& each : whole.net.nodes()) {
    std::vector<ridgepoint::node> inputs;
    for (const int i : each.inputs) inputs.push_back(at[static_cast<std::size_t>(i)]);
    if (!each.layer) at.push_back(quiet.net.input(each.output, each.type));
    else if (each.layer->target<ridgepoint::nn::dropout>() != nullptr) at.push_back(inputs[0]);
    else at.push_back(ridgepoint::apply(*each.layer, inputs, each.key));
  }
  for (ridgepoint::objective& each : quiet.objectives)
    each.output = at[static_cast<std::size_t>(whole.net.index_of(each.output))];
  return quiet;
}

/// Returns the name of an input of a trainer's network.
template <class Trainer>
[[nodiscard]] const std::string& input_name(const Trainer& of, std::size_t input) {
  return of.plan()[of.learning().made().inputs[input]].name;
}
/// Returns the name of a loss's targets in a batch: "y_1" for the first loss.
[[nodiscard]] inline std::string target_name(std::size_t loss) { return ridgepoint::concat("y_", loss + 1); }

/// Inputs of a step of a network, and the targets of its losses.
struct network_feed {
  std::vector<ridgepoint::host_values<float>> x, y;

  template <class Trainer>
  double step(Trainer& of) const {
    return of.step(std::span(x), std::span(y));
  }
};

/// Batch with its targets: numbers, ids or labels, by name.
class network_batch {
 public:
  /// Throws: data_error if the file is missing.
  explicit network_batch(const network_files& files) : file_(files.batch()) {
    for (const ridgepoint::safetensor& t : ridgepoint::read_safetensors(file_).tensors) columns_[t.name].take(t);
  }
  /// Returns the values in the order of a trainer; they refer to this object.
  /// Throws: data_error if the file lacks an input or a target.
  template <class Trainer>
  [[nodiscard]] network_feed feed(const Trainer& of) const {
    network_feed made;
    for (std::size_t i = 0; i < of.learning().made().inputs.size(); ++i) made.x.push_back(column_of(input_name(of, i)));
    for (std::size_t l = 0; l < of.learning().made().losses.size(); ++l) made.y.push_back(column_of(target_name(l)));
    return made;
  }

 private:
  using value = ridgepoint::host_values<float>;

  struct column {
    std::vector<float> numbers;
    std::vector<std::int32_t> ids;

    void take(const ridgepoint::safetensor& from) {
      if (from.dtype == "I32") fill(from, ids);
      else fill(from, numbers);
    }
    [[nodiscard]] value all() const { return ids.empty() ? value(numbers) : value(ids); }

   private:
    template <class T>
    static void fill(const ridgepoint::safetensor& from, std::vector<T>& to) {
      to.resize(from.values.size() / sizeof(T));
      std::memcpy(to.data(), from.values.data(), to.size() * sizeof(T));
    }
  };

  [[nodiscard]] value column_of(const std::string& name) const {
    const auto at = columns_.find(name);
    ridgepoint::require<ridgepoint::data_error>(at != columns_.end(), file_, ": has no ", name, "; must have it");
    return at->second.all();
  }

  std::string file_;
  std::map<std::string, column> columns_;
};

/// Returns the number of steps whose losses every implementation reports: RIDGEPOINT_LOSSES, or two.
[[nodiscard]] inline std::size_t losses_asked_for() {
  const char* count = std::getenv("RIDGEPOINT_LOSSES");
  return count == nullptr ? 2 : std::max(1UL, std::strtoul(count, nullptr, 10));
}

/// Training steps of a network on one fixed batch, from weights shared with other implementations.
template <class Backend>
class network_problem {
 public:
  network_problem(const Backend& on, const described_network& of, const network_files& files)
      : batch_(files),
        losses_(first_losses(on, of, files, batch_)),
        trainer_(started(on, of, files)),
        feed_(batch_.feed(trainer_)) {}
  void step() { feed_.step(trainer_); }
  /// Losses of the first steps, without dropout.
  [[nodiscard]] const std::vector<double>& losses() const noexcept { return losses_; }
  /// Returns how many of a step's calls the backend runs itself; empty if it has no fallback backend.
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

  using trainer = ridgepoint::trainer<float, Backend>;
  /// Returns a trainer with the weights of the files.
  [[nodiscard]] static trainer started(const Backend& on, const described_network& of, const network_files& files) {
    trainer made = of.trainer(on);
    made.load_parameters(files.weights());
    return made;
  }
  /// Returns the losses of the first steps, without dropout.
  [[nodiscard]] static std::vector<double> first_losses(const Backend& on, const described_network& of,
                                                        const network_files& files, const network_batch& data) {
    trainer quiet = started(on, without_dropout(of), files);
    const network_feed feed = data.feed(quiet);
    std::vector<double> losses(losses_asked_for());
    for (double& each : losses) each = feed.step(quiet);
    return losses;
  }

 private:
  network_batch batch_;
  std::vector<double> losses_;
  trainer trainer_;
  network_feed feed_;
};

/// Parses "vocabulary=9" and similar.
/// Throws: not_available for other texts.
[[nodiscard]] inline ridgepoint::models::parameter_values named_values(std::span<const std::string> texts) {
  ridgepoint::models::parameter_values values;
  for (const std::string& text : texts) {
    const std::size_t sign = text.find('=');
    if (sign == std::string::npos) throw not_available(text + " is not a parameter");
    values[text.substr(0, sign)] = std::stol(text.substr(sign + 1));
  }
  return values;
}

/// Reads the words "network f32 mnist-cnn 128", or bf16, and parameters of the network, "vocabulary=9".
/// Throws: not_available for other words.
[[nodiscard]] inline std::shared_ptr<const described_network> network_said(const words& w) {
  const bool in_bfloat16 = w.size() > 1 && w[1] == "bf16";
  if (w.size() < 4 || w[0] != "network" || (w[1] != "f32" && !in_bfloat16)) throw not_available("not a network in f32");
  const ridgepoint::precision in = in_bfloat16 ? ridgepoint::precision::bf16 : ridgepoint::precision::f32;
  return ridgepoint::models::with_model(compared_networks{}, w[2], [&]<class Model>() {
    return std::make_shared<const described_network>(
        described<Model>(named_values(std::span(w).subspan(4)), std::stol(w[3]), in));
  });
}
/// Returns its training steps on a backend.
/// Throws: as network_said().
template <class Backend>
task network_task(const Backend& on, const words& w) {
  const auto of = network_said(w);
  const auto p = std::make_shared<network_problem<Backend>>(on, *of, network_files::named());
  return {.work = 1, .run = [p] { p->step(); }, .detail = p->detail(), .losses = p->losses()};
}

}  // namespace peer
