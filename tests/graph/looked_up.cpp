// SPDX-License-Identifier: MIT
// Parameters whose gradient is a list of rows: training compared with the dense gradient.
#include <doctest/doctest.h>

#include <ridgepoint/cpu/cpu.hpp>

#include "slope.hpp"
#include "support/near.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;
using rp::index_t;

namespace {

constexpr index_t words = 12, steps = 3, sentences = 5;
using id_list = std::vector<std::int32_t>;

/// Random ids of one batch below `limit`, with repetitions.
id_list tokens_below(std::int32_t limit, std::uint64_t stream) {
  rp::random_stream random(3, stream);
  id_list tokens(steps * sentences);
  for (std::int32_t& token : tokens) token = static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(limit)));
  return tokens;
}
const id_list word_labels{2, 0, 1, 1, 2};

/// Embedding of words, then their mean, then a class.
rp::node classifier(rp::graph& net, bool sparse) {
  return net.input({steps}, rp::element::i32) | nn::embedding{.vocabulary = words, .width = 4, .sparse = sparse} |
         nn::tanh{} | nn::global_avg_pool1d{} | nn::dense{.units = 3};
}
template <class T, class Backend, class Optimiser>
auto trainer_of(const Backend& on, bool sparse, Optimiser optimiser, rp::compile_options options = {}) {
  rp::graph net("words");
  options.batch = sentences, options.seed = 7;
  return net.train<T>(on, classifier(net, sparse), nn::softmax_cross_entropy{}, optimiser, options);
}
template <class Trainer>
auto held(const Trainer& trainer, std::string_view name) {
  const auto values = trainer.parameter(name);
  return std::vector(values.begin(), values.end());
}
/// Trains on batches of words below `limit`.
template <class Trainer>
void learn(Trainer& trainer, int count, std::int32_t limit) {
  for (int i = 0; i < count; ++i) trainer.step(tokens_below(limit, static_cast<std::uint64_t>(i)), word_labels);
}

/// A looked-up table, and a bias.
struct table_and_bias {
  static constexpr std::string_view name = "table_and_bias";
  [[nodiscard]] rp::shape output(const rp::shape& in) const { return in; }
  [[nodiscard]] std::vector<rp::parameter> parameters(const rp::shape&) const {
    return {{.name = "w", .extents = {4, 2}, .looked_up = 1}, {.name = "b", .extents = {2}}};
  }
  void forward(rp::lowering& to) const { to.output_is(to.input()); }
  void backward(rp::lowering&) const {}
};

}  // namespace

TEST_CASE("the gradient of a sparse embedding is the slope of the loss") {
  rp::graph net("slope");
  const rp::node y = net.input({steps}, rp::element::i32) | nn::embedding{.vocabulary = 4, .width = 3, .sparse = true} |
                     nn::gru{.units = 3} | nn::dense{.units = 3};
  auto trainer = net.train<double>(rp::reference, y, nn::softmax_cross_entropy{}, nn::sgd{.learning_rate = 0},
                                   {.batch = sentences});
  CHECK(slope::worst_slope(trainer, tokens_below(4, 1), word_labels) < 1e-6);
}

TEST_CASE("sparse SGD equals dense SGD, bit for bit, also with limits of value and rate") {
  for (const rp::compile_options& options :
       {rp::compile_options{}, rp::compile_options{.clip_value = 0.01},
        rp::compile_options{.groups = {{.names = "embedding_1.*", .rate_factor = 0.5}}}}) {
    auto sparse = trainer_of<double>(rp::reference, true, nn::sgd{.learning_rate = 0.5}, options),
         dense = trainer_of<double>(rp::reference, false, nn::sgd{.learning_rate = 0.5}, options);
    learn(sparse, 4, words - 3), learn(dense, 4, words - 3);
    for (const char* name : {"embedding_1.w", "dense_1.w"}) CHECK(held(sparse, name) == held(dense, name));
    const auto g = sparse.gradient("embedding_1.w"), all = dense.gradient("embedding_1.w");
    CHECK(std::equal(g.begin(), g.end(), all.begin()));
  }
  const rp::cpu cpu(2);
  auto sparse = trainer_of<float>(cpu, true, nn::sgd{.learning_rate = 0.5}),
       dense = trainer_of<float>(cpu, false, nn::sgd{.learning_rate = 0.5});
  learn(sparse, 4, words), learn(dense, 4, words);
  CHECK(held(sparse, "embedding_1.w") == held(dense, "embedding_1.w"));
}

TEST_CASE("the norm of a list of rows equals the norm of the whole gradient") {
  auto sparse = trainer_of<double>(rp::reference, true, nn::sgd{.learning_rate = 0.5}, {.clip_norm = 0.05}),
       dense = trainer_of<double>(rp::reference, false, nn::sgd{.learning_rate = 0.5}, {.clip_norm = 0.05});
  learn(sparse, 3, words - 3), learn(dense, 3, words - 3);
  const auto a = held(sparse, "embedding_1.w"), b = held(dense, "embedding_1.w");
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i] == near(b[i], 1e-13));
}

TEST_CASE("lazy Adam equals Adam if a batch has every word, and leaves other words unchanged") {
  id_list every(steps * sentences);
  for (std::size_t i = 0; i < every.size(); ++i) every[i] = static_cast<std::int32_t>(i % words);
  auto sparse = trainer_of<double>(rp::reference, true, nn::adam{}),
       dense = trainer_of<double>(rp::reference, false, nn::adam{});
  for (auto* trainer : {&sparse, &dense})
    for (int i = 0; i < 3; ++i) trainer->step(every, word_labels);
  CHECK(held(sparse, "embedding_1.w") == held(dense, "embedding_1.w"));
  const auto before = held(sparse, "embedding_1.w");
  id_list few(every.size(), 5);
  few[0] = 11;
  sparse.step(few, word_labels), dense.step(few, word_labels);
  const auto lazy = held(sparse, "embedding_1.w"), eager = held(dense, "embedding_1.w");
  for (std::size_t row = 0; row < static_cast<std::size_t>(words); ++row)
    for (std::size_t i = 4 * row; i < 4 * row + 4; ++i) {
      CHECK(lazy[i] == (row == 5 || row == 11 ? eager[i] : before[i]));
      CHECK(eager[i] != before[i]);
    }
}

TEST_CASE("lists of micro-batches, and of a table that is used twice, are merged") {
  const auto twice = [](rp::graph& net, bool sparse) {
    const auto table = rp::shared(nn::embedding{.vocabulary = words, .width = 4, .sparse = sparse});
    const rp::node first = net.input({2}, rp::element::i32), second = net.input({5}, rp::element::i32);
    return rp::add(first | table | nn::global_avg_pool1d{}, second | table | nn::global_avg_pool1d{}) |
           nn::dense{.units = 3};
  };
  std::vector<std::vector<double>> found;
  for (const bool sparse : {true, false}) {
    rp::graph net("twice");
    auto trainer = net.train<double>(rp::reference, twice(net, sparse), nn::softmax_cross_entropy{},
                                     nn::momentum{.learning_rate = 0.3}, {.batch = 5, .seed = 1, .micro_batches = 3});
    id_list left(2 * 15), right(5 * 15), each(15);
    for (std::size_t i = 0; i < right.size(); ++i) right[i] = static_cast<std::int32_t>(i * 7 % words);
    for (std::size_t i = 0; i < left.size(); ++i) left[i] = static_cast<std::int32_t>(i % 5);
    for (std::size_t i = 0; i < each.size(); ++i) each[i] = static_cast<std::int32_t>(i % 3);
    for (int i = 0; i < 3; ++i) trainer.step({left, right}, each);  // all words each time
    found.push_back(held(trainer, "embedding_1.w"));
  }
  for (std::size_t i = 0; i < found[0].size(); ++i) CHECK(found[0][i] == near(found[1][i], 1e-13));
}

TEST_CASE("a sparse embedding is bitwise the same for any number of threads") {
  std::vector<std::vector<float>> found;
  for (const int threads : {1, 2, 3}) {
    rp::graph net("wide");
    const rp::node y = net.input({400}, rp::element::i32) |
                       nn::embedding{.vocabulary = 5000, .width = 70, .sparse = true} | nn::global_avg_pool1d{} |
                       nn::dense{.units = 3};
    auto trainer =
        net.train<float>(rp::cpu(threads), y, nn::softmax_cross_entropy{}, nn::adam{}, {.batch = sentences, .seed = 2});
    id_list tokens(400 * sentences);
    for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<std::int32_t>(i * i % 4999);
    for (int i = 0; i < 2; ++i) trainer.step(tokens, word_labels);
    found.push_back(held(trainer, "embedding_1.w"));
  }
  CHECK(found[0] == found[1]);
  CHECK(found[0] == found[2]);
}

TEST_CASE("a plan reserves memory for the rows that a batch looks up, and counts only these") {
  rp::graph net("large");
  const rp::node y = net.input({steps}, rp::element::i32) |
                     nn::embedding{.vocabulary = 1'000'000, .width = 50, .sparse = true} | nn::global_avg_pool1d{} |
                     nn::dense{.units = 1};
  const rp::compiled made = rp::plan_training(net, y, nn::binary_cross_entropy{}, nn::adam{}, {.batch = 32});
  CHECK(made.plan.bytes(rp::memory_region::gradients) < 32 * steps * (50 + 1) * 4 + 1000);
  std::uint64_t bytes = 0;
  for (const rp::planned_call& call : made.plan.calls)
    if (call.info.pass == rp::pass::update && call.info.layer == "embedding_1") {
      bytes += call.info.receipt.bytes.total();
      CHECK(call.info.shape == "96 of 1000000x50");
    }
  CHECK(bytes == 96 * 50 * 28 + 96 * 4);
}

TEST_CASE("a frozen table has no gradient, and a looked-up table must be its layer's only parameter") {
  auto trainer =
      trainer_of<double>(rp::reference, true, nn::sgd{}, {.groups = {{.names = "embedding_1.*", .frozen = true}}});
  const auto before = held(trainer, "embedding_1.w");
  learn(trainer, 1, words);
  CHECK(held(trainer, "embedding_1.w") == before);
  CHECK_THROWS_AS(static_cast<void>(trainer.gradient("embedding_1.w")), rp::value_error);
  rp::graph net("bad");
  const rp::node y = net.input({2}) | table_and_bias{};
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::plan_training(net, y, nn::mse{}, nn::sgd{})),
                       "table_and_bias_1.w: is looked up; must be its layer's only parameter, trainable, of rank > 1",
                       rp::value_error);
}
