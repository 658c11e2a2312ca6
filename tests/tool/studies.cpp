// SPDX-License-Identifier: MIT
// Checks the command's own comparisons with published networks, of `ridgepoint validate`.
#include <doctest/doctest.h>

#include "ridgepoint/claims.hpp"
#include "ridgepoint/cpu_targets.hpp"
#include "ridgepoint/gpu_targets.hpp"
#include "ridgepoint/network_targets.hpp"
#include "ridgepoint/observation_targets.hpp"
#include "ridgepoint/study_d_targets.hpp"
#include "study/targets/falling_short.hpp"
#include "support/near.hpp"
#include "support/reference_data.hpp"

namespace rp = ridgepoint;
namespace study = ridgepoint::study;
using study::evidence;

TEST_CASE("cnn-rnn: the maxima of ParaDnn's sweeps, of the networks in its released scripts" *
          doctest::test_suite("slow")) {
  const study::target_result r = tool::compare_graphs({});
  CHECK(r.rows == 0);  // modelled networks are not data
  CHECK(r.judged() == 5);
  CHECK(falling_short(r) == lines{});
  const auto ours = [&](const char* what) { return line(r, what).ours; };
  CHECK(ours("the same, residual blocks") > ours("CNN on 8 cores, highest, % of 180 TFLOP/s"));
  CHECK(ours("the same, residual blocks") <= 100 * 183.5 / 180);
  CHECK(line(r, "the same, residual blocks").wanted == study::demand::none);  // the scripts run bottlenecks
  CHECK(line(r, "the same, GRU and LSTM").wanted == study::demand::none);
  const double resnet = ours("ResNet-50, the same, % of 180 TFLOP/s");
  const double images_per_s = ours("ResNet-50, batch 1024 on 8 cores, images/s (published: about 3000)");
  CHECK(resnet / images_per_s ==
        near(6 * 4.09e9 / 180e12 * 100, 0.03));  // 4.09 GMAC per image, three passes, except conv 1's dx
  for (const study::sweep_row& row : tool::modelled_family_of("cnn").rows)
    REQUIRE(row.network->parameters[0] == std::pair<std::string, rp::index_t>("bottleneck", 1));
  for (const study::sweep_row& row : tool::modelled_family_of("rnn").rows)
    REQUIRE(row.network->parameters[0] == std::pair<std::string, rp::index_t>("gates", 1));
}

TEST_CASE("claims: the numbers in ParaDnn's text, as it states them" * doctest::test_suite("slow")) {
  const study::target_result r = tool::compare_claims({});
  CHECK(r.judged() == 38);
  CHECK(r.lines.size() == 44);
  CHECK(falling_short(r) == lines{"CNN, not parallel, 90th percentile, %", "v3 over v2, FC end to end, highest",
                                  "RetinaNet without infeed, samples/s gained, %",
                                  "TPU v2 over V100, FC that are faster, %", "TPU v2 over V100, RNN, highest",
                                  "TPU v2 over V100, DenseNet", "TPU v2 over V100, Transformer in 16 bits",
                                  "RNN on TPU v2, highest utilisation, %"});
  CHECK(basis_of(r, "FC on 8 cores, highest utilisation, %") == evidence::calibration);
  CHECK(basis_of(r, "CNN on 8 cores, highest utilisation, %") == evidence::chosen);  // the kind of block
  CHECK(basis_of(r, "CNN, not parallel, 90th percentile, %") == evidence::hold_out);
  CHECK(basis_of(r, "TPU v2 over V100, ResNet-50") == evidence::calibration);
  CHECK(basis_of(r, "TPU v2 over V100, SqueezeNet") == evidence::hold_out);
  CHECK(line(r, "TPU v2 over V100, ResNet-50").wanted == study::demand::none);  // fitted

  const tool::claim_counts counts = tool::count_claims(r);
  CHECK(counts.judged == 38);
  CHECK(counts.hold == r.judged() - r.differences());
  CHECK(counts.reachable == 38 - tool::unpublished_facts.size());
  CHECK(counts.reachable_hold == 17);
  CHECK(static_cast<double>(counts.reachable_hold) >= 0.85 * static_cast<double>(counts.reachable));
  CHECK(r.note.starts_with(
      "30 of 38 claims hold; of 18 that depend on published facts only, 17 hold (94.4 %). Not published, for the "
      "others: the Transformer's size, batch and format; "));
  std::size_t holding = 0;  // the list does not only excuse claims that are missed
  for (const tool::unpublished_fact& u : tool::unpublished_facts) {
    const study::comparison& claim = line(r, u.claim);
    CHECK(claim.wanted != study::demand::none);
    holding += claim.holds() ? 1 : 0;
  }
  CHECK(holding == 13);
}

TEST_CASE("claims: an unpublished fact takes a claim out of those that the models can reach, whatever its verdict") {
  using study::demand;
  study::target_result r{.lines = {}};
  r.lines = {{"ridge", 1, 1, demand::equal},
             {"TPU v2 over V100, DenseNet", 4, 3, demand::within, 0.2},
             {"TPU v2 over V100, SqueezeNet", 6.8, 6.8, demand::within, 0.2},
             {"shown", 1, 2},
             {"missed", 1, 2, demand::equal}};
  const tool::claim_counts counts = tool::count_claims(r);
  CHECK(counts.judged == 4);
  CHECK(counts.hold == 2);
  CHECK(counts.reachable == 2);
  CHECK(counts.reachable_hold == 1);
}

TEST_CASE("networks of tensorflow/tpu have its parameters") {
  namespace theirs = tool::tensorflow_tpu;
  const auto parameters = [](const auto& model) { return tool::training_plan(model, 1).trainable_size(); };
  CHECK(parameters(theirs::densenet_121{}) == 10'868'073);
  CHECK(parameters(theirs::squeezenet{}) == 1'248'937);
  CHECK(parameters(theirs::retinanet{}) == 35'702'772 + 53'120);  // and of the trunk's normalisations
  const rp::compiled made = tool::training_plan(theirs::retinanet{}, 1);
  REQUIRE(made.losses.size() == 1);  // the loss reads each class of an anchor, the host feeds its number
  CHECK(made.losses[0].output_shape.size() == theirs::retinanet::label_values / 5 * (90 + 4));
}

TEST_CASE("cnn: the V100's host copies images at the rate of the board's") {
  const tool::family cnn = tool::family_of("cnn", tool::published_grid("cnn", tool::extent_of_sweep::drawn));
  const double board_s = 2 / rp::tpu::find_chip("v2").fit.infeed_bytes_per_s;  // of a value in bf16
  CHECK(cnn.gpu.with.feed_s_per_value == near(board_s, 1e-12));
}

TEST_CASE("claims: TensorFlow's profiler counts a loop's body once") {
  study::sweep_network network;
  network.parameters = {{"gates", 4}, {"layers", 3}, {"width", 100}, {"steps", 10}, {"vocabulary", 50}};
  const double body = 4 * 3 * 2 * 100 * 100, logits = 10 * 100 * 50;
  CHECK(tool::counted_share(network) == near((body + logits) / (10 * body + logits)));
  network.parameters[3].second = 1;
  CHECK(tool::counted_share(network) == near(1));
}

TEST_CASE("real networks: a host that decodes images limits a step only if it is slower than the devices") {
  const rp::tpu::chip& on = rp::tpu::find_chip("v2");
  rp::tpu::modelled_step step{.title = {}, .chip = "v2", .cores = 8, .batch = 1024, .ops = {}, .infeed = {}};
  step.device_s = step.step_s = 0.25;
  CHECK(tool::with_images(on, step, 0).step_s == 0.25);
  CHECK(tool::with_images(on, step, 1e6).step_s == near(0.25, 1e-3));
  CHECK(tool::with_images(on, step, 1000).step_s == near(1.024 + on.fit.infeed_latency_s, 1e-3));
  const tool::image_hosts hosts = tool::hosts_fitted_to(on, step);
  CHECK(tool::with_images(on, step, hosts.board).step_s == near(1.34 * 0.25, 1e-6));
  CHECK(hosts.gpu == near(1024 / (1.34 * 0.25) / 6.2, 1e-6));
  rp::gpu::modelled_step on_gpu;
  on_gpu.fed.batch = 256, on_gpu.step_s = 0.3;
  CHECK(tool::step_with_images(on_gpu, 0) == 0.3);
  CHECK(tool::step_with_images(on_gpu, 500) == near(0.512));
}

TEST_CASE("gpu targets: TensorFlow's benchmarks of 2017; K80's share is fitted to the first row" *
          doctest::test_suite("slow")) {
  const study::target_result b = tool::compare_tensorflow_benchmarks({});
  CHECK(falling_short(b) == lines{});
  CHECK(b.judged() == 3);
  CHECK(b.lines.size() == 10 + 3);
  CHECK(basis_of(b, "resnet-50, batch 64 on k80, images/s") == evidence::calibration);
  CHECK(basis_of(b, "resnet-50, batch 64 on p100, images/s") == evidence::chosen);
}

TEST_CASE("gpu targets: Keras' time per step matches study D's mnist_mlp on K80; the other totals are shown") {
  const study::target_result d = tool::compare_study_d({});
  CHECK(line(d, "keras-mnist-mlp, s; K80, July").ours == near(65.1, 0.01));
  CHECK(basis_of(d, "keras-mnist-mlp, s; K80, July") == evidence::calibration);
  CHECK(d.lines.size() == 19);
  CHECK(d.judged() == 0);
  for (const study::comparison& c : d.lines) CHECK(c.ours > 0);
}

TEST_CASE("study D's trainings have Keras' samples, and their times have validation after each epoch") {
  const auto& trainings = tool::study_d_trainings();
  REQUIRE(trainings.size() == 7);
  const auto& mlp = trainings[0];
  CHECK(mlp.training_steps == 20 * 469);   // of 128 of 60,000 digits
  CHECK(mlp.validation_steps == 20 * 79);  // of 128 of 10,000
  std::size_t validated = 0;
  for (const auto& each : trainings) validated += each.inference_step ? 1 : 0;
  CHECK(validated == 5);  // text generators have no validation
  const auto k80 = tool::gpu_with("k80", "keras");
  CHECK(mlp.total_s(k80) == near(65.136, 1e-4));  // 1.6 % of it is validation
}

TEST_CASE("study C: the network's size follows from its layers, and differs from the printed one by 2,004") {
  const study::target_result c = tool::compare_study_c({});
  CHECK(falling_short(c) == lines{});
  CHECK(c.judged() == 4);
  const study::comparison& printed = line(c, "the same against the printed number");
  CHECK(printed.ours - printed.theirs == 2004);
  CHECK(line(c, "two cores, 20 epochs in 309 min: GFLOP/s").ours == near(22.2, 1e-2));
  CHECK(line(c, "four cores, 20 epochs in 134 min: GFLOP/s").ours == near(51.1, 1e-2));
  CHECK(line(c, "values of an image and parameters").ours == 17'085'320);
  CHECK(line(c, "values of the second convolution, of an image").ours == 65'536);
  CHECK(line(c, "two K80 over one, speed (published: about the same)").ours < 2);
}

TEST_CASE("study C: virtual CPUs share the dispatch of a step, not the copies of its batch") {
  const tool::fed_step busy{.copies_s = 0, .dispatch_s = 8, .device_s = 0}, copying{3, 0, 0}, mixed{1, 8, 4};
  CHECK(busy.step_s(1) / busy.step_s(8) == 8);
  CHECK(copying.step_s(8) == 3);
  CHECK(mixed.step_s(1) == 13);
  CHECK(mixed.step_s(8) == 6);
  rp::gpu::modelled_step step;
  step.fed = {.batch = 480, .sample_values = 64 * 64};
  step.dispatch_s = 0.25, step.device_s = 0.5;
  const tool::fed_step fed = tool::fed_by_python(step, 24e9);
  CHECK(fed.copies_s == near(480 * 4096 / 1e9, 1e-12));  // three copies of 4 bytes, read and written
  CHECK(fed.dispatch_s == 0.25);
  CHECK(fed.device_s == 0.5);
  // On a step without much for the device, 8 virtual CPUs are faster.
  const tool::study_training mlp(rp::models::mnist_mlp{}, {60'000});
  rp::gpu::modelled_step quick = modelled(tool::gpu_with("v100", "tensorflow"), mlp.training_step);
  CHECK(tool::fed_by_python(quick, 16.6e9).step_s(1) / tool::fed_by_python(quick, 16.6e9).step_s(8) > 1.2);
  const study::target_result c = tool::compare_study_c({});
  const study::comparison& ratio = line(c, "K80: 8 virtual CPUs over 1, speed, at most (published: about the same)");
  CHECK(ratio.ours > 1.001);
  CHECK(ratio.holds());
  CHECK(ratio.basis == study::evidence::hold_out);
}

TEST_CASE("study B: multiples of a CPU, prices, cost of a run, replicas and inference") {
  const study::target_result b = tool::compare_study_b({});
  CHECK(falling_short(b) == lines{});
  CHECK(b.judged() == 2);  // prices
  const auto ours = [&](const char* what) { return line(b, what).ours; };
  CHECK(ours("V100 over 8 virtual CPUs with SSE2 (published: about 50)") /
            ours("K80 over 8 virtual CPUs with SSE2 (published: 8 to 9)") ==
        near(ours("resnet-32, steps/s: V100 over K80 (published: 50 over 8 to 9)"), 1e-9));
  CHECK(ours("TPU v2: samples/s of 8 replicas over one") < 8);
  CHECK(ours("TPU v2: samples/s of 8 replicas over one") > 7);
  CHECK(ours("5,000 steps of 8 replicas on TPU v2, USD") > ours("5,000 steps on TPU v2, one core, USD"));
  CHECK(ours("inference on v100, batch 128, images/s") > ours("inference on k80, batch 128, images/s"));
}

TEST_CASE("study D's statements: costs, prices and times of July and November; accuracies from files of train --json" *
          doctest::test_suite("reference_data")) {
  const std::filesystem::path data = reference_data::folder();
  const study::target_result costs = tool::compare_study_d_july_costs(data);
  CHECK(costs.lines.size() == 7 * 8 + 1);
  CHECK(line(costs, "keras-mnist-mlp: cost on cpu8 over K80").theirs == near(0.181695, 1e-6));
  CHECK(line(costs, "keras-mnist-mlp: cost on cpu8 over K80").ours == near(0.181695, 0.1));
  const study::target_result text = tool::compare_study_d_text(data);
  CHECK(falling_short(text) == lines{});
  CHECK(text.judged(evidence::definitional) == 9);  // prices
  CHECK(line(text, "bidirectional LSTM on K80: July's loops over November's cuDNN (published: about 7)").theirs ==
        near(7.089, 1e-3));
  CHECK(line(text, "lstm-text-generation: July's software over November's, K80").theirs == near(3.789, 1e-3));
  CHECK(line(text, "keras-mnist-mlp: July's software over November's, K80").ours == 1);  // without recurrent layers
  CHECK(line(text, "the same from the published times").ours == near(30.3, 0.01));
  CHECK(line(text, "of 7 networks, 16 vCPU compiled cheaper than K80").theirs == 7);
  CHECK(line(text, "of 6 networks in November, cheapest on 16 vCPU").theirs == 5);
  CHECK(line(text, "imdb-fasttext, s; cpu32, November").theirs == near(932.855, 1e-6));
  CHECK(text.rows == 13);  // CNTK
  CHECK(std::isnan(line(text, "CNTK: mnist_mlp on p100, s; not modelled").ours));
  const study::target_result listed = tool::compare_study_d_accuracies(data);
  CHECK(line(listed, "keras-mnist-mlp: accuracy after training").theirs == near(0.9838, 1e-3));
  CHECK(std::isnan(line(listed, "keras-mnist-mlp: accuracy after training").ours));

  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "ridgepoint_study_d_accuracies";
  std::filesystem::create_directories(folder);
  std::filesystem::copy_file(data / "maxwoolf_summary.csv", folder / "maxwoolf_summary.csv",
                             std::filesystem::copy_options::overwrite_existing);
  const std::string file = (folder / "train_keras-mnist-mlp.json").string(), epochs = R"(, batch 128", "epochs": [
                            {"loss": 0.5, "accuracies": [0.9]}, {"loss": 0.25, "accuracies": [0.98]}]})",
                    head = R"({"schema": "ridgepoint.training", "schema_version": 1, "training": ")";
  ridgepoint::write_file(file, head + "keras-mnist-cnn" + epochs);
  CHECK_THROWS_WITH_AS(
      tool::compare_study_d_accuracies(folder),
      (file + ": training is keras-mnist-cnn, batch 128; must be of keras-mnist-mlp without --set").c_str(),
      ridgepoint::data_error);
  ridgepoint::write_file(file, head + "keras-mnist-mlp" + epochs);
  const study::target_result trained = tool::compare_study_d_accuracies(folder);
  CHECK(line(trained, "keras-mnist-mlp: accuracy after training").ours == 0.98);
  CHECK(std::isnan(line(trained, "keras-mnist-cnn: accuracy after training").ours));
  CHECK(trained.note.ends_with("there is 1 of 7"));
  std::filesystem::remove_all(folder);
}

TEST_CASE("versions: measured with several compilers, versions of a peer and settings of a peer") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "ridgepoint_versions";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const auto write = [&](const char* name, const std::string& text) {
    ridgepoint::write_file((folder / name).string(), text);
  };
  const auto measured = [&] { return study::target_result{.lines = tool::measured_versions(folder).lines}; };
  const auto bench = [](const char* compiler, const char* version, const char* rates, const char* cpu = "a CPU") {
    return rp::concat(R"({"schema": "ridgepoint.versus", "schema_version": 2, "ours": "ridgepoint.avx2", "command": ")",
                      "ridgepoint bench network mnist-mlp --python /opt/", version,
                      R"(/python --rounds 6", "environment": {"compiler": ")", compiler, R"(", "cpu_model": ")", cpu,
                      R"("}, "implementations": ["ridgepoint.avx2 plain: ridgepoint 1 / x", "onednn any: oneDNN )",
                      version, R"( / x", "pytorch.eager: PyTorch )", version, R"( / x", "pytorch.compile: PyTorch )",
                      version, R"( / x"], "rows": )", rates, "}");
  };
  const std::string of = "ridgepoint bench network mnist-mlp --rounds 6: ";
  CHECK(tool::measured_versions({}).lines.empty());
  write("other.json", "{}");
  CHECK(tool::measured_versions(folder).cpu_models.empty());

  write("versions_mlp.1.json", bench("gcc 12", "2", R"([
    {"shape": "a", "rates": {"ridgepoint.avx2": 10, "onednn": 4, "pytorch.eager": 2, "pytorch.compile": 4}},
    {"shape": "b", "rates": {"ridgepoint.avx2": 10, "onednn": 9, "pytorch.eager": 3}}])"));
  CHECK(measured().lines.size() == 1);  // a version alone has no ratio
  CHECK(line(measured(), of + "pytorch.compile over pytorch.eager, PyTorch 2").ours == 2);
  for (const char* again : {"versions_mlp.2.json", "versions_mlp.3.json"})
    write(again, bench("gcc 14", "3", R"([{"shape": "a", "rates": {"ridgepoint.avx2": 20, "onednn": 16}},
                                          {"shape": "b", "rates": {"ridgepoint.avx2": 5, "onednn": 9}}])"));
  write("versions_mlp.4.json", bench("gcc 14", "3", R"([{"shape": "a", "rates": {"onednn": 1}}])"));
  CHECK(measured().lines.size() == 3);
  CHECK(line(measured(), of + "onednn, oneDNN 3 over oneDNN 2, 2 rows").ours ==
        near(2, 1e-12));  // the median of 16, 16 and 1 over 4, and 9 over 9
  CHECK(line(measured(), of + "ridgepoint.avx2, gcc 14 over gcc 12, 2 rows").ours == near(1, 1e-12));
  write("versions_mlp.5.json", bench("clang 14", "3", R"([
    {"shape": "a", "rates": {"ridgepoint.avx2": 1, "pytorch.eager": 2, "pytorch.compile": 12}}])"));
  std::string unlisted = bench("clang 19", "3", R"([
    {"shape": "a", "rates": {"ridgepoint.avx2": 3, "pytorch.eager": 2, "pytorch.compile": 1}}])");
  unlisted.replace(unlisted.find("pytorch.compile:"), 15, "pytorch.another");
  write("versions_mlp.6.json", unlisted);
  CHECK(measured().lines.size() == 7);
  CHECK(line(measured(), of + "ridgepoint.avx2, clang 19 over clang 14").ours == near(3, 1e-12));
  CHECK(line(measured(), of + "pytorch.compile over pytorch.eager, PyTorch 2").ours == 2);
  CHECK(line(measured(), of + "pytorch.compile over pytorch.eager, PyTorch 3").ours == near(6, 1e-12));
  CHECK(line(measured(), of + "pytorch.compile, PyTorch 3 over PyTorch 2").ours == near(3, 1e-12));

  write("versions_kernels.json", R"({"schema": "ridgepoint.flags", "schema_version": 1, "base": "g++-12,O3",
    "environment": {"cpu_model": "b CPU"}, "rows": [
    {"name": "dot/8", "set": "g++-12,O3"}, {"name": "dot/8", "set": "g++-14,O3", "speedup": 2},
    {"name": "sum", "set": "g++-14,O3", "speedup": 0.5}, {"name": "exp", "set": "g++-14,O3"},
    {"name": "exp/8/definition", "set": "g++-14,O3", "speedup": 3}]})");
  CHECK(measured().lines.size() == 9);
  CHECK(tool::measured_versions(folder).cpu_models == std::set<std::string>{"a CPU", "b CPU"});
  CHECK(line(measured(), "kernels: g++-14,O3 over g++-12,O3, 2 rows").ours == near(1, 1e-12));
  CHECK(line(measured(), "kernels, definition: g++-14,O3 over g++-12,O3").ours == near(3, 1e-12));

  const auto refused = [&](const std::string& text, const std::string& message) {
    write("versions_mlp.7.json", text);
    CHECK_THROWS_WITH_AS(measured(), rp::concat((folder / "versions_mlp.7.json").string(), message).c_str(),
                         rp::data_error);
  };
  refused(bench("gcc 14", "3", R"([{"shape": "a", "rates": {"onednn": 1}}])", "another"),
          rp::concat(": cpu_model is another; must be a CPU as in ", (folder / "versions_mlp.1.json").string()));
  refused(R"({"schema": "ridgepoint.training", "schema_version": 1, "environment": {"cpu_model": "c"}})",
          ": schema is ridgepoint.training; must be ridgepoint.versus");
  refused(bench("gcc 14", "3", R"([{"shape": "a", "rates": {"onednn": 0}}])"),
          ": rows[0].rates.onednn is 0; must be a number from 1e-12 to 1e+24");
  write("versions_mlp.7.json", bench("gcc 14", "4", R"([{"shape": "c", "rates": {"onednn": 1}}])"));
  CHECK_THROWS_WITH_AS(measured(),
                       (of + "onednn, oneDNN 4 over oneDNN 2: no row in common; must have at least 1").c_str(),
                       rp::data_error);
  std::filesystem::remove_all(folder);
}

TEST_CASE("study E: kinds of ops, boxes of speed-ups, number formats and fourteen observations" *
          doctest::test_suite("slow")) {
  const study::target_result mix = tool::compare_op_mix({});
  CHECK(mix.lines.size() == 10);
  for (const std::string network : {"resnet-50", "transformer-base"}) {
    double percent = 0;
    for (const study::comparison& each : mix.lines)
      if (each.what.starts_with(network)) percent += each.ours;
    CHECK(percent == near(100, 1e-9));
  }
  CHECK(line(mix, "resnet-50: all-reduce, % of the device's time").theirs == 1.1);
  CHECK(line(mix, "resnet-50: gradient of max-pooling, % of the device's time").ours > 0);
  const study::target_result formats = tool::compare_formats({});
  CHECK(formats.lines.size() == 12);
  for (const study::comparison& each : formats.lines)
    if (each.what.find("percentile") != std::string::npos) CHECK(each.ours > 1);
  const study::target_result r = tool::compare_observations({});
  CHECK(r.lines.size() == 14 + 4);  // four have two parts
  const study::target_result versions = tool::compare_versions({});
  CHECK(versions.judged() == 0);  // the ratios are of something else than the published ones
  CHECK(line(r, "12. software of TPU, 7 months, FC: fusion of ops alone").ours ==
        line(versions, "FC on TPU v2: ops fused over separate (published: TensorFlow 1.12 over 1.7)").ours);
  CHECK(line(r, "14. software of GPU, FC: 16 bits alone").ours ==
        line(formats, "FC on V100, f16 over f32: 90th percentile").ours);
  for (const study::comparison& each : versions.lines)
    if (each.what.find("not modelled") == std::string::npos) CHECK(each.ours > 1);
    else CHECK((std::isnan(each.ours) && each.theirs > 1));
  CHECK(r.judged() == 16);
  CHECK(line(r, "3. chips communicate: FC's highest utilisation on 8 cores over 1").holds());
}
TEST_CASE("boxes: percentiles of the measured networks' speed-ups" * doctest::test_suite("reference_data")) {
  const study::target_result r = tool::compare_boxes(reference_data::folder());
  CHECK(r.rows == 176);
  CHECK(line(r, "FC, TPU over GPU, 176 measured networks, percentile 50").theirs == near(3.795, 1e-3));
  CHECK(line(r, "FC, TPU over GPU, 176 measured networks, percentile 98").ours ==
        near(line(r, "FC, TPU over GPU, 176 measured networks, percentile 98").theirs, 0.2));
  CHECK(r.lines.size() == 5 + 3 * (3 * 5 + 1) + 2);
  CHECK(line(r, "RNN, TPU over CPU, percentile 2").ours < line(r, "RNN, TPU over CPU, percentile 98").ours);
}

TEST_CASE("sizes of all studies' networks are the published ones" * doctest::test_suite("reference_data")) {
  const auto check = [](const study::target_result& r, std::size_t rows, std::size_t judged) {
    CHECK(falling_short(r) == lines{});
    CHECK(r.rows == rows);
    CHECK(r.judged(evidence::definitional) == judged);
  };
  check(tool::compare_networks_a(reference_data::folder()), 5, 15);
  check(tool::compare_networks_b(reference_data::folder()), 1, 7);
  check(tool::compare_networks_c(reference_data::folder()), 1, 3);
  check(tool::compare_networks_d(reference_data::folder()), 6, 18);
  check(tool::compare_networks_e(reference_data::folder()), 4, 22);
}

TEST_CASE("study D's costs follow from its times and prices; modelled, P100 is cheaper than K80 for none either" *
          doctest::test_suite("reference_data")) {
  const study::target_result d = tool::compare_study_d_costs(reference_data::folder());
  CHECK(falling_short(d) == lines{});
  CHECK(d.rows == 102);
  CHECK(d.judged(evidence::definitional) == 3);
  CHECK(d.judged() == 4);
  CHECK(line(d, "keras-mnist-mlp, modelled: cost on P100 over K80, 2017-11").theirs == near(2.59384, 1e-4));
}

TEST_CASE("studies A, C and D on CPUs: a fit to July's times gives the constants; other studies are predicted" *
          doctest::test_suite("reference_data")) {
  const study::target_result d = tool::compare_study_d_processors(reference_data::folder());
  CHECK(falling_short(d) == lines{});
  CHECK(d.judged() == 1);
  CHECK(d.rows == 56 + 12);
  CHECK(line(d, "July: mean error of 56 trainings, %").ours == near(15.5, 0.05));
  CHECK(line(d, "cpu8: AVX2 over SSE2, median").ours == near(1.48, 0.05));
  const study::comparison& half = line(d, "of 14 trainings, at most 5 % less time on 64 than on 32");
  CHECK(half.ours == 9);
  CHECK(half.theirs == 13);
  CHECK(basis_of(d, "November: mean error of 12 trainings, %") == evidence::hold_out);
  CHECK(line(d, "cpu8: AVX2 over SSE2, median").theirs == near(1.509, 1e-3));
  const study::target_result a = tool::compare_study_a_processor(reference_data::folder());
  CHECK(a.lines.size() == 5 + 5 * 2 * 2 + 3);  // medians; trainings and tests of two sources; three notebooks
  CHECK(line(a, "mnist-lstm, test, s; study").theirs == near(18.504, 1e-6));
  CHECK(line(a, "mnist-cnn, train, s; replication").theirs == near(1187.64, 1e-6));
  CHECK(line(a, "mnist-mlp, s; modelled").theirs == near(69.1, 1e-3));
  const study::target_result c = tool::compare_study_c_processors({});
  CHECK(c.lines.size() == 2);
  const study::target_result speed_ups = tool::compare_study_a_table(reference_data::folder());
  CHECK(falling_short(speed_ups) == lines{});
  CHECK(speed_ups.rows == 60);
  CHECK(speed_ups.lines.size() == 2 * 10 + 1);
  CHECK(line(speed_ups, "mnist-cnn, train, K80 over CPU, %").theirs == near(3331.8, 1e-6));
  CHECK(line(speed_ups, "mnist-cnn, test, K80 over CPU, %").ours > 100);
  const study::target_result july = tool::compare_study_d_relative(reference_data::folder());
  CHECK(falling_short(july) == lines{});
  CHECK(july.lines.size() == 7 * 4 * 3 + 3);
  CHECK(july.rows == 7 * 4 - 1);  // imdb_fasttext has no FLOP
  CHECK(line(july, "imdb-bidirectional-lstm: time on cpu8 over K80").theirs == near(0.510104, 1e-6));
  CHECK(line(july, "keras-mnist-cnn: time on cpu64-compiled over K80").theirs == near(2.92352, 1e-6));
  CHECK(line(july, "keras-mnist-mlp: AVX2 over SSE2 on cpu16").theirs == near(1.359, 1e-6));
  for (const study::target_result* r : {&a, &c})
    for (const study::comparison& each : r->lines) CHECK(each.ours == near(each.theirs, 0.6));
}
