// SPDX-License-Identifier: MIT
// Layers of a Transformer: gradients are slopes of the loss; invalid arguments are refused.
#include <doctest/doctest.h>

#include "slope.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;
using slope::worst_slope;

namespace {
constexpr std::int32_t attention_labels[] = {2, 0, 1, 1, 2, 0, 0, 2, 1, 1, 2, 2, 0, 1, 0};  // 3 steps of 5 samples
}  // namespace

TEST_CASE("attention of a sequence to itself, full or causal, between its projections") {
  for (const bool causal : {false, true}) {
    rp::graph net("itself");
    const rp::node y = net.input({3, 4}) | nn::multi_head_attention{.heads = 2, .causal = causal};
    CHECK(worst_slope(net, y | nn::dense{.units = 3}, nn::softmax_cross_entropy{}, attention_labels, 5 * 3 * 4) < 1e-6);
  }
}

TEST_CASE("attention to a memory of another length, with gradients for one or both") {
  for (const int learns : {1, 2, 3}) {
    CAPTURE(learns);
    rp::graph net("memory");
    const rp::node x = net.input({12}) | nn::reshape{.extents = {6, 2}};
    const rp::node q = x | nn::slice{.axis = 0, .first = 0, .count = 3}, kv = x | nn::slice{.axis = 0, .count = 6};
    const rp::node ins[] = {(learns & 1) != 0 ? q | nn::dense{.units = 4} : rp::concat_channels(q, q),
                            (learns & 2) != 0
                                ? kv | nn::dense{.units = 8}
                                : rp::concat_channels(rp::concat_channels(kv, kv), rp::concat_channels(kv, kv))};
    const rp::node y = rp::apply(nn::attention{.heads = 2}, ins) | nn::dense{.units = 3};
    CHECK(worst_slope(net, y, nn::softmax_cross_entropy{}, attention_labels, 5 * 12) < 1e-6);
  }
  rp::graph net("projected");
  const rp::node x = net.input({5, 4}), memory = x | nn::dense{.units = 4} | nn::tanh{};
  const rp::node y = rp::multi_head_attention(x | nn::slice{.axis = 0, .count = 3}, memory, {.heads = 2});
  CHECK(worst_slope(net, y | nn::dense{.units = 3}, nn::softmax_cross_entropy{}, attention_labels, 5 * 5 * 4) < 1e-6);
}

TEST_CASE("positions, and a table that embeds tokens and gives their logits") {
  rp::graph net("language");
  const auto table = std::make_shared<char>();
  const rp::node tokens = net.input({3}, rp::element::i32);
  rp::node x =
      rp::apply(nn::embedding{.vocabulary = 3, .width = 4}, std::span(&tokens, 1), table) | nn::sinusoidal_positions{};
  x = rp::add(x, x | nn::multi_head_attention{.heads = 2, .causal = true}) | nn::layer_norm{};
  const rp::node y = rp::apply(nn::unembedding{.vocabulary = 3}, std::span(&x, 1), table);
  CHECK(net.parameters_of(net.nodes()[static_cast<std::size_t>(net.index_of(y))]).empty());
  auto trainer =
      net.train<double>(rp::reference, y, nn::softmax_cross_entropy{}, nn::sgd{.learning_rate = 0}, {.batch = 5});
  std::vector<std::int32_t> ids(15);
  rp::random_stream random(3);
  for (std::int32_t& id : ids) id = static_cast<std::int32_t>(random.below(3));
  CHECK(worst_slope(trainer, ids, attention_labels) < 1e-6);
}

TEST_CASE("a separate table for features, without steps") {
  rp::graph net("features");
  const rp::node y = net.input({4}) | nn::dense{.units = 3} | nn::unembedding{.vocabulary = 5};
  CHECK(y.extents() == rp::shape{5});
  CHECK(worst_slope(net, y, nn::softmax_cross_entropy{}, std::vector<std::int32_t>{4, 0, 3, 1, 2}, 5 * 4) < 1e-6);
}

TEST_CASE("gelu is a separate layer, whose gradient reads its input") {
  rp::graph net("gelu");
  const rp::node x = net.input({3, 4}) | nn::dense{.units = 5};
  const rp::node y = rp::add(x | nn::gelu{}, x | nn::dense{.units = 5} | nn::gelu{}) | nn::dense{.units = 3};
  CHECK(worst_slope(net, y, nn::softmax_cross_entropy{}, attention_labels, 5 * 3 * 4) < 1e-6);
}

TEST_CASE("what the layers of a Transformer refuse") {
  rp::graph net("bad");
  const rp::node x = net.input({3, 6}), flat = net.input({6});
  const auto refuses = [](const auto& make, const char* what) {
    CHECK_THROWS_WITH_AS(static_cast<void>(make()), doctest::Contains(what), rp::shape_error);
  };
  refuses([&] { return x | nn::attention{.heads = 4}; },
          "attention: 4 heads of input 3x6; must be 1 or more of equal widths, queries, keys and values side by side");
  refuses([&] { return x | nn::attention{.heads = 0}; }, "attention: 0 heads");
  refuses([&] { return flat | nn::attention{}; }, "attention: input is 6; must be steps x features");
  refuses([&] { return flat | nn::multi_head_attention{}; }, "multi_head_attention: input is 6");
  refuses([&] { return rp::multi_head_attention(flat, x, {}); }, "multi_head_attention: input is 6");
  const rp::node both[] = {x, x}, three[] = {x, x, x};
  refuses([&] { return rp::apply(nn::attention{.heads = 2}, both); },
          "attention: memory is 3x6; must have keys and values of 6 side by side");
  refuses([&] { return rp::apply(nn::attention{}, three); }, "attention: has 3 inputs; must have 1 or 2");
  refuses([&] { return flat | nn::sinusoidal_positions{}; }, "sinusoidal_positions: input is 6");
  refuses([&] { return net.input({2, 2, 2}) | nn::unembedding{.vocabulary = 3}; }, "unembedding: input is 2x2x2");
  const auto table = std::make_shared<char>();
  const rp::node tokens = net.input({3}, rp::element::i32);
  const rp::node rows =
      rp::apply(nn::embedding{.vocabulary = 3, .width = 6, .sparse = true}, std::span(&tokens, 1), table);
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::apply(nn::unembedding{.vocabulary = 3}, std::span(&rows, 1), table)),
                       doctest::Contains("w is shared, but not all layers list the rows of its gradient"),
                       rp::value_error);
  const auto other = std::make_shared<char>();
  const rp::node wide = rp::apply(nn::dense{.units = 6}, std::span(&x, 1), other);
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::apply(nn::unembedding{.vocabulary = 3}, std::span(&wide, 1), other)),
                       doctest::Contains("has 2 parameters, but would have 1 where it is shared; must be equal"),
                       rp::shape_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(x | nn::unembedding{}), doctest::Contains("vocabulary is 0"), rp::value_error);
}
