// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <ridgepoint/core/csv.hpp>
#include <ridgepoint/models/all.hpp>

/// The studies' trainings: networks planned for any model of a machine, and their published times.
namespace tool {

namespace rp = ridgepoint;
using rp::index_t;

/// Returns a training step of a network with its own losses and optimiser.
template <class Model>
rp::compiled training_plan(const Model& model, index_t batch) {
  rp::graph net{std::string(Model::name)};
  const std::vector<rp::objective> objectives = rp::models::objectives_of(model, net);
  return rp::plan_training(net, objectives, rp::any_optimiser(typename Model::optimiser{}),
                           rp::models::learning<Model>({.batch = batch}));
}
/// Returns an inference step of a network.
template <class Model>
rp::compiled inference_plan(const Model& model, index_t batch) {
  rp::graph net{std::string(Model::name)};
  const std::vector<rp::objective> objectives = rp::models::objectives_of(model, net);
  return rp::plan_inference(net, rp::models::outputs_of(objectives), rp::models::learning<Model>({.batch = batch}));
}

/// Samples of a training: per epoch, for validation after each epoch, and for a test at the end.
struct training_samples {
  index_t trained = 0, validated = 0, tested = 0;
};

/// A network's training: its steps, compiled once for several platforms.
struct study_training {
  std::string name, published;  // published: the network's name in the study's table of times
  rp::compiled training_step;
  std::optional<rp::compiled> inference_step;           // none: nothing is validated or tested
  double training_steps, validation_steps, test_steps;  // the first two in all epochs

  template <class Model>
  study_training(const Model& model, const training_samples& samples, std::string_view known_as = "")
      : name(Model::name),
        published(known_as),
        training_step(training_plan(model, Model::batch)),
        training_steps(Model::epochs * static_cast<double>(rp::ceil_div(samples.trained, Model::batch))),
        validation_steps(Model::epochs * static_cast<double>(rp::ceil_div(samples.validated, Model::batch))),
        test_steps(static_cast<double>(rp::ceil_div(samples.tested, Model::batch))) {
    if (samples.validated + samples.tested > 0) inference_step = inference_plan(model, Model::batch);
  }

  /// Returns the matrix FLOP of all epochs.
  [[nodiscard]] double matrix_flop() const {
    const double inference = inference_step ? static_cast<double>(inference_step->plan.receipt().matrix_flop) : 0;
    return training_steps * static_cast<double>(training_step.plan.receipt().matrix_flop) +
           validation_steps * inference;
  }
  /// Returns the seconds of all epochs, without start-up.
  template <class Platform>
  [[nodiscard]] double total_s(const Platform& p) const {
    const double inference_s = inference_step ? validation_steps * modelled(p, *inference_step).step_s : 0;
    return training_steps * modelled(p, training_step).step_s + inference_s;
  }
  /// Returns the seconds of the test.
  template <class Platform>
  [[nodiscard]] double test_s(const Platform& p) const {
    return inference_step ? test_steps * modelled(p, *inference_step).step_s : 0;
  }
};

/// Returns study A's five networks on MNIST, planned once.
[[nodiscard]] inline const std::vector<study_training>& study_a_trainings() {
  static const std::vector<study_training> trainings = [] {
    std::vector<study_training> all;
    constexpr training_samples digits{60'000, 0, 10'000};
    all.emplace_back(rp::models::mnist_mlp{}, digits, "MLP");
    all.emplace_back(rp::models::mnist_cnn{}, digits, "CNN");
    all.emplace_back(rp::models::mnist_rnn{}, digits, "RNN");
    all.emplace_back(rp::models::mnist_lstm{}, digits, "LSTM");
    all.emplace_back(rp::models::mnist_autoencoder{}, training_samples{60'000, 10'000, 10'000}, "Autoencoder");
    return all;
  }();
  return trainings;
}

/// Returns study D's seven networks, Keras' examples, planned once.
[[nodiscard]] inline const std::vector<study_training>& study_d_trainings() {
  static const std::vector<study_training> trainings = [] {
    constexpr training_samples digits{60'000, 10'000}, images{50'000, 10'000}, reviews{25'000, 25'000}, text{200'285};
    std::vector<study_training> all;
    all.emplace_back(rp::models::keras_mnist_mlp{}, digits, "mnist_mlp");
    all.emplace_back(rp::models::keras_mnist_cnn{}, digits, "mnist_cnn");
    all.emplace_back(rp::models::cifar10_cnn{}, images, "cifar10_cnn");
    all.emplace_back(rp::models::imdb_bidirectional_lstm{}, reviews, "imdb_bidirectional_lstm");
    all.emplace_back(rp::models::imdb_fasttext{.ngrams = 2}, reviews, "imdb_fasttext");
    all.emplace_back(rp::models::lstm_text_generation{}, text, "lstm_text_generation");
    all.emplace_back(rp::models::text_generator_keras{}, text, "text_generator_keras");
    return all;
  }();
  return trainings;
}

/// Returns the training whose published name is in a column of a table's row. Throws: data_error if none is.
[[nodiscard]] inline const study_training& training_of(const std::vector<study_training>& trainings, char study,
                                                       const rp::csv_table& t, std::size_t row, const char* column) {
  const std::string& name = t.text(row, t.column(column));
  const auto found = std::ranges::find(trainings, name, &study_training::published);
  rp::require<rp::data_error>(found != trainings.end(), t.where(row, t.column(column)), " is ", name,
                              "; must be a network of study ", study);
  return *found;
}

/// Returns a time of a table. Throws: data_error unless it is positive.
[[nodiscard]] inline double seconds_of(const rp::csv_table& t, std::size_t row, const char* column) {
  const double s = t.number(row, t.column(column));
  rp::require<rp::data_error>(s > 0, t.where(row, t.column(column)), " is ", s, "; must be > 0");
  return s;
}

/// Study D's trainings with TensorFlow in maxwoolf_summary.csv, by month, network and machine: "k80", "cpu16", or
/// "cpu16-compiled".
class study_d_times {
 public:
  /// Throws: data_error for a time that is not positive.
  explicit study_d_times(const rp::csv_table& t) : source_(t.source()) {
    for (std::size_t row = 0; row < t.size(); ++row)
      if (t.text(row, t.column("framework")) == "tensorflow")
        total_s[{t.text(row, t.column("post")), t.text(row, t.column("model")),
                 machine_of(t, row) + (t.text(row, t.column("type")) == "cpu-compiled" ? "-compiled" : "")}] =
            seconds_of(t, row, "total_s");
  }
  /// Returns the machine of a row, whatever the software.
  [[nodiscard]] static std::string machine_of(const rp::csv_table& t, std::size_t row) {
    const std::string& on = t.text(row, t.column("platform"));
    return on == "gpu(K80)" ? "k80" : on;
  }
  /// Throws: data_error if the table has no such training.
  [[nodiscard]] double at(const std::string& month, const std::string& network, const std::string& machine) const {
    const auto found = total_s.find({month, network, machine});
    rp::require<rp::data_error>(found != total_s.end(), source_, ": has no ", network, " of ", month, " on ", machine);
    return found->second;
  }

  std::map<std::tuple<std::string, std::string, std::string>, double> total_s;

 private:
  std::string source_;
};

}  // namespace tool
