// SPDX-License-Identifier: MIT
#pragma once

#include <limits>
#include <map>
#include <tuple>

#include <ridgepoint/core/csv.hpp>
#include <ridgepoint/gpu/platform.hpp>
#include <ridgepoint/models/all.hpp>
#include <ridgepoint/mxu/chips.hpp>
#include <ridgepoint/study/modelled_graph.hpp>
#include <ridgepoint/study/prices.hpp>
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

/// Checks the arithmetic that study C prints of its network and its times, and models a training on its GPU.
inline rp::study::target_result compare_study_c(const std::filesystem::path&) {
  const rp::models::embryo_cnn model;
  const training_plans plans(model);
  double parameters = 0;
  for (const auto& block : plans.learning().blocks) parameters += static_cast<double>(block.size);
  const double flop = static_cast<double>(plans.learning().plan.receipt().matrix_flop) / rp::models::embryo_cnn::batch;
  const double images = 20 * 100 * 480.0, dual_core_s = 309 * 60, quad_core_s = 134 * 60;
  using enum rp::study::demand;
  using rp::study::evidence;
  rp::study::target_result r{.lines = {}};
  r.lines = {{"parameters, from the sizes of the layers", parameters, 16'834'436, equal, 0, evidence::definitional},
             {"the same against the printed number", parameters, 16'832'432, none, 0, evidence::definitional},
             {"FLOP of an image in training, from the sizes of the layers", flop, 428'367'872, equal, 0,
              evidence::definitional},
             {"ideal time on four cores of 3.4 GHz from 309 min on two of 2.5 GHz, min", 309 * (2 * 2.5) / (4 * 3.4),
              114, points, 0.5, evidence::definitional},
             {"two cores, 20 epochs in 309 min: GFLOP/s", 1e-9 * images * flop / dual_core_s, std::nan("")},
             {"four cores, 20 epochs in 134 min: GFLOP/s", 1e-9 * images * flop / quad_core_s, std::nan("")},
             {"20 epochs on K80, min; modelled", plans.total_s(gpu_with("k80", "tensorflow"), {48'000, 0}) / 60,
              std::nan("")}};
  r.note =
      "the printed number of parameters is 2,000 less than the sum of its addends, which leave out the last bias (4); "
      "the times of GPUs are in a picture only";
  return r;
}

/// Samples of study D's data sets.
inline constexpr training_samples study_d_digits{60'000, 10'000}, study_d_images{50'000, 10'000},
    study_d_reviews{25'000, 25'000}, study_d_text{200'285, 0};

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
  add(keras_mnist_mlp{}, study_d_digits, {65.1, 64.5, 55.3}, rp::study::evidence::calibration);
  add(rp::models::keras_mnist_cnn{}, study_d_digits, {172.7, 129.9, 65.4});
  add(rp::models::cifar10_cnn{}, study_d_images, {763.2, 775.1, 562.2});
  add(rp::models::imdb_bidirectional_lstm{}, study_d_reviews, {1229.4, 173.4, 111.0});
  add(rp::models::imdb_fasttext{.ngrams = 2}, study_d_reviews, {331.5, 286.9, 100.7});
  add(rp::models::lstm_text_generation{}, study_d_text, {957.4, 252.7, 193.3});
  add(rp::models::text_generator_keras{}, study_d_text, {1275.3, 0, 0});
  r.note =
      "totals include 1 to 22 s of start-up. One constant is fitted here: Keras' time of a step outside its "
      "ops, to mnist_mlp on K80 in July. cifar10_cnn waits for images that the CPU shifts and mirrors, which the "
      "model leaves out; imdb_fasttext's pairs of words are an estimate (1.2 million ids)";
  return r;
}

/// Trainings of study D in maxwoolf_summary.csv, by month, network and machine: "k80", "cpu16", or "cpu16-compiled".
using study_d_times = std::map<std::tuple<std::string, std::string, std::string>, double>;

/// Compares with study D's costs: from its own times and prices, and the P100's over the K80's as modelled.
inline rp::study::target_result compare_study_d_costs(const std::filesystem::path& data) {
  const rp::csv_table t = rp::load_csv((data / "maxwoolf_summary.csv").string());
  const auto text = [&](std::size_t row, const char* column) { return t.text(row, t.column(column)); };
  const auto usd = [](const std::string& machine, const std::string& month, double elapsed_s) {
    const rp::study::price* const p = find_price(rp::study::published_prices(), machine, month);
    return p == nullptr ? std::nan("") : rp::study::cost_usd(elapsed_s, p->usd_per_hour);
  };
  study_d_times total_s;
  const auto machine_of = [&](std::size_t row) {
    const std::string on = text(row, "platform");
    return on == "gpu(K80)" ? "k80" : on;
  };
  for (std::size_t row = 0; row < t.size(); ++row)
    if (text(row, "framework") == "tensorflow")
      total_s[{text(row, "post"), text(row, "model"),
               machine_of(row) + (text(row, "type") == "cpu-compiled" ? "-compiled" : "")}] =
          t.number(row, t.column("total_s"));

  std::map<std::string, std::pair<std::size_t, double>> costs;  // month → rows, largest |error|
  for (std::size_t row = 0; row < t.size(); ++row) {
    const std::string month = text(row, "post");
    const double published = t.number(row, t.column("rel_cost"));
    const auto base = total_s.find({month, text(row, "model"), "k80"});
    if (std::isnan(published) || base == total_s.end()) continue;
    const double ours =
        usd(machine_of(row), month, t.number(row, t.column("total_s"))) / usd("k80", month, base->second);
    auto& [rows, worst] = costs[month];
    ++rows;
    worst =
        std::isnan(ours) ? std::numeric_limits<double>::infinity() : std::max(worst, std::abs(ours / published - 1));
  }
  using enum rp::study::demand;
  using rp::study::evidence;
  rp::study::target_result r{.lines = {}};
  for (const auto& [month, found] : costs) {
    r.rows += found.first;
    r.lines.push_back({rp::concat("cost over the K80's, ", month, ", ", found.first, " rows: largest |error|"),
                       found.second, std::nan(""), at_most, 0.001, evidence::definitional});
  }
  const auto time_s = [&](const std::string& month, const std::string& network, const std::string& machine) {
    const auto found = total_s.find({month, network, machine});
    rp::require<rp::data_error>(found != total_s.end(), t.source(), ": has no ", network, " of ", month, " on ",
                                machine);
    return found->second;
  };
  std::size_t networks = 0, no_faster = 0, on_eight = 0;
  for (const auto& [key, elapsed_s] : total_s) {
    const auto& [month, network, machine] = key;
    if (month != "2017-07" || machine != "cpu32") continue;
    ++networks;
    no_faster += time_s(month, network, "cpu64") >= elapsed_s ? 1U : 0U;
    std::map<double, std::string> by_cost;
    for (const char* cpu : {"cpu8", "cpu16", "cpu32", "cpu64"})
      by_cost[usd(cpu, month, time_s(month, network, std::string(cpu) + "-compiled"))] = cpu;
    on_eight += by_cost.begin()->second == "cpu8" ? 1U : 0U;
  }
  r.lines.push_back({rp::concat("of ", networks, " networks, 64 vCPU no faster than 32 (published: all)"),
                     static_cast<double>(no_faster), static_cast<double>(networks), equal, 0, evidence::definitional});
  r.lines.push_back({rp::concat("of ", networks, " networks, cheapest CPU is 8 vCPU with compiled TensorFlow"),
                     static_cast<double>(on_eight), std::nan(""), none, 0, evidence::definitional});
  std::size_t compared = 0, cheaper = 0;
  const auto compare_p100 = [&]<class Model>(const Model& model, const training_samples& samples,
                                             const char* published) {
    const training_plans plans(model);
    const std::string month = "2017-11";
    const auto ratio = [&](double p100_s, double k80_s) {
      return usd("p100", month, p100_s) / usd("k80", month, k80_s);
    };
    const double ours =
        ratio(plans.total_s(gpu_with("p100", "keras"), samples), plans.total_s(gpu_with("k80", "keras"), samples));
    r.lines.push_back(shown(rp::concat(Model::name, ", modelled: cost on P100 over K80, 2017-11"), ours,
                            ratio(time_s(month, published, "p100"), time_s(month, published, "k80"))));
    ++compared;
    cheaper += ours < 1 ? 1U : 0U;
  };
  compare_p100(keras_mnist_mlp{}, study_d_digits, "mnist_mlp");
  compare_p100(rp::models::keras_mnist_cnn{}, study_d_digits, "mnist_cnn");
  compare_p100(rp::models::cifar10_cnn{}, study_d_images, "cifar10_cnn");
  compare_p100(rp::models::imdb_bidirectional_lstm{}, study_d_reviews, "imdb_bidirectional_lstm");
  compare_p100(rp::models::imdb_fasttext{.ngrams = 2}, study_d_reviews, "imdb_fasttext");
  compare_p100(rp::models::lstm_text_generation{}, study_d_text, "lstm_text_generation");
  r.lines.push_back({rp::concat("of ", compared, " networks modelled, P100 cheaper than K80 (published: none)"),
                     static_cast<double>(cheaper), 0, equal});
  r.note =
      "prices are the study's; cifar10_cnn waits for images that the CPU shifts and mirrors, which the model leaves "
      "out";
  return r;
}

}  // namespace tool
