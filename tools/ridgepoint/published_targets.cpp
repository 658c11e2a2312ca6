// SPDX-License-Identifier: MIT
#include "published_targets.hpp"

#include <cmath>

#include <ridgepoint/roofline/format.hpp>
#include <ridgepoint/study/targets/all.hpp>
#include <ridgepoint/study/targets/gpu.hpp>

#include "claims.hpp"
#include "gpu_targets.hpp"
#include "network_targets.hpp"
#include "observation_targets.hpp"
#include "study_d_targets.hpp"

namespace tool {

using rp::study::comparison;
using rp::study::demand;

std::string demanded(const comparison& c) {
  switch (c.wanted) {
    case demand::equal:
      return "equal";
    case demand::within:
      return rp::concat("within ", rp::figures(100 * c.limit), " %");
    case demand::points:
      return rp::concat("within ", rp::figures(c.limit), " points");
    case demand::at_most:
      return rp::concat("at most ", rp::figures(c.limit));
    case demand::at_least:
      return rp::concat("at least ", rp::figures(c.limit));
    case demand::none:
      break;
  }
  return "shown";
}

rp::json document(const rp::study::target& t, const rp::study::target_result& r) {
  rp::json lines = rp::json::array();
  for (const comparison& c : r.lines) {
    rp::json line{{"what", c.what}, {"basis", to_string(c.basis)}, {"demanded", demanded(c)}};
    if (std::isfinite(c.ours)) line["ours"] = c.ours;
    if (std::isfinite(c.theirs)) line["theirs"] = c.theirs;
    if (std::isfinite(c.error())) line["error"] = c.error();
    if (c.wanted == demand::within) line["limit"] = c.limit;
    if (c.wanted != demand::none) line["holds"] = c.holds();
    lines.push_back(std::move(line));
  }
  return {{"target", t.name},
          {"title", t.title},
          {"verdict", r.verdict()},
          {"rows", r.rows},
          {"judged", r.judged()},
          {"not_met", r.differences()},
          {"differences", r.differing.value_or(r.differences())},
          {"errors", std::move(lines)},
          {"note", r.note}};
}

std::vector<rp::study::target> tpu_targets() {
  std::vector<rp::study::target> targets = rp::study::tpu_targets();
  targets.push_back({"cnn-rnn", "TPU v2 and v3: CNN and RNN, published maxima", {}, compare_graphs, "E"});
  targets.push_back({"real-networks", "TPU v2: infeed, ops and speed of six networks", {}, compare_real_networks, "E"});
  targets.push_back({"claims", "study E: the numbers in its text, claim by claim", {}, compare_claims, "E"});
  targets.push_back({"memory", "which FC networks fit a CPU, a V100 and a TPU v2", {}, compare_memory, "E"});
  const std::vector<std::string> steps{"paradnn_tpu_fc.csv", "paradnn_gpu_fc.csv"};
  targets.push_back({"observations", "study E: its fourteen observations", {}, compare_observations, "E"});
  targets.push_back({"op-mix", "TPU v2: time of ResNet-50 and Transformer by kind of op", {}, compare_op_mix, "E"});
  targets.push_back({"boxes", "TPU, GPU and CPU over one another: boxes of speed-ups", steps, compare_boxes, "E"});
  targets.push_back({"formats", "16 against 32 bits on TPU v2 and V100", {}, compare_formats, "E"});
  targets.push_back({"versions", "gains from newer software on TPU v2 and V100", {}, compare_versions, "E"});
  return targets;
}
std::vector<rp::study::target> gpu_targets() {
  std::vector<rp::study::target> targets = rp::study::gpu_targets();
  targets.push_back({"tensorflow-benchmarks",
                     "TensorFlow's own benchmarks of 2017: CNN on K80 and P100",
                     {},
                     compare_tensorflow_benchmarks});
  targets.push_back({"study-a", "study A: five MNIST nets on an unnamed GPU", {}, compare_study_a, "A"});
  targets.push_back({"study-b", "study B: ResNet-32 on K80, V100 and TPU v2", {}, compare_study_b, "B"});
  targets.push_back({"study-c", "study C: arithmetic of its network and times", {}, compare_study_c, "C"});
  targets.push_back({"study-d", "study D: Keras' examples on K80 and P100", {}, compare_study_d, "D"});
  targets.push_back(
      {"study-d-costs", "study D: costs of its trainings", {"maxwoolf_summary.csv"}, compare_study_d_costs, "D"});
  const std::vector<std::string> times{"maxwoolf_summary.csv"};
  targets.push_back({"study-d-july-costs",
                     "study D, July: costs over the K80's, modelled",
                     {"maxwoolf_2017-07_pivot.csv"},
                     compare_study_d_july_costs,
                     "D"});
  targets.push_back({"study-d-text", "study D: its statements, prices and CNTK", times, compare_study_d_text, "D"});
  targets.push_back(
      {"study-d-accuracies", "study D: accuracies after training", times, compare_study_d_accuracies, "D"});
  const std::vector<std::string> sizes{"model_totals.csv"};
  targets.push_back({"networks-a", "study A: sizes of its networks", sizes, compare_networks_a, "A"});
  targets.push_back({"networks-b", "study B: size of its network, and a profile", sizes, compare_networks_b, "B"});
  targets.push_back({"networks-c", "study C: size of its network", sizes, compare_networks_c, "C"});
  targets.push_back({"networks-d", "study D: sizes of its networks", sizes, compare_networks_d, "D"});
  targets.push_back({"networks-e", "study E: sizes of real networks and of ParaDnn's", sizes, compare_networks_e, "E"});
  return targets;
}

const std::vector<publication>& publications() {
  static const std::vector<publication> all{
      {"A", "Five MNIST networks on Colab's CPU, GPU and TPU", "Indiana University, 2021",
       "https://github.com/cybertraining-dsc/sp21-599-359"},
      {"B", "ResNet-32 on CIFAR-10 on CPU, K80, V100 and TPU v2", "Tsuyoshi Matsuzaki, 2018",
       "https://github.com/tsmatz/tensorflow-cifar10-resnet32-for-benchmark"},
      {"C", "A convolutional network that counts the cells of mouse embryos", "compscied",
       "https://github.com/compscied/tensorflow"},
      {"D", "Keras' examples on cloud CPUs and GPUs, and what they cost", "Max Woolf, 2017",
       "https://github.com/minimaxir/deep-learning-cpu-gpu-benchmark"},
      {"E", "ParaDnn: Benchmarking TPU, GPU and CPU platforms for deep learning",
       "Y. E. Wang, G.-Y. Wei, D. Brooks, 2019", "https://arxiv.org/abs/1907.10701"}};
  return all;
}

}  // namespace tool
