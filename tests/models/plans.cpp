// SPDX-License-Identifier: MIT
// What is planned for every network stays what it was: calls, receipts, and where their operands lie.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <ridgepoint/graph/compile.hpp>
#include <ridgepoint/models/all.hpp>
#include <ridgepoint/ops/all.hpp>

#include "support/plan_text.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

namespace {

/// What a test of plans calls one: "mnist-mlp.training.float".
struct named_plan {
  std::string name;
  rp::plan steps;
};

/// Layers, losses and optimisers that no model has.
struct small_image {
  static constexpr std::string_view name = "small-image";
  static constexpr rp::index_t batch = 3;
  using loss = nn::mse;
  using optimiser = nn::momentum;
  static rp::node build(rp::graph& net) {
    return net.input({9, 8, 3}) | nn::conv2d{.filters = 4, .kernel = 3, .stride = 2, .padding = nn::same} |
           nn::batch_norm{} | nn::leaky_relu{} | nn::depthwise_conv2d{.multiplier = 2, .kernel = 2} | nn::avg_pool{} |
           nn::global_avg_pool{} | nn::dense{.units = 5, .bias = false} | nn::sigmoid{};
  }
};
struct small_sequence {
  static constexpr std::string_view name = "small-sequence";
  static constexpr rp::index_t batch = 2;
  using loss = nn::binary_cross_entropy;
  using optimiser = nn::adadelta;
  static rp::node build(rp::graph& net) {
    return net.input({5}) | nn::embedding{.vocabulary = 11, .width = 4} | nn::lstm{.units = 6, .sequences = true} |
           nn::gru{.units = 3, .sequences = true} | nn::rnn{.units = 7} | nn::dense{.units = 2};
  }
};
struct small_residual {
  static constexpr std::string_view name = "small-residual";
  static constexpr rp::index_t batch = 4;
  using loss = nn::mse;
  using optimiser = nn::rmsprop_keras;
  static rp::node build(rp::graph& net) {
    const rp::node x = net.input({6}) | nn::dense{.units = 8} | nn::tanh{} | nn::dropout{.rate = 0.5F};
    return rp::add(x, x | nn::dense{.units = 8} | nn::hard_sigmoid{});
  }
};
struct small_linear {
  static constexpr std::string_view name = "small-linear";
  static constexpr rp::index_t batch = 5;
  using loss = nn::softmax_cross_entropy;
  using optimiser = nn::sgd;
  static rp::node build(rp::graph& net) { return net.input({3}) | nn::dense{.units = 2}; }
};
struct small_answer {  // only for inference
  static constexpr std::string_view name = "small-answer";
  static constexpr rp::index_t batch = 6;
  static rp::node build(rp::graph& net) { return net.input({3}) | nn::dense{.units = 4} | nn::softmax{}; }
};
using networks = decltype(rp::models::all{} +
                          rp::type_list<small_image, small_sequence, small_residual, small_linear, small_answer>{});

template <rp::scalar T, class Model>
void add_plans(std::vector<named_plan>& all, std::string_view type) {
  rp::graph net{std::string(Model::name)};
  const rp::node output = Model{}.build(net);
  const rp::compile_options options{.batch = Model::batch};
  all.push_back({rp::concat(Model::name, ".inference.", type), rp::plan_inference<T>(net, output, options).plan});
  if constexpr (requires { typename Model::optimiser; })
    all.push_back(
        {rp::concat(Model::name, ".training.", type),
         rp::plan_training<T>(net, output, typename Model::loss{}, typename Model::optimiser{}, options).plan});
}

template <class... Models>
std::vector<named_plan> plans_of(rp::type_list<Models...>) {
  std::vector<named_plan> all;
  ((add_plans<float, Models>(all, "float"), add_plans<double, Models>(all, "double")), ...);
  return all;
}

/// The plan of every network, for inference and for training, in float and in double.
const std::vector<named_plan>& plans() {
  static const std::vector<named_plan> all = plans_of(networks{});
  return all;
}

/// "mnist-mlp.training.float: 33 calls, …", a line for each plan.
std::vector<std::string> digests() {
  std::vector<std::string> lines;
  for (const auto& [name, steps] : plans()) lines.push_back(rp::concat(name, ": ", plan_text::digest(steps)));
  return lines;
}

/// The text of each plan in a file of its own, and the digests in one.
void write_plans(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  for (const auto& [name, steps] : plans()) std::ofstream(folder / (name + ".txt")) << plan_text::of(steps);
  std::ofstream file(folder / "digests.txt");
  for (const std::string& line : digests()) file << line << '\n';
}

template <class... Args>
std::vector<std::string> names_of(rp::type_list<Args...>) {
  return {rp::op_name<Args>()...};
}

constexpr std::string_view expected = R"(
mnist-mlp.inference.float: 5 calls, 305923328 FLOP, 7283752 B, arena 524288 B, 0390db6e9bbc0022
mnist-mlp.training.float: 33 calls, 826964068 FLOP, 60385128 B, arena 2102272 B, 3fa0b9df2d6418e2
mnist-mlp.inference.double: 5 calls, 305923328 FLOP, 14567504 B, arena 1048576 B, fcf19d794ce4f35d
mnist-mlp.training.double: 33 calls, 826964068 FLOP, 120769744 B, arena 4204544 B, 27eaca17d5b39989
mnist-cnn.inference.float: 8 calls, 2462516480 FLOP, 84577064 B, arena 32112640 B, e27f666fed37b3ca
mnist-cnn.training.float: 33 calls, 7241644516 FLOP, 295141480 B, arena 59408384 B, dc30d0f29c2a3022
mnist-cnn.inference.double: 8 calls, 2462516480 FLOP, 169154128 B, arena 64225280 B, fbcd9e17f9372804
mnist-cnn.training.double: 33 calls, 7241644516 FLOP, 586120912 B, arena 117211136 B, 9b6efb500e47e785
paradnn-fc.inference.float: 9 calls, 21341642752 FLOP, 121081760 B, arena 8388608 B, 2763712a0cf88dd5
paradnn-fc.training.float: 45 calls, 59910714152 FLOP, 743283872 B, arena 41844736 B, 5df6e1bdec447057
paradnn-fc.inference.double: 9 calls, 21341642752 FLOP, 242163520 B, arena 16777216 B, 93cff8a46866b198
paradnn-fc.training.double: 45 calls, 59910714152 FLOP, 1486563648 B, arena 83689472 B, 9520b1d3297cd6d9
paradnn-cnn.inference.float: 174 calls, 1051857294080 FLOP, 40978017952 B, arena 924844032 B, 9c628f460ffb8d92
paradnn-cnn.training.float: 510 calls, 3137443327848 FLOP, 104253656736 B, arena 10791108096 B, 8f1ea8f40d62a893
paradnn-cnn.inference.double: 174 calls, 1051857294080 FLOP, 81956035904 B, arena 1849688064 B, c136eb9da9a4e1c8
paradnn-cnn.training.double: 510 calls, 3137443327848 FLOP, 208455932736 B, arena 21556526080 B, dbd29b73f2435e53
paradnn-rnn.inference.float: 8 calls, 17648038400 FLOP, 100828048 B, arena 12953600 B, c569dfd85790c4ff
paradnn-rnn.training.float: 25 calls, 53001778308 FLOP, 381772432 B, arena 51366400 B, f690eba4fdbe6eba
paradnn-rnn.inference.double: 8 calls, 17648038400 FLOP, 201630496 B, arena 25907200 B, 740a73657dd8d917
paradnn-rnn.training.double: 25 calls, 53001778308 FLOP, 763493664 B, arena 102720000 B, 2fb98d5ef5f60042
paradnn-gru.inference.float: 8 calls, 49704038400 FLOP, 120848048 B, arena 12953600 B, 60851f3c316e938e
paradnn-gru.training.float: 25 calls, 149238823308 FLOP, 773312432 B, arena 147366400 B, 33ac9b4f7a64328b
paradnn-gru.inference.double: 8 calls, 49704038400 FLOP, 241670496 B, arena 25907200 B, e64ffbb31465a7ba
paradnn-gru.training.double: 25 calls, 149238823308 FLOP, 1546573664 B, arena 294720000 B, 4467b3c6910dd7ff
paradnn-lstm.inference.float: 8 calls, 65704038400 FLOP, 130858048 B, arena 12953600 B, cf95adad9227aebb
paradnn-lstm.training.float: 25 calls, 197301345808 FLOP, 1001402432 B, arena 211366400 B, 3978c01bc41d562f
paradnn-lstm.inference.double: 8 calls, 65704038400 FLOP, 261690496 B, arena 25907200 B, b7a7295245165edf
paradnn-lstm.training.double: 25 calls, 197301345808 FLOP, 2002753664 B, arena 422720000 B, 2a96db0f0fa728b6
small-image.inference.float: 7 calls, 17320 FLOP, 11740 B, arena 2112 B, cbde5f874f525212
small-image.training.float: 23 calls, 41001 FLOP, 32780 B, arena 4160 B, 0c754a2649f29ac3
small-image.inference.double: 7 calls, 17320 FLOP, 23480 B, arena 4224 B, 89d121f55783234c
small-image.training.double: 23 calls, 41001 FLOP, 65560 B, arena 8192 B, 4f48ec953b2fdbca
small-sequence.inference.float: 6 calls, 8670 FLOP, 3236 B, arena 448 B, ce8a23515543e207
small-sequence.training.float: 19 calls, 33445 FLOP, 26384 B, arena 2752 B, 5a01f28152b8fb7f
small-sequence.inference.double: 6 calls, 8670 FLOP, 6392 B, arena 832 B, 5255b4539dde56fd
small-sequence.training.double: 19 calls, 33445 FLOP, 52648 B, arena 5312 B, 6e4f2dd6903c0d6c
small-residual.inference.float: 4 calls, 1120 FLOP, 1632 B, arena 256 B, b52c640a7a7d6afd
small-residual.training.float: 16 calls, 3904 FLOP, 7744 B, arena 640 B, 7485286840ffec54
small-residual.inference.double: 4 calls, 1120 FLOP, 3264 B, arena 512 B, 427571a6031664f3
small-residual.training.double: 16 calls, 3904 FLOP, 15488 B, arena 1280 B, d7d4389adc0e3a26
small-linear.inference.float: 1 calls, 70 FLOP, 132 B, arena 64 B, f6d76eaa23ae1f20
small-linear.training.float: 5 calls, 216 FLOP, 460 B, arena 64 B, 18b50157c2033408
small-linear.inference.double: 1 calls, 70 FLOP, 264 B, arena 128 B, e5f4e4a7bca85b45
small-linear.training.double: 5 calls, 216 FLOP, 900 B, arena 128 B, 5ca9b5f656f46478
small-answer.inference.float: 2 calls, 264 FLOP, 424 B, arena 128 B, 55e2b17880624243
small-answer.inference.double: 2 calls, 264 FLOP, 848 B, arena 192 B, 5edb4f5038c50ef6
)";

}  // namespace

// RIDGEPOINT_PLANS=FOLDER writes there what is planned: diff -r of the folders of two trees shows what changed. Where
// that is meant, FOLDER/digests.txt is what must be here.
TEST_CASE("every network is planned as it was") {
  if (const char* const folder = std::getenv("RIDGEPOINT_PLANS")) write_plans(folder);
  std::istringstream before{std::string(expected.substr(1))};
  std::string line;
  for (const std::string& now : digests()) {
    std::getline(before, line);
    CHECK(now == line);
  }
  CHECK_FALSE(std::getline(before, line));
}

TEST_CASE("every op that layers, losses and optimisers plan is in a network whose plan is known") {
  const std::set<std::string> never = {"gemm<float>", "gemm_batched<float>", "pack_b<float>", "gemm_packed<float>"};
  std::set<std::string> planned;
  for (const auto& [name, steps] : plans())
    for (const rp::planned_call& call : steps.calls) planned.insert(call.op);
  for (const std::string& op : names_of(rp::all_ops<float>{})) {
    CAPTURE(op);
    CHECK(planned.contains(op) != never.contains(op));
  }
}
