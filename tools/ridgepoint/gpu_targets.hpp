// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/gpu/chip.hpp>
#include <ridgepoint/models/all.hpp>
#include <ridgepoint/mxu/chips.hpp>
#include <ridgepoint/study/modelled_graph.hpp>
#include <ridgepoint/study/target.hpp>

/// Published totals of full trainings on GPUs, from studies A, B and D.
namespace tool {

namespace rp = ridgepoint;
using rp::index_t;

/// Study D's mnist_mlp, Keras' example: 784 → 2 × (512, ReLU, dropout 0.2) → 10 logits, RMSProp; 669,706 parameters.
struct keras_mnist_mlp {
  static constexpr std::string_view name = "keras-mnist-mlp";
  static constexpr index_t batch = 128;
  static constexpr int epochs = 20;
  using loss = rp::nn::softmax_cross_entropy;
  using optimiser = rp::nn::rmsprop_keras;

  static rp::node build(rp::graph& net) {
    rp::node x = net.input({28, 28, 1}) | rp::nn::flatten{};
    for (int hidden = 0; hidden < 2; ++hidden)
      x = x | rp::nn::dense{.units = 512} | rp::nn::relu{} | rp::nn::dropout{.rate = 0.2F};
    return x | rp::nn::dense{.units = 10};
  }
};

/// Samples of a training: per epoch, and for validation after each epoch.
struct training_samples {
  index_t trained = 0, validated = 0;
};

/// A network's training and inference step, compiled once for several platforms.
class training_plans {
 public:
  template <class Model>
  explicit training_plans(const Model& model) : batch_(Model::batch), epochs_(Model::epochs) {
    rp::graph net{std::string(Model::name)};
    const auto objectives = rp::models::objectives_of(model, net);
    const rp::compile_options options = rp::models::learning<Model>({.batch = Model::batch});
    learning_ = rp::plan_training(net, objectives, rp::any_optimiser(typename Model::optimiser{}), options);
    answering_ = rp::plan_inference(net, rp::models::outputs_of(objectives), options);
  }
  /// Returns the seconds of all epochs, without start-up.
  [[nodiscard]] double total_s(const rp::gpu::platform& p, const training_samples& samples) const {
    const double trained = steps(samples.trained) * modelled(p, learning_).step_s,
                 validated = samples.validated > 0 ? steps(samples.validated) * modelled(p, answering_).step_s : 0;
    return epochs_ * (trained + validated);
  }
  [[nodiscard]] const rp::compiled& learning() const noexcept { return learning_; }

 private:
  [[nodiscard]] double steps(index_t samples) const { return static_cast<double>(rp::ceil_div(samples, batch_)); }
  index_t batch_;
  double epochs_;
  rp::compiled learning_, answering_;
};

/// Returns a platform by the names of chip and software, in fp32.
inline rp::gpu::platform gpu_with(const char* chip, const char* software) {
  return {rp::gpu::find_chip(chip), rp::gpu::find_software(software)};
}
inline rp::study::comparison shown(std::string what, double ours, double theirs,
                                   rp::study::evidence basis = rp::study::evidence::hold_out) {
  return {std::move(what), ours, theirs, rp::study::demand::none, 0, basis};
}

/// Compares with study A's five nets: TensorFlow 2.4 on a GPU that the study does not name, one of Colab's free ones.
inline rp::study::target_result compare_study_a(const std::filesystem::path&) {
  rp::study::target_result r{.lines = {}};
  const auto add = [&]<class Model>(const Model& model, double published_s, const char* software,
                                    index_t validated = 0) {
    const training_plans plans(model);
    for (const char* chip : {"k80", "p100"})
      r.lines.push_back(shown(rp::concat(Model::name, ", s; modelled on ", chip),
                              plans.total_s(gpu_with(chip, software), {60'000, validated}), published_s));
  };
  add(rp::models::mnist_mlp{}, 8.983, "keras");
  add(rp::models::mnist_cnn{}, 36.711, "keras");
  add(rp::models::mnist_rnn{}, 38.01, "keras-loops");
  add(rp::models::mnist_lstm{}, 16.914, "keras");
  add(rp::models::mnist_autoencoder{}, 8.172, "keras", 10'000);
  r.note =
      "the study does not name its GPU, so errors are not the model's alone; software is modelled as that of "
      "2017, and the time of a step outside its ops is study D's";
  return r;
}

/// Compares with study B's ResNet-32: its graphs give speeds as multiples of a CPU's.
inline rp::study::target_result compare_study_b(const std::filesystem::path&) {
  const training_plans plans(rp::models::resnet_32{});
  const auto step_s = [&](const char* chip) { return modelled(gpu_with(chip, "tensorflow"), plans.learning()).step_s; };
  const double tpu_s = modelled(rp::tpu::find_chip("v2"), plans.learning(), 1).step_s;
  rp::study::target_result r{.lines = {}};
  r.lines = {
      shown("resnet-32, steps/s: V100 over K80 (published: 50 over 8 to 9)", step_s("k80") / step_s("v100"), 50 / 8.5),
      shown("resnet-32, steps/s: TPU v2, one core, over V100 (published: about 2)", step_s("v100") / tpu_s, 2)};
  r.note = "only multiples of a CPU's speed are published, read from graphs";
  return r;
}

/// Compares with study D's totals, of July 2017 (recurrent layers are loops of ops) and of November 2017 (cuDNN's).
inline rp::study::target_result compare_study_d(const std::filesystem::path&) {
  rp::study::target_result r{.lines = {}};
  struct published {
    double july_k80_s, november_k80_s, november_p100_s;  // 0: none
  };
  const auto add = [&]<class Model>(const Model& model, const training_samples& samples, const published& theirs,
                                    rp::study::evidence july = rp::study::evidence::hold_out) {
    const training_plans plans(model);
    const auto line = [&](const char* what, const char* chip, const char* software, double published_s,
                          rp::study::evidence basis = rp::study::evidence::hold_out) {
      if (published_s > 0)
        r.lines.push_back(shown(rp::concat(Model::name, ", s; ", what),
                                plans.total_s(gpu_with(chip, software), samples), published_s, basis));
    };
    line("K80, July", "k80", "keras-loops", theirs.july_k80_s, july);
    line("K80, November", "k80", "keras", theirs.november_k80_s);
    line("P100, November", "p100", "keras", theirs.november_p100_s);
  };
  add(keras_mnist_mlp{}, {60'000, 10'000}, {65.1, 64.5, 55.3}, rp::study::evidence::calibration);
  add(rp::models::keras_mnist_cnn{}, {60'000, 10'000}, {172.7, 129.9, 65.4});
  add(rp::models::cifar10_cnn{}, {50'000, 10'000}, {763.2, 775.1, 562.2});
  add(rp::models::imdb_bidirectional_lstm{}, {25'000, 25'000}, {1229.4, 173.4, 111.0});
  add(rp::models::imdb_fasttext{.ngrams = 2}, {25'000, 25'000}, {331.5, 286.9, 100.7});
  add(rp::models::lstm_text_generation{}, {200'285, 0}, {957.4, 252.7, 193.3});
  add(rp::models::text_generator_keras{}, {200'285, 0}, {1275.3, 0, 0});
  r.note =
      "totals include 1 to 22 s of start-up. One constant is fitted here: Keras' time of a step outside its "
      "ops, to mnist_mlp on K80 in July. cifar10_cnn waits for images that the CPU shifts and mirrors, which the "
      "model leaves out; imdb_fasttext's pairs of words are an estimate (1.2 million ids)";
  return r;
}

}  // namespace tool
