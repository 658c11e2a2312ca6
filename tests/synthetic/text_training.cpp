// SPDX-License-Identifier: MIT
// A Transformer learns the synthetic text.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/graph/trainer.hpp>
#include <ridgepoint/models/text.hpp>

#include "measurement/synthetic/text.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;
using rp::models::transformer;

namespace {
/// Returns the start of the Markov text, one token per byte, and the number of different tokens.
struct markov_ids {
  std::vector<std::int32_t> ids;
  rp::index_t vocabulary = 0;
  explicit markov_ids(std::size_t count) {
    synthetic::markov_words words(2, 42);
    std::string text;
    while (text.size() < count) text += words.next();
    std::map<char, std::int32_t> known;
    for (const char c : text)
      ids.push_back(known.try_emplace(c, static_cast<std::int32_t>(known.size())).first->second);
    vocabulary = static_cast<rp::index_t>(known.size());
  }
};
}  // namespace

TEST_CASE("a small Transformer learns which characters follow a context") {
  const markov_ids text(20'000);
  const rp::index_t batch = 8, steps = 32;
  const transformer model{
      .layers = 2, .width = 64, .hidden = 128, .heads = 4, .vocabulary = text.vocabulary, .steps = steps};
  rp::graph net("language");
  auto trainer = net.train<float>(rp::cpu(1), model.language_logits(net), nn::softmax_cross_entropy{},
                                  nn::adam{.learning_rate = 2e-3}, {.batch = batch, .seed = 1});
  rp::random_stream random(5);
  std::vector<std::int32_t> x(static_cast<std::size_t>(batch * steps)), next(x.size());
  double first = 0, last = 0;  // means of ten steps
  for (int step = 0; step < 120; ++step) {
    for (std::size_t row = 0; row < static_cast<std::size_t>(batch); ++row) {
      const auto from = text.ids.begin() + random.below(static_cast<std::uint32_t>(20'000 - steps - 1));
      const auto to = static_cast<std::ptrdiff_t>(row) * steps;
      std::copy_n(from, steps, x.begin() + to);
      std::copy_n(from + 1, steps, next.begin() + to);
    }
    const double loss = trainer.step(x, next);
    (step < 10 ? first : last) += step < 10 || step >= 110 ? loss / 10 : 0;
  }
  CAPTURE(first);
  CAPTURE(std::log(static_cast<double>(text.vocabulary)));
  CHECK(last < 2.2);  // the frequencies of single characters give about 2.9
}

TEST_CASE("Transformer base trains on the Markov text and its loss falls" * doctest::test_suite("slow")) {
  const markov_ids text(4'000);
  const transformer model = rp::models::transformer_base{}.extents;
  rp::graph net("base");
  auto trainer = net.train<float>(rp::cpu(), model.logits(net), nn::softmax_cross_entropy{},
                                  rp::models::transformer_base::optimiser{}, {.batch = 1, .seed = 1});
  std::vector<std::int32_t> source(text.ids.begin(), text.ids.begin() + 64), target(source), next(source);
  std::rotate(next.begin(), next.begin() + 1,
              next.end());  // the source: each token from the ones before and the full source
  const double before = trainer.step({target, source}, {next});
  double after = before;
  for (int step = 0; step < 3; ++step) after = trainer.step({target, source}, {next});
  CHECK(after < before - 0.1);
}
