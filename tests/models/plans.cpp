// SPDX-License-Identifier: MIT
// Checks that the plan of every network is unchanged: calls, receipts, and operand addresses.
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

/// Plan with its name, such as "mnist-mlp.training.float".
struct named_plan {
  std::string name;
  rp::plan steps;
};

/// Covers layers, losses and optimisers that no model uses.
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
    return net.input({5}, rp::element::i32) | nn::embedding{.vocabulary = 11, .width = 4} |
           nn::lstm{.units = 6, .sequences = true} | nn::gru{.units = 3, .sequences = true} | nn::rnn{.units = 7} |
           nn::dense{.units = 2};
  }
};
struct small_both_ways {
  static constexpr std::string_view name = "small-both-ways";
  static constexpr rp::index_t batch = 2;
  using loss = nn::mse;
  using optimiser = nn::sgd;
  static rp::node build(rp::graph& net) {
    using both = nn::bidirectional<nn::gru>;
    rp::node x = net.input({5, 3}) | nn::dense{.units = 4} | nn::dropout{.rate = 0.2F, .shared_steps = true};
    x = x | both{.cell = {.units = 3, .sequences = true}} |
        nn::bidirectional<nn::lstm>{.cell = {.units = 2, .sequences = true}, .merge = rp::merge_rule::sum} |
        both{.cell = {.units = 4, .sequences = true}, .merge = rp::merge_rule::average};
    return rp::add(x | nn::bidirectional<nn::rnn>{.cell = {.units = 2}}, x | nn::global_avg_pool1d{});
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
struct small_dense_block {
  static constexpr std::string_view name = "small-dense-block";
  static constexpr rp::index_t batch = 2;
  using loss = nn::softmax_cross_entropy;
  using optimiser = nn::sgd;
  static rp::node build(rp::graph& net) {
    const rp::node x = net.input({4, 4, 3}) | nn::conv2d{.filters = 2, .kernel = 1};
    return rp::concat_channels(x, x | nn::relu{} | nn::conv2d{.filters = 3, .kernel = 3, .padding = nn::same}) |
           nn::flatten{} | nn::dense{.units = 2};
  }
};
struct small_normalised {
  static constexpr std::string_view name = "small-normalised";
  static constexpr rp::index_t batch = 2;
  using loss = nn::softmax_cross_entropy;
  using optimiser = nn::sgd;
  static rp::node build(rp::graph& net) {
    return net.input({4, 4, 3}) | nn::conv2d{.filters = 4, .kernel = 1} | nn::group_norm{.groups = 2} |
           nn::upsample{.factor = {2, 3}} | nn::layer_norm{} | nn::flatten{} | nn::dense{.units = 2};
  }
};
struct small_decoder {
  static constexpr std::string_view name = "small-decoder";
  static constexpr rp::index_t batch = 2;
  using loss = nn::mse;
  using optimiser = nn::sgd;
  static rp::node build(rp::graph& net) {
    const rp::node x =
        net.input({3, 2, 4}) | nn::conv2d_transposed{.filters = 3, .kernel = 3, .stride = 2} | nn::relu{};
    return x | nn::slice{.axis = 0, .first = 1, .count = 5} |
           nn::conv2d_transposed{.filters = 1, .kernel = 2, .padding = nn::same, .bias = false};
  }
};
struct small_linear {
  static constexpr std::string_view name = "small-linear";
  static constexpr rp::index_t batch = 5;
  using loss = nn::softmax_cross_entropy;
  using optimiser = nn::sgd;
  static rp::node build(rp::graph& net) { return net.input({3}) | nn::dense{.units = 2}; }
};
struct small_answer {  // inference only
  static constexpr std::string_view name = "small-answer";
  static constexpr rp::index_t batch = 6;
  static rp::node build(rp::graph& net) { return net.input({3}) | nn::dense{.units = 4} | nn::softmax{}; }
};
struct small_limited {  // a shared layer, micro-batches, and updates that wait for the norm of all gradients
  static constexpr std::string_view name = "small-limited";
  static constexpr rp::index_t batch = 2;
  using loss = nn::mse;
  using optimiser = nn::adamw;
  static rp::node build(rp::graph& net) {
    const auto twice = rp::shared(nn::dense{.units = 4});
    return net.input({4}) | twice | nn::tanh{} | twice | nn::dense{.units = 3};
  }
  static void set(rp::compile_options& options) {
    options.micro_batches = 2, options.clip_norm = 1;
    options.groups = {{.names = "*.b", .weight_decay = 0.0}};
  }
};
struct small_words {  // a table looked up in micro-batches, and a loss that ignores a label
  static constexpr std::string_view name = "small-words";
  static constexpr rp::index_t batch = 3;
  struct loss : nn::softmax_cross_entropy {
    loss() : nn::softmax_cross_entropy{.ignored = 0} {}
  };
  using optimiser = nn::adam;
  static rp::node build(rp::graph& net) {
    return net.input({5}, rp::element::i32) | nn::embedding{.vocabulary = 100, .width = 4, .sparse = true} |
           nn::dense{.units = 3};
  }
  static void set(rp::compile_options& options) { options.micro_batches = 2, options.clip_norm = 1; }
};
struct small_projected {  // projected states; one continues from batch to batch
  static constexpr std::string_view name = "small-projected";
  static constexpr rp::index_t batch = 2;
  using loss = nn::mse;
  using optimiser = nn::sgd;
  static rp::node build(rp::graph& net) {
    return net.input({5, 3}) | nn::lstm{.units = 6, .projection = 4, .sequences = true} |
           nn::lstm{.units = 3, .projection = 2, .stateful = true};
  }
};
using networks = decltype(
    rp::models::all{} +
    rp::type_list<small_image, small_sequence, small_both_ways, small_residual, small_dense_block, small_normalised,
                  small_decoder, small_linear, small_answer, small_limited, small_words, small_projected>{});

template <class Model>
void add_plans(std::vector<named_plan>& all, rp::precision precision, std::string_view type) {
  rp::graph net{std::string(Model::name)};
  rp::compile_options options{.batch = Model::batch, .precision = precision};
  if constexpr (requires { Model::set(options); }) Model::set(options);
  else options = rp::models::learning<Model>(options);
  const auto add = [&](std::string_view purpose, const rp::compiled& made) {
    all.push_back({rp::concat(Model::name, '.', purpose, '.', type), made.plan});
  };
  if constexpr (requires { typename Model::optimiser; }) {
    const std::vector<rp::objective> objectives = rp::models::objectives_of(Model{}, net);
    add("inference", rp::plan_inference(net, rp::models::outputs_of(objectives), options));
    add("training", rp::plan_training(net, objectives, typename Model::optimiser{}, options));
  } else {
    add("inference", rp::plan_inference(net, Model::build(net), options));
  }
}

template <class... Models>
std::vector<named_plan> plans_of(rp::type_list<Models...>) {
  std::vector<named_plan> all;
  ((add_plans<Models>(all, rp::precision::f32, "float"), add_plans<Models>(all, rp::precision::f64, "double")), ...);
  return all;
}

/// Returns the plan of every network, for inference and for training, in float and in double.
const std::vector<named_plan>& plans() {
  static const std::vector<named_plan> all = plans_of(networks{});
  return all;
}

/// Returns one line per plan: "mnist-mlp.training.float: 33 calls, …".
std::vector<std::string> digests() {
  std::vector<std::string> lines;
  for (const auto& [name, steps] : plans()) lines.push_back(rp::concat(name, ": ", plan_text::digest(steps)));
  return lines;
}

/// Writes the text of each plan to its own file, and all digests to one.
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
mnist-mlp.training.float: 33 calls, 826964068 FLOP, 60385128 B, arena 2102272 B, 8652aff25bddf82a
mnist-mlp.inference.double: 5 calls, 305923328 FLOP, 14567504 B, arena 1048576 B, fcf19d794ce4f35d
mnist-mlp.training.double: 33 calls, 826964068 FLOP, 120769744 B, arena 4204544 B, a11dccc130c37fd9
mnist-cnn.inference.float: 8 calls, 2462516480 FLOP, 84577064 B, arena 32112640 B, e27f666fed37b3ca
mnist-cnn.training.float: 36 calls, 7228946916 FLOP, 235602024 B, arena 40140800 B, 25cac58b19783051
mnist-cnn.inference.double: 8 calls, 2462516480 FLOP, 169154128 B, arena 64225280 B, fbcd9e17f9372804
mnist-cnn.training.double: 36 calls, 7228946916 FLOP, 467042000 B, arena 78675968 B, 343fa41a1e5c79e4
mnist-autoencoder.inference.float: 7 calls, 427148800 FLOP, 58234052 B, arena 9633792 B, 4faca1cb79e6dc85
mnist-autoencoder.training.float: 34 calls, 1285273578 FLOP, 276136932 B, arena 32215040 B, 285aea5e6ce7f6fb
mnist-autoencoder.inference.double: 7 calls, 427148800 FLOP, 116468104 B, arena 19267584 B, b5d629d3fea3a10a
mnist-autoencoder.training.double: 34 calls, 1285273578 FLOP, 552273864 B, arena 64430080 B, a5da5814585a60c5
keras-mnist-mlp.inference.float: 3 calls, 171443456 FLOP, 4133928 B, arena 524288 B, 4f97516a0ca9b18c
keras-mnist-mlp.training.float: 19 calls, 416262214 FLOP, 27203352 B, arena 1053696 B, b5888c1e4a29be71
keras-mnist-mlp.inference.double: 3 calls, 171443456 FLOP, 8267856 B, arena 1048576 B, 2295a45e6a9d61b8
keras-mnist-mlp.training.double: 19 calls, 416262214 FLOP, 54406192 B, arena 2107392 B, 0519cd9a743ff9ec
keras-mnist-cnn.inference.float: 5 calls, 3089794304 FLOP, 74674216 B, arena 29949952 B, 586da9399fae8b47
keras-mnist-cnn.training.float: 27 calls, 9207194498 FLOP, 301070184 B, arena 41025536 B, 5aa10aab33171800
keras-mnist-cnn.inference.double: 5 calls, 3089794304 FLOP, 149348432 B, arena 59899904 B, 4995a52038dbd274
keras-mnist-cnn.training.double: 27 calls, 9207194498 FLOP, 599780560 B, arena 82051072 B, fd58071357b253c3
cifar10-cnn.inference.float: 8 calls, 1334235456 FLOP, 29973928 B, arena 7880704 B, 3346b9adb16640a8
cifar10-cnn.training.float: 42 calls, 3945838374 FLOP, 134598168 B, arena 12075008 B, 05ec43475620ca7f
cifar10-cnn.inference.double: 8 calls, 1334235456 FLOP, 59947856 B, arena 15761408 B, 40480022771c6f72
cifar10-cnn.training.double: 42 calls, 3945838374 FLOP, 268587952 B, arena 24150016 B, c2d97d2b4e67d6f3
resnet-18.inference.float: 67 calls, 142449397760 FLOP, 2238360360 B, arena 100663296 B, 7e409fe3980e5607
resnet-18.training.float: 198 calls, 427652154024 FLOP, 6053847320 B, arena 604280320 B, f2ac52ceb3bc19ce
resnet-18.inference.double: 67 calls, 142449397760 FLOP, 4476720720 B, arena 201326592 B, 375dcbe1663fd1e3
resnet-18.training.double: 198 calls, 427652154024 FLOP, 12107694128 B, arena 1208560640 B, 7a214463cf25a041
resnet-32.inference.float: 114 calls, 17806833344 FLOP, 1180011496 B, arena 25165824 B, 66e46f89de4f7eb6
resnet-32.training.float: 325 calls, 53599179720 FLOP, 2997223064 B, arena 312517504 B, f1344168944467e1
resnet-32.inference.double: 114 calls, 17806833344 FLOP, 2360022992 B, arena 50331648 B, 3a394c9d66f784fd
resnet-32.training.double: 325 calls, 53599179720 FLOP, 5994445616 B, arena 625035008 B, 20a3fcb0cd94f65f
embryo-cnn.inference.float: 6 calls, 69871536000 FLOP, 1022860304 B, arena 314572800 B, 8e9203d8f76cbd3b
embryo-cnn.training.float: 28 calls, 206141779880 FLOP, 3341380624 B, arena 393216000 B, 2cf7482249639007
embryo-cnn.inference.double: 6 calls, 69871536000 FLOP, 2045720608 B, arena 629145600 B, c4bf24e11b7e6d6d
embryo-cnn.training.double: 28 calls, 206141779880 FLOP, 6635573408 B, arena 770703360 B, f41983d287b915d4
resnet-50.inference.float: 174 calls, 2103560341248 FLOP, 80620469920 B, arena 1849688064 B, 6a09cf2bfc668db0
resnet-50.training.float: 511 calls, 6274271156768 FLOP, 204197060448 B, arena 20759920128 B, c8d070b865a8db09
resnet-50.inference.double: 174 calls, 2103560341248 FLOP, 161240939840 B, arena 3699376128 B, 715756af2a64f9c8
resnet-50.training.double: 511 calls, 6274271156768 FLOP, 408291359424 B, arena 41468460032 B, e8dbcd6ae89d6a0f
mobilenet-v1.inference.float: 83 calls, 295081251584 FLOP, 31156552352 B, arena 1233125376 B, 26fbce866bebb359
mobilenet-v1.training.float: 251 calls, 891326095392 FLOP, 82611345632 B, arena 10379941376 B, 36f046cd8e1a08ed
mobilenet-v1.inference.double: 83 calls, 295081251584 FLOP, 62313104704 B, arena 2466250752 B, 574c80661efc2412
mobilenet-v1.training.double: 251 calls, 891326095392 FLOP, 165222690240 B, arena 20759882752 B, 7973b75e06a5c0f8
squeezenet.inference.float: 38 calls, 1691329986560 FLOP, 64249914016 B, arena 6200623104 B, 116c082c3a9f504e
squeezenet.training.float: 200 calls, 4710681066720 FLOP, 204988410464 B, arena 23686545408 B, 15bca6e12eaf2062
squeezenet.inference.double: 38 calls, 1691329986560 FLOP, 128499828032 B, arena 12401246208 B, 1b5118e94a607ddf
squeezenet.training.double: 200 calls, 4710681066720 FLOP, 408844092608 B, arena 46895333376 B, fb3302309f904c42
densenet-121.inference.float: 426 calls, 1463669978496 FLOP, 108177897632 B, arena 2055208960 B, dfa350c6cd797e62
densenet-121.training.float: 1333 calls, 4368104198432 FLOP, 297475722464 B, arena 31374263040 B, 3794d1a7e2092637
densenet-121.inference.double: 426 calls, 1463669978496 FLOP, 216355795264 B, arena 4110417920 B, 956bd093bba5f4f5
densenet-121.training.double: 1333 calls, 4368104198432 FLOP, 594848683456 B, arena 62697145856 B, 07c8ac898071bd4a
vgg-16.inference.float: 21 calls, 7929283209216 FLOP, 31604886688 B, arena 6576668672 B, dad007f0447b4df5
vgg-16.training.float: 115 calls, 23732258606624 FLOP, 117796412512 B, arena 10070523904 B, 844c83d872fb55f3
vgg-16.inference.double: 21 calls, 7929283209216 FLOP, 63209773376 B, arena 13153337344 B, c3d1cc4e38702f62
vgg-16.training.double: 115 calls, 23732258606624 FLOP, 234809275584 B, arena 19935526912 B, 0bf459b8ccef41e7
retinanet.inference.float: 244 calls, 381574887152 FLOP, 6365465996 B, arena 141287040 B, 502a59888404c1a1
retinanet.training.float: 880 calls, 1142790214968 FLOP, 17805989172 B, arena 1577745792 B, d240b37d57cc1bfd
retinanet.inference.double: 244 calls, 381574887152 FLOP, 12730931992 B, arena 282574080 B, cd5cb445fec013e4
retinanet.training.double: 880 calls, 1142790214968 FLOP, 35605555816 B, arena 3152280320 B, 535a2e6ec6832b3f
paradnn-fc.inference.float: 9 calls, 21341642752 FLOP, 121081760 B, arena 8388608 B, 2763712a0cf88dd5
paradnn-fc.training.float: 45 calls, 59910714152 FLOP, 743283872 B, arena 41844736 B, 99d7602f994ced8b
paradnn-fc.inference.double: 9 calls, 21341642752 FLOP, 242163520 B, arena 16777216 B, 93cff8a46866b198
paradnn-fc.training.double: 45 calls, 59910714152 FLOP, 1486563648 B, arena 83689472 B, 27ea288fef0d8209
paradnn-cnn.inference.float: 174 calls, 1051780223744 FLOP, 40361455264 B, arena 924844032 B, 9a5a66d357ae2058
paradnn-cnn.training.float: 510 calls, 3137289187176 FLOP, 102712250016 B, arena 10380066304 B, 6038c66ce639b7b2
paradnn-cnn.inference.double: 174 calls, 1051780223744 FLOP, 80722910528 B, arena 1849688064 B, bba614a98a79929f
paradnn-cnn.training.double: 510 calls, 3137289187176 FLOP, 205373119296 B, arena 20734442496 B, c68bc6a6a0b0e349
paradnn-rnn.inference.float: 7 calls, 17648038400 FLOP, 100802448 B, arena 12953600 B, 347c21d790ed214e
paradnn-rnn.training.float: 24 calls, 53001778308 FLOP, 381746832 B, arena 51353600 B, bc22dbc27ca85e5e
paradnn-rnn.inference.double: 7 calls, 17648038400 FLOP, 201592096 B, arena 25907200 B, de05d0b3297be50a
paradnn-rnn.training.double: 24 calls, 53001778308 FLOP, 763455264 B, arena 102707200 B, dea9d29f4600bf79
paradnn-gru.inference.float: 7 calls, 49704038400 FLOP, 120822448 B, arena 12953600 B, 6157e7b0400cf011
paradnn-gru.training.float: 24 calls, 149238823308 FLOP, 773286832 B, arena 147353600 B, d271b526dc6b12a9
paradnn-gru.inference.double: 7 calls, 49704038400 FLOP, 241632096 B, arena 25907200 B, 0407caf8e388cf67
paradnn-gru.training.double: 24 calls, 149238823308 FLOP, 1546535264 B, arena 294707200 B, f9fc93c4a44f7a76
paradnn-lstm.inference.float: 7 calls, 65704038400 FLOP, 130832448 B, arena 12953600 B, e7bc7c97c4ff392e
paradnn-lstm.training.float: 24 calls, 197301345808 FLOP, 1001376832 B, arena 211353600 B, 7d362f3a1db054f7
paradnn-lstm.inference.double: 7 calls, 65704038400 FLOP, 261652096 B, arena 25907200 B, 7c9fded2ad99e9fe
paradnn-lstm.training.double: 24 calls, 197301345808 FLOP, 2002715264 B, arena 422707200 B, 624a8f19763fa53e
mnist-rnn.inference.float: 4 calls, 2403599616 FLOP, 16701480 B, arena 7340032 B, 21b4db07cb775fc3
mnist-rnn.training.float: 20 calls, 7171209748 FLOP, 91112136 B, arena 22552576 B, f4f2cb6098e2373b
mnist-rnn.inference.double: 4 calls, 2403599616 FLOP, 33402960 B, arena 14680064 B, e9006edee68dd887
mnist-rnn.training.double: 20 calls, 7171209748 FLOP, 182223760 B, arena 45105152 B, 3903d867893d8f9f
mnist-lstm.inference.float: 4 calls, 9623438592 FLOP, 20728872 B, arena 7340032 B, 9445bc803c32952b
mnist-lstm.training.float: 19 calls, 28700519444 FLOP, 224085704 B, arena 77201408 B, 1158635f52f757ab
mnist-lstm.inference.double: 4 calls, 9623438592 FLOP, 41457744 B, arena 14680064 B, 5e6e061a56a32364
mnist-lstm.training.double: 19 calls, 28700519444 FLOP, 448170896 B, arena 154402816 B, 8fe291223fbf5aff
imdb-bidirectional-lstm.inference.float: 5 calls, 632430624 FLOP, 7027844 B, arena 1654784 B, 4945ba422208ec8f
imdb-bidirectional-lstm.training.float: 20 calls, 1928804970 FLOP, 125420324 B, arena 13123584 B, 0c0b50a875d5126a
imdb-bidirectional-lstm.inference.double: 5 calls, 632430624 FLOP, 14042888 B, arena 3309568 B, dc77c63c2fe19ea4
imdb-bidirectional-lstm.training.double: 20 calls, 1928804970 FLOP, 250815048 B, arena 26247168 B, 68d1550428390b60
imdb-fasttext.inference.float: 3 calls, 644832 FLOP, 7744332 B, arena 2566400 B, fd53c5c081f9af58
imdb-fasttext.training.float: 11 calls, 11933662 FLOP, 44937204 B, arena 2566400 B, bf1490c4a32a7cbe
imdb-fasttext.inference.double: 3 calls, 644832 FLOP, 15437464 B, arena 5132800 B, 520ac570c8b3479b
imdb-fasttext.training.double: 11 calls, 11933662 FLOP, 89772008 B, arena 5132800 B, aa30cab37e099854
lstm-text-generation.inference.float: 2 calls, 977050752 FLOP, 1737956 B, arena 94720 B, 8d30b08b4caddb90
lstm-text-generation.training.float: 9 calls, 2639602191 FLOP, 37364284 B, arena 15823360 B, 7b84f32f6f8ce61f
lstm-text-generation.inference.double: 2 calls, 977050752 FLOP, 3475912 B, arena 189440 B, 0d2a1eab325d995f
lstm-text-generation.training.double: 9 calls, 2639602191 FLOP, 74728056 B, arena 31646720 B, ad0b4f6b392330d6
text-generator-keras.inference.float: 10 calls, 2305443072 FLOP, 22832072 B, arena 6209536 B, 451da2bc6eefb5c4
text-generator-keras.training.float: 36 calls, 6929936748 FLOP, 93759880 B, arena 28082176 B, 9c0e4ea3a56a0510
text-generator-keras.inference.double: 10 calls, 2305443072 FLOP, 45643664 B, arena 12419072 B, 33f2adc7b9a85985
text-generator-keras.training.double: 36 calls, 6929936748 FLOP, 187477776 B, arena 56164352 B, 8b563bd6dd46017c
transformer-base.inference.float: 149 calls, 262505091072 FLOP, 2505654272 B, arena 307298304 B, f76687e6d5d74d44
transformer-base.training.float: 483 calls, 790284013568 FLOP, 10619441152 B, arena 1068138496 B, dea5aa2eb595d614
transformer-base.inference.double: 149 calls, 262505091072 FLOP, 5011292160 B, arena 614596608 B, 37bc4ca63bbd6e8f
transformer-base.training.double: 483 calls, 790284013568 FLOP, 21238841344 B, arena 2136276992 B, 52d8d6bad3ec2648
transformer-big.inference.float: 149 calls, 885787250688 FLOP, 5060509696 B, arena 311492608 B, f690288207aaab0a
transformer-big.training.float: 483 calls, 2663477047296 FLOP, 23245553664 B, arena 1832681472 B, 2ff359f0671c0612
transformer-big.inference.double: 149 calls, 885787250688 FLOP, 10121003008 B, arena 622985216 B, 4621e11592f00613
transformer-big.training.double: 483 calls, 2663477047296 FLOP, 46491066368 B, arena 3665362944 B, c65ea0f32bc6484b
small-image.inference.float: 7 calls, 17320 FLOP, 11740 B, arena 2112 B, cbde5f874f525212
small-image.training.float: 23 calls, 41001 FLOP, 32780 B, arena 4160 B, 67c03fef57ff142d
small-image.inference.double: 7 calls, 17320 FLOP, 23480 B, arena 4224 B, 89d121f55783234c
small-image.training.double: 23 calls, 41001 FLOP, 65560 B, arena 8192 B, 7b7b06ae9780703c
small-sequence.inference.float: 5 calls, 8670 FLOP, 3156 B, arena 448 B, e2fc2de07e817cc9
small-sequence.training.float: 18 calls, 33445 FLOP, 26304 B, arena 2688 B, 7ca4c43a221785cd
small-sequence.inference.double: 5 calls, 8670 FLOP, 6272 B, arena 832 B, ff566db7b24e2c92
small-sequence.training.double: 18 calls, 33445 FLOP, 52528 B, arena 5248 B, c442462de3d56f46
small-both-ways.inference.float: 14 calls, 10396 FLOP, 5384 B, arena 512 B, 0e4444e7dec1b766
small-both-ways.training.float: 41 calls, 33356 FLOP, 28392 B, arena 4736 B, 2a6a30895d10f3b9
small-both-ways.inference.double: 14 calls, 10396 FLOP, 10768 B, arena 960 B, 01923ae74aec5a7d
small-both-ways.training.double: 41 calls, 33356 FLOP, 56784 B, arena 8640 B, 0a499baec64f4e8b
small-residual.inference.float: 4 calls, 1120 FLOP, 1632 B, arena 256 B, b52c640a7a7d6afd
small-residual.training.float: 16 calls, 3904 FLOP, 7744 B, arena 640 B, 4cad1af7ef1c31a2
small-residual.inference.double: 4 calls, 1120 FLOP, 3264 B, arena 512 B, 427571a6031664f3
small-residual.training.double: 16 calls, 3904 FLOP, 15488 B, arena 1280 B, 98b266cff3eec794
small-dense-block.inference.float: 5 calls, 4708 FLOP, 4636 B, arena 1280 B, c8079b465409bb75
small-dense-block.training.float: 19 calls, 14054 FLOP, 15212 B, arena 1536 B, 811936fadf386860
small-dense-block.inference.double: 5 calls, 4708 FLOP, 9272 B, arena 2560 B, 42ef50d34041d130
small-dense-block.training.double: 19 calls, 14054 FLOP, 30416 B, arena 3072 B, 86f311b06e999e7e
small-normalised.inference.float: 5 calls, 11608 FLOP, 17944 B, arena 3584 B, 1a71eb6ce3914c37
small-normalised.training.float: 17 calls, 34572 FLOP, 58464 B, arena 8384 B, c95e9e3e3f99cf85
small-normalised.inference.double: 5 calls, 11608 FLOP, 35888 B, arena 7168 B, b6b5bea9762f5b2f
small-normalised.training.double: 17 calls, 34572 FLOP, 116920 B, arena 16576 B, 13a701136b8e40e3
small-decoder.inference.float: 4 calls, 4212 FLOP, 5204 B, arena 1536 B, 5f0763121537b794
small-decoder.training.float: 14 calls, 10070 FLOP, 15252 B, arena 2432 B, 08e72253772f0e62
small-decoder.inference.double: 4 calls, 4212 FLOP, 10408 B, arena 2944 B, fe90368bffdadd0e
small-decoder.training.double: 14 calls, 10070 FLOP, 30504 B, arena 4672 B, cf6fcaa10fbc8820
small-linear.inference.float: 1 calls, 70 FLOP, 132 B, arena 64 B, f6d76eaa23ae1f20
small-linear.training.float: 5 calls, 216 FLOP, 460 B, arena 64 B, 5d87a889ba88da3c
small-linear.inference.double: 1 calls, 70 FLOP, 264 B, arena 128 B, e5f4e4a7bca85b45
small-linear.training.double: 5 calls, 216 FLOP, 900 B, arena 128 B, c6f520c0453126fc
small-answer.inference.float: 2 calls, 264 FLOP, 424 B, arena 128 B, 55e2b17880624243
small-answer.inference.double: 2 calls, 264 FLOP, 848 B, arena 192 B, 5edb4f5038c50ef6
small-limited.inference.float: 3 calls, 198 FLOP, 404 B, arena 128 B, 9e451a8bf00a504c
small-limited.training.float: 37 calls, 1698 FLOP, 4436 B, arena 320 B, ad0244467e575d27
small-limited.inference.double: 3 calls, 198 FLOP, 808 B, arena 128 B, b21ab03cf0d0f59d
small-limited.training.double: 37 calls, 1698 FLOP, 8872 B, arena 384 B, 76436422796af907
small-words.inference.float: 2 calls, 405 FLOP, 1020 B, arena 448 B, bb7eb1fe9cdb88b2
small-words.training.float: 20 calls, 4830 FLOP, 11796 B, arena 576 B, ef977d55dade4de5
small-words.inference.double: 2 calls, 405 FLOP, 1980 B, arena 896 B, 4fa7b82640ad07e1
small-words.training.double: 20 calls, 4830 FLOP, 22752 B, arena 1088 B, fede8d5ca0ac87ce
small-projected.inference.float: 5 calls, 6120 FLOP, 1856 B, arena 384 B, b1e9a30ba6561054
small-projected.training.float: 11 calls, 18488 FLOP, 12840 B, arena 2944 B, a1cae209fbeae505
small-projected.inference.double: 5 calls, 6120 FLOP, 3712 B, arena 512 B, fa67cd995f051b43
small-projected.training.double: 11 calls, 18488 FLOP, 25680 B, arena 5440 B, b82e92cd39e0fa91
)";

}  // namespace

// RIDGEPOINT_PLANS=FOLDER writes the plans there: diff -r of the folders of two trees shows the changes. After an
// intended change, copy FOLDER/digests.txt into this file.
TEST_CASE("the plan of every network is unchanged") {
  if (const char* const folder = std::getenv("RIDGEPOINT_PLANS")) write_plans(folder);
  std::istringstream before{std::string(expected.substr(1))};
  std::string line;
  for (const std::string& now : digests()) {
    std::getline(before, line);
    CHECK(now == line);
  }
  CHECK_FALSE(std::getline(before, line));
}

TEST_CASE("every op that layers, losses and optimisers can plan is in a network of this test") {
  const std::set<std::string> never = {"gemm<float>", "gemm_batched<float>", "pack_b<float>", "gemm_packed<float>"};
  std::set<std::string> planned;
  for (const auto& [name, steps] : plans())
    for (const rp::planned_call& call : steps.calls) planned.insert(call.op);
  rp::graph net("session");
  const rp::node answer = small_image::build(net);
  for (const rp::planned_call& call : rp::plan_session(net, std::span(&answer, 1)).plan.parameter_calls)
    planned.insert(call.op);
  for (const std::string& op : names_of(rp::all_ops<float>{})) {
    CAPTURE(op);
    CHECK(planned.contains(op) != never.contains(op));
  }
}
