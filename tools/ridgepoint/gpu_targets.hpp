// SPDX-License-Identifier: MIT
#pragma once

#include <limits>
#include <map>

#include <ridgepoint/gpu/platform.hpp>
#include <ridgepoint/mxu/chips.hpp>
#include <ridgepoint/study/modelled_graph.hpp>
#include <ridgepoint/study/paradnn_fc.hpp>
#include <ridgepoint/study/prices.hpp>
#include <ridgepoint/study/processor_model.hpp>
#include <ridgepoint/study/target.hpp>

#include "study_trainings.hpp"

/// Published totals of full trainings on GPUs, from studies A, B and D.
namespace tool {

/// Returns a platform by the names of chip and software, in fp32.
inline rp::gpu::platform gpu_with(const char* chip, const char* software) {
  return {rp::gpu::find_chip(chip), rp::gpu::find_software(software)};
}
inline rp::study::comparison shown(std::string what, double ours, double theirs,
                                   rp::study::evidence basis = rp::study::evidence::hold_out) {
  return {std::move(what), ours, theirs, rp::study::demand::none, 0, basis};
}

/// Compares with TensorFlow's own benchmarks of May 2017 (tensorflow/docs_src/performance/benchmarks.md): images per
/// second of one GPU on images that are already there, in fp32. K80's share of its peak is fitted to one of them.
inline rp::study::target_result compare_tensorflow_benchmarks(const std::filesystem::path&) {
  struct benchmark {
    const char *network, *chip;
    index_t batch;
    double images_per_s;
  };
  constexpr benchmark published[] = {{"resnet-50", "k80", 64, 51.9},   {"resnet-50", "k80", 32, 49.5},
                                     {"resnet-152", "k80", 32, 20.0},  {"vgg-16", "k80", 32, 35.4},
                                     {"resnet-50", "p100", 64, 219},   {"resnet-50", "p100", 32, 195},
                                     {"resnet-152", "p100", 64, 91.8}, {"resnet-152", "p100", 32, 82.7},
                                     {"vgg-16", "p100", 64, 154},      {"vgg-16", "p100", 32, 144}};
  const auto plan_of = [](const benchmark& b) {
    const std::string_view name = b.network;
    if (name == "vgg-16") return training_plan(rp::models::vgg_16{}, b.batch);
    return training_plan(
        rp::models::paradnn_cnn{.blocks = {3, name == "resnet-50" ? 4 : 8, name == "resnet-50" ? 6 : 36, 3}}, b.batch);
  };
  const auto without_feed = [](const char* chip) {
    rp::gpu::platform p = gpu_with(chip, "tensorflow");
    p.with.feed_latency_s = p.with.feed_s_per_value = 0;
    return p;
  };
  using rp::study::demand;
  using rp::study::evidence;
  rp::study::target_result r{.lines = {}};
  std::vector<double> errors;
  for (const benchmark& b : published) {
    const bool fitted = &b == published;
    const double ours = static_cast<double>(b.batch) / modelled(without_feed(b.chip), plan_of(b)).step_s;
    if (!fitted) errors.push_back(std::abs(ours / b.images_per_s - 1));
    r.lines.push_back(shown(rp::concat(b.network, ", batch ", b.batch, " on ", b.chip, ", images/s"), ours,
                            b.images_per_s, fitted ? evidence::calibration : evidence::chosen));
  }
  r.lines.push_back({rp::concat("median |error| of the ", errors.size(), " other rows"), rp::median(errors),
                     std::nan(""), demand::at_most, 0.15, evidence::chosen});
  r.lines.push_back(
      {"largest |error| of these", rp::quantile(errors, 1), std::nan(""), demand::at_most, 0.25, evidence::chosen});
  rp::gpu::platform k80 = without_feed("k80");
  const double stored = k80.on.fit.product_share;
  const rp::compiled plan = plan_of(published[0]);
  const double share = rp::study::lowest(
      [&](double value) {
        k80.on.fit.product_share = value;
        return std::abs(64 / modelled(k80, plan).step_s - published[0].images_per_s);
      },
      0.1, 1);
  r.lines.push_back({"K80's share of its peak against a fit to the first row: |difference|",
                     std::abs(stored / share - 1), std::nan(""), demand::at_most, 0.005, evidence::definitional});
  r.note =
      "convolutions in fp32 by Winograd's algorithm where cuDNN has it; P100 and V100 have the shares that are fitted "
      "to V100's products. The benchmarks' ResNet-50 and -152 stride in the first 1x1 of a block, ours in the 3x3 (6 % "
      "more multiply-adds). The rules of cuDNN's algorithms were chosen with all rows in view";
  return r;
}

/// Compares with study A's five nets: TensorFlow 2.4 on a GPU that the study does not name, one of Colab's free ones.
inline rp::study::target_result compare_study_a(const std::filesystem::path&) {
  rp::study::target_result r{.lines = {}};
  const std::map<std::string, std::pair<double, double>> published_s{{"MLP", {8.983, 0.335}},  // training, test
                                                                     {"CNN", {36.711, 0.533}},
                                                                     {"RNN", {38.01, 0.938}},
                                                                     {"LSTM", {16.914, 1.525}},
                                                                     {"Autoencoder", {8.172, 1.25}}};
  for (const study_training& t : study_a_trainings())
    for (const char* chip : {"k80", "p100"})
      r.lines.push_back(shown(rp::concat(t.name, ", train, s; modelled on ", chip),
                              t.total_s(gpu_with(chip, t.published == "RNN" ? "keras-loops" : "keras")),
                              published_s.at(t.published).first));
  for (const study_training& t : study_a_trainings())
    r.lines.push_back(shown(rp::concat(t.name, ", test, s; modelled on k80"),
                            t.test_s(gpu_with("k80", t.published == "RNN" ? "keras-loops" : "keras")),
                            published_s.at(t.published).second));
  r.note =
      "the study does not name its GPU, so errors are not the model's alone; software is modelled as that of "
      "2017, and the time of a step outside its ops is study D's";
  return r;
}

/// Compares with study B's ResNet-32: its graphs give speeds as multiples of a CPU's. Adds what the study measured but
/// does not print as numbers: cost of a run, eight replicas, inference.
inline rp::study::target_result compare_study_b(const std::filesystem::path&) {
  using model = rp::models::resnet_32;
  constexpr double run_steps = 5000;
  const rp::compiled plan = training_plan(model{}, model::batch), inference = inference_plan(model{}, model::batch),
                     single = inference_plan(model{}, 1);
  const rp::tpu::chip& v2 = rp::tpu::find_chip("v2");
  const auto on_gpu = [](const char* chip) { return gpu_with(chip, "tensorflow"); };
  const auto step_s = [&](const char* chip) { return modelled(on_gpu(chip), plan).step_s; };
  const auto cpu_s = [&](const char* name) { return modelled(rp::processor::find_platform(name), plan).step_s; };
  const auto nothing = std::nan("");
  const double tpu_s = modelled(v2, plan, 1).step_s, board_s = modelled(v2, plan, v2.cores()).step_s;
  rp::study::target_result r{.lines = {}};
  r.lines = {
      shown("resnet-32, steps/s: V100 over K80 (published: 50 over 8 to 9)", step_s("k80") / step_s("v100"), 50 / 8.5),
      shown("resnet-32, steps/s: TPU v2, one core, over V100 (published: about 2)", step_s("v100") / tpu_s, 2),
      shown("K80 over 8 virtual CPUs with SSE2 (published: 8 to 9)", cpu_s("cpu8") / step_s("k80"), 8.5),
      shown("K80 over 8 virtual CPUs with AVX2", cpu_s("cpu8-compiled") / step_s("k80"), 8.5),
      shown("V100 over 8 virtual CPUs with SSE2 (published: about 50)", cpu_s("cpu8") / step_s("v100"), 50),
      shown("V100 over 8 virtual CPUs with AVX2", cpu_s("cpu8-compiled") / step_s("v100"), 50),
      shown("TPU v2: samples/s of 8 replicas over one", static_cast<double>(v2.cores()) * tpu_s / board_s, nothing)};
  const std::string month = "2018-04";
  const auto price = [&](const char* machine) {
    return find_price(rp::study::published_prices(), machine, month)->usd_per_hour;
  };
  const auto printed = [&](const char* what, double ours, double theirs) {
    r.lines.push_back({what, ours, theirs, rp::study::demand::equal, 0, rp::study::evidence::definitional});
  };
  printed("V100, USD per hour, April 2018", price("v100"), 3.06);
  printed("TPU v2, USD per hour, April 2018", price("tpu-v2"), 6.50);
  r.lines.push_back(
      shown("5,000 steps on V100, USD", rp::study::cost_usd(run_steps * step_s("v100"), price("v100")), nothing));
  r.lines.push_back(
      shown("5,000 steps on TPU v2, one core, USD", rp::study::cost_usd(run_steps * tpu_s, price("tpu-v2")), nothing));
  r.lines.push_back(shown("5,000 steps of 8 replicas on TPU v2, USD",
                          rp::study::cost_usd(run_steps * board_s, price("tpu-v2")), nothing));
  for (const char* chip : {"k80", "v100"}) {
    r.lines.push_back(shown(rp::concat("inference on ", chip, ", one image, ms"),
                            1e3 * modelled(on_gpu(chip), single).step_s, nothing));
    r.lines.push_back(shown(rp::concat("inference on ", chip, ", batch 128, images/s"),
                            model::batch / modelled(on_gpu(chip), inference).step_s, nothing));
  }
  const rp::processor::platform& cpu = rp::processor::find_platform("cpu8");
  r.lines.push_back(
      shown("inference on 8 virtual CPUs with SSE2, one image, ms", 1e3 * modelled(cpu, single).step_s, nothing));
  r.lines.push_back(shown("inference on 8 virtual CPUs with SSE2, batch 128, images/s",
                          model::batch / modelled(cpu, inference).step_s, nothing));
  r.note =
      "only multiples of a CPU's speed are published, read from graphs. Its TensorFlow 1.7 used AVX, between SSE2 and "
      "AVX2; each replica of a TPU has its own batch of 128";
  return r;
}

/// A step of study C's script on a GPU, in seconds: what Python's thread copies, what the host dispatches, the device.
struct fed_step {
  double copies_s = 0, dispatch_s = 0, device_s = 0;

  /// Returns the step's time with this many virtual CPUs, at most: nothing overlaps, and each dispatches an equal part
  /// of the ops, as TensorFlow's pool of one thread per virtual CPU does at best.
  [[nodiscard]] double step_s(index_t cpus) const noexcept {
    return copies_s + dispatch_s / static_cast<double>(cpus) + device_s;
  }
};
/// Returns a step whose batch is a feed_dict. Python copies it three times, reading and writing each value: numpy
/// shuffles the data set once per epoch, session.run makes a tensor, and CUDA's driver fills the buffer that the GPU
/// reads.
inline fed_step fed_by_python(const rp::gpu::modelled_step& step, double core_bytes_per_s) {
  const auto values = static_cast<double>(step.fed.batch) * static_cast<double>(step.fed.sample_values);
  return {3 * 2 * 4 * values / core_bytes_per_s, step.dispatch_s, step.device_s};
}

/// Checks the arithmetic that study C prints of its network and its times, and models a training on its GPU.
inline rp::study::target_result compare_study_c(const std::filesystem::path&) {
  const study_training training(rp::models::embryo_cnn{}, {48'000});
  double parameters = 0;
  for (const auto& block : training.training_step.blocks) parameters += static_cast<double>(block.size);
  const double flop =
      static_cast<double>(training.training_step.plan.receipt().matrix_flop) / rp::models::embryo_cnn::batch;
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
             {"20 epochs on K80, min; modelled", training.total_s(gpu_with("k80", "tensorflow")) / 60, std::nan("")}};
  const auto slip = [&](const char* what, double ours, double theirs) {
    r.lines.push_back({what, ours, theirs, none, 0, evidence::definitional});
  };
  // Activations of an image: input, 2 convolutions with their poolings, 2 dense layers.
  const double conv2 = 32 * 32 * 64, pool2 = 16 * 16 * 64,
               activations = 64 * 64 + 64 * 64 * 32 + 32 * 32 * 32 + conv2 + pool2 + 1024 + 4;
  slip("values of the second convolution, of an image", conv2, 2'097'152);
  slip("values of the second pooling", pool2, 524'288);
  slip("parameters of the last layer", 1024 * 4 + 4, 4'096);
  slip("values of an image and parameters", activations + parameters, 19'622'836);
  slip("the printed sum in MB of 4 bytes each", 4e-6 * 19'622'836, 83);
  slip("batch 480 of 48,524 images, % (published: about 1)", 100 * 480 / 48'524.0, 1);
  slip("steps of 480 in an epoch of 48,524 images", 48'524 / 480.0, 100);
  const rp::gpu::platform k80 = gpu_with("k80", "tensorflow");
  constexpr rp::index_t batch = rp::models::embryo_cnn::batch;
  r.lines.push_back(shown("memory of a step with 700 images, GB (published: more than 6)",
                          1e-9 * memory_bytes(k80, training_plan(rp::models::embryo_cnn{}, 700)), 6));
  // Two GPUs of a K80: half the batch each, then the sum of the gradients over 16 lanes of PCIe 3, twice as far.
  constexpr double pcie_bytes_per_s = 12e9;
  const rp::gpu::modelled_step step = modelled(k80, training.training_step);
  const double one_s = step.step_s, two_s = modelled(k80, training_plan(rp::models::embryo_cnn{}, batch / 2)).step_s +
                                            2 * 4 * parameters / pcie_bytes_per_s;
  r.lines.push_back(shown("two K80 over one, speed (published: about the same)", one_s / two_s, 1));
  const double core_bytes_per_s = rp::processor::find_platform("cpu8").on.levels.back().core_bytes_per_s;
  const fed_step fed = fed_by_python(step, core_bytes_per_s);
  r.lines.push_back({"K80: 8 virtual CPUs over 1, speed, at most (published: about the same)",
                     fed.step_s(1) / fed.step_s(8), 1, within, 0.1});
  r.note = rp::concat(
      "the printed number of parameters is 2,000 less than the sum of its addends, which leave out the last bias (4); "
      "the times of GPUs are in a picture only. A convolution sums over its inputs, so the second has 32 times fewer "
      "values than printed; the text calls the loss RMSD, the code computes a cross-entropy. Of a step on K80 the "
      "device takes ",
      rp::figures(1e3 * fed.device_s, 3), " ms, dispatching its ops ", rp::figures(1e3 * fed.dispatch_s, 2),
      " ms, and three copies of the batch by Python's only thread ", rp::figures(1e3 * fed.copies_s, 2),
      " ms; assumed are the bandwidth of study D's virtual CPUs, and that 8 of them dispatch 8 times as fast");
  return r;
}

/// Compares with study D's totals, of July 2017 (recurrent layers are loops of ops) and of November 2017 (cuDNN's).
inline rp::study::target_result compare_study_d(const std::filesystem::path&) {
  rp::study::target_result r{.lines = {}};
  struct published {
    double july_k80_s, november_k80_s, november_p100_s;  // 0: none
  };
  const std::map<std::string, published> times{
      {"mnist_mlp", {65.1, 64.5, 55.3}},        {"mnist_cnn", {172.7, 129.9, 65.4}},
      {"cifar10_cnn", {763.2, 775.1, 562.2}},   {"imdb_bidirectional_lstm", {1229.4, 173.4, 111.0}},
      {"imdb_fasttext", {331.5, 286.9, 100.7}}, {"lstm_text_generation", {957.4, 252.7, 193.3}},
      {"text_generator_keras", {1275.3, 0, 0}}};
  for (const study_training& t : study_d_trainings()) {
    const auto line = [&](const char* what, const char* chip, const char* software, double published_s,
                          rp::study::evidence basis = rp::study::evidence::hold_out) {
      if (published_s > 0)
        r.lines.push_back(
            shown(rp::concat(t.name, ", s; ", what), t.total_s(gpu_with(chip, software)), published_s, basis));
    };
    const published& theirs = times.at(t.published);
    using enum rp::study::evidence;
    line("K80, July", "k80", "keras-loops", theirs.july_k80_s, t.published == "mnist_mlp" ? calibration : hold_out);
    line("K80, November", "k80", "keras", theirs.november_k80_s);
    line("P100, November", "p100", "keras", theirs.november_p100_s);
  }
  r.note =
      "totals include 1 to 22 s of start-up. One constant is fitted here: Keras' time of a step outside its "
      "ops, to mnist_mlp on K80 in July. cifar10_cnn waits for images that the CPU shifts and mirrors, which the "
      "model leaves out; imdb_fasttext's pairs of words are an estimate (1.2 million ids)";
  return r;
}

/// Compares with study D's costs: from its own times and prices, and the P100's over the K80's as modelled.
inline rp::study::target_result compare_study_d_costs(const std::filesystem::path& data) {
  const rp::csv_table t = rp::load_csv((data / "maxwoolf_summary.csv").string());
  const auto text = [&](std::size_t row, const char* column) { return t.text(row, t.column(column)); };
  const auto usd = [](const std::string& machine, const std::string& month, double elapsed_s) {
    const rp::study::price* const p = find_price(rp::study::published_prices(), machine, month);
    return p == nullptr ? std::nan("") : rp::study::cost_usd(elapsed_s, p->usd_per_hour);
  };
  const study_d_times times(t);
  std::map<std::string, std::pair<std::size_t, double>> costs;  // month → rows, largest |error|
  for (std::size_t row = 0; row < t.size(); ++row) {
    const std::string month = text(row, "post");
    const double published = t.number(row, t.column("rel_cost"));
    const auto base = times.total_s.find({month, text(row, "model"), "k80"});
    if (std::isnan(published) || base == times.total_s.end()) continue;
    const double ours = usd(study_d_times::machine_of(t, row), month, t.number(row, t.column("total_s"))) /
                        usd("k80", month, base->second);
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
  std::size_t networks = 0, no_faster = 0, on_eight = 0;
  for (const auto& [key, elapsed_s] : times.total_s) {
    const auto& [month, network, machine] = key;
    if (month != "2017-07" || machine != "cpu32") continue;
    ++networks;
    no_faster += times.at(month, network, "cpu64") >= elapsed_s ? 1U : 0U;
    std::map<double, std::string> by_cost;
    for (const char* cpu : {"cpu8", "cpu16", "cpu32", "cpu64"})
      by_cost[usd(cpu, month, times.at(month, network, std::string(cpu) + "-compiled"))] = cpu;
    on_eight += by_cost.begin()->second == "cpu8" ? 1U : 0U;
  }
  r.lines.push_back({rp::concat("of ", networks, " networks, 64 vCPU no faster than 32 (published: all)"),
                     static_cast<double>(no_faster), static_cast<double>(networks), equal, 0, evidence::definitional});
  r.lines.push_back({rp::concat("of ", networks, " networks, cheapest CPU is 8 vCPU with compiled TensorFlow"),
                     static_cast<double>(on_eight), std::nan(""), none, 0, evidence::definitional});
  std::size_t compared = 0, cheaper = 0;
  for (const study_training& training : study_d_trainings()) {
    if (training.published == "text_generator_keras") continue;  // its time of November on P100 is a copy of the K80's
    const std::string month = "2017-11";
    const auto ratio = [&](double p100_s, double k80_s) {
      return usd("p100", month, p100_s) / usd("k80", month, k80_s);
    };
    const double ours = ratio(training.total_s(gpu_with("p100", "keras")), training.total_s(gpu_with("k80", "keras")));
    r.lines.push_back(
        shown(rp::concat(training.name, ", modelled: cost on P100 over K80, 2017-11"), ours,
              ratio(times.at(month, training.published, "p100"), times.at(month, training.published, "k80"))));
    ++compared;
    cheaper += ours < 1 ? 1U : 0U;
  }
  r.lines.push_back({rp::concat("of ", compared, " networks modelled, P100 cheaper than K80 (published: none)"),
                     static_cast<double>(cheaper), 0, equal});
  r.note =
      "prices are the study's; cifar10_cnn waits for images that the CPU shifts and mirrors, which the model leaves "
      "out";
  return r;
}

}  // namespace tool
