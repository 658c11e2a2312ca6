// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/graph/trainer.hpp>
#include <ridgepoint/models/text.hpp>
#include <ridgepoint/reference/all.hpp>

#include "counts.hpp"

namespace rp = ridgepoint;
using rp::models::imdb_fasttext;

TEST_CASE("fastText on reviews has the published layers: parameters and matrix FLOP, every step counted") {
  const counts c(imdb_fasttext{}, 2);
  CHECK(c.parameters == 1'000'051);
  CHECK(c.forward == 100);
  CHECK(c.training == 300);
  CHECK(layers_of(imdb_fasttext{}) == layer_counts{{1'000'000, 0}, {51, 100}});

  CHECK(counts(imdb_fasttext{.ngrams = 2}).parameters == 50 * 1'200'000 + 51);
  const imdb_fasttext pairs{.text = {.vocabulary = 100, .steps = 40}, .ngrams = 2, .pairs = 1'000};
  CHECK(pairs.ids() == 1'101);  // one id between words and pairs is unused
  CHECK(counts(pairs).parameters == 50 * 1'101 + 51);
  CHECK(rp::models::configured<imdb_fasttext>({{"ngrams", 2}}).ids() == 1'200'000);
  rp::graph net("updated");
  const auto made = rp::plan_training(net, rp::models::objectives_of(imdb_fasttext{}, net), imdb_fasttext::optimiser{});
  CHECK(made.plan.receipt(rp::pass::update).bytes.total() == 28 * 1'000'051);  // every vector, in each step
}

TEST_CASE("fastText takes words, or words and pairs") {
  rp::graph bad("bad");
  for (const rp::index_t ngrams : {0, 3})
    CHECK_THROWS_WITH_AS((imdb_fasttext{.ngrams = ngrams}.build(bad)), doctest::Contains("; must be 1 or 2"),
                         rp::value_error);
}

TEST_CASE("fastText on reviews trains with the study's options") {
  constexpr imdb_fasttext::optimiser adam;
  CHECK((adam.learning_rate == 1e-3 && adam.options.beta1 == 0.9 && adam.options.beta2 == 0.999));
  CHECK(adam.options.epsilon == 1e-8);
  CHECK((imdb_fasttext::batch == 32 && imdb_fasttext::epochs == 5));
}

TEST_CASE("a small fastText on reviews memorises random texts") {
  const imdb_fasttext model{.text = {.vocabulary = 9, .steps = 6}};
  rp::graph net("text");
  auto trainer = net.train<float>(rp::reference, model.build(net), imdb_fasttext::loss{}, imdb_fasttext::optimiser{},
                                  {.batch = 4, .seed = 2});
  std::vector<std::int32_t> tokens(4 * 6);
  rp::random_stream random(1);
  for (std::int32_t& token : tokens) token = static_cast<std::int32_t>(random.below(9));
  const std::vector<float> positive{1, 0, 0, 1};
  const double before = trainer.step(tokens, positive);
  double after = before;
  for (int step = 0; step < 200; ++step) after = trainer.step(tokens, positive);
  CHECK(after < 0.9 * before);
}
