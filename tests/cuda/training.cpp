// SPDX-License-Identifier: MIT
// Full training steps on a fake GPU: their results, their calls, and the state after a failure.
#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include <ridgepoint/reference/all.hpp>

#include "corner_batch.hpp"
#include "every_failure.hpp"
#include "fake_case.hpp"
#include "support/near.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

namespace {

/// A convolutional network on those samples as images of 2×3 pixels.
rp::node convolutional(rp::graph& net) {
  return net.input({2, 3, 1}) | nn::conv2d{.filters = 4, .kernel = 3, .padding = nn::same} | nn::relu{} |
         nn::conv2d{.filters = 5, .kernel = 2} | nn::relu{} | nn::flatten{} | nn::dense{.units = 3};
}
template <class T, rp::precision P = rp::precision_of<T>, class Backend>
auto training_core_of(rp::node (*build)(rp::graph&), const Backend& on) {
  rp::graph net("network");
  const rp::node logits = build(net);
  return net.train<T>(on, logits, nn::softmax_cross_entropy{}, nn::adam{.learning_rate = 0.01},
                      {.batch = corner_batch::size, .precision = P}, rp::ops_of<P>{});
}

template <class T>
void agree_on_losses(auto there, auto here, double within, int steps = 5) {
  for (int step = 0; step < steps; ++step) {
    const corner_batch s(step);
    const std::vector<T> x(s.x.begin(), s.x.end());
    const double want = here.step(x, s.labels);
    CHECK(std::abs(there.step(x, s.labels) - want) <= within * want);
  }
}

}  // namespace

TEST_CASE_TEMPLATE("cuda: a network learns what the definition learns", T, float, double) {
  for (const auto build : {toy::mlp, convolutional})
    agree_on_losses<T>(training_core_of<T>(build, rp::cuda()), training_core_of<T>(build, rp::reference),
                       std::is_same_v<T, float> ? 1e-6 : 1e-13);
}
TEST_CASE("cuda: a network learns in bfloat16 and in float16 what the definition learns in it") {
  constexpr auto bf16 = rp::precision::bf16, f16 = rp::precision::f16;
  for (const auto build : {toy::mlp, convolutional}) {
    const int steps = build == toy::mlp ? 50 : 5;
    agree_on_losses<float>(training_core_of<float, bf16>(build, rp::cuda()),
                           training_core_of<float, bf16>(build, rp::reference), 5e-3, steps);
    agree_on_losses<float>(training_core_of<float, f16>(build, rp::cuda()),
                           training_core_of<float, f16>(build, rp::reference), 1e-3, steps);
  }
}
TEST_CASE("cuda: a recorded step in float16 skips gradients that are not finite, and halves the scale") {
  rp::graph net("line");
  const rp::node y = net.input({1}) | nn::dense{.units = 1, .bias = false};
  const auto trainer = [&](double scale) {
    auto made = net.train<float>(rp::cuda(), y, nn::mse{}, nn::sgd{.learning_rate = 1},
                                 {.batch = 1, .precision = rp::precision::f16, .scaling = {.first = scale}},
                                 rp::ops_of<rp::precision::f16>{});
    made.set_parameter("dense_1.w", std::vector<float>{1});
    return made;
  };
  const auto weight = [](const auto& of) { return of.parameter("dense_1.w")[0]; };
  const float x[] = {4}, target[] = {0}, far[] = {60000}, lost[] = {std::numeric_limits<float>::quiet_NaN()};
  auto high = trainer(0x1p14);  // the gradient of w is 32; times 2¹⁴ it overflows float16
  for (const double scale : {0x1p13, 0x1p12, 0x1p11, 0x1p10}) {
    high.step(x, target);
    CHECK(high.loss_scale() == scale);
    CHECK(weight(high) == 1);
  }
  high.step(x, target);
  CHECK(weight(high) == -31);
  CHECK(high.skipped_steps() == 4);
  CHECK(high.gradient("dense_1.w")[0] == 32);
  auto low = trainer(1);
  CHECK_THROWS_AS(low.step(lost, target), rp::value_error);
  CHECK(low.loss_scale() == 1);
  low.step(far, target);
  CHECK_THROWS_WITH_AS(
      low.step(x, target),
      "step 1: gradients are not finite even with a loss scale of 1 (steps skipped: 1); must be finite",
      rp::value_error);
  CHECK(weight(low) == 1);
}

TEST_CASE("cuda: from the second step on, a step is two replays with the loss read between, and creates nothing") {
  auto trainer = toy::trainer<float>(rp::cuda());
  static_cast<void>(trainer.step(corner_batch(0).x, corner_batch(0).labels));
  fake::reset();
  static_cast<void>(trainer.step(corner_batch(1).x, corner_batch(1).labels));
  for (const std::string& call : fake::calls()) CHECK_MESSAGE(is_of_a_replay(call), call);
  CHECK(std::ranges::count(fake::calls(), "cudaGraphLaunch") == 2);
}

TEST_CASE("cuda: epochs run ahead of the host, and learn what the definition learns") {
  auto there = toy::trainer<double>(rp::cuda());
  auto here = toy::trainer<double>(rp::reference);
  const rp::fit_options fitting{.epochs = 2};
  const rp::history got = there.fit(toy::corners(), fitting), want = here.fit(toy::corners(), fitting);
  REQUIRE(got.loss.size() == 2);
  for (std::size_t e = 0; e < 2; ++e) CHECK(got.loss[e] == near(want.loss[e], 1e-10));
  CHECK(there.evaluate(toy::corners()).accuracy() == here.evaluate(toy::corners()).accuracy());
}

TEST_CASE("cuda: rows of a profile are timed by the device's events") {
  auto trainer = toy::trainer<float>(rp::cuda());
  const rp::profile p = trainer.profile(toy::corners(), 2);
  for (const rp::profile_row& row : p.rows)
    if (row.layer != "data") CHECK(row.elapsed_s == 0.25);
}

TEST_CASE("cuda: whichever call fails, it is reported, and everything is released") {
  const auto train = [] {
    auto trainer = toy::trainer<float>(rp::cuda());
    for (int step = 0; step < 2; ++step)
      static_cast<void>(trainer.step(corner_batch(step).x, corner_batch(step).labels));
  };
  const fake::playing silently({.silent = true});
  CHECK(check_every_failure(train) > 100);
}

namespace {

/// Returns the losses of sentences of five words, one in four of them padding: embedding, positions, self-attention,
/// then every recurrent layer.
template <class T, rp::precision P = rp::precision_of<T>, class Backend>
std::vector<double> losses_of_sentences(const Backend& on, bool sparse) {
  rp::graph net("sentences");
  const rp::node ids = net.input({5}, rp::element::i32);
  rp::node x = ids | nn::embedding{.vocabulary = 20, .width = 4, .sparse = sparse} | nn::sinusoidal_positions{};
  x = rp::add(x, x | nn::multi_head_attention{.heads = 2, .causal = true});
  x = rp::masked(x, ids, nn::lstm{.units = 6, .sequences = true});
  const rp::node logits = x | nn::gru{.units = 5, .sequences = true, .reset = rp::gru_reset::before} |
                          nn::gru{.units = 5, .sequences = true, .reset = rp::gru_reset::after} |
                          nn::lstm{.units = 6, .projection = 4, .sequences = true} | nn::rnn{.units = 4} |
                          nn::dense{.units = 3};
  auto trainer = net.train<T>(on, logits, nn::softmax_cross_entropy{}, nn::adam{.learning_rate = 0.05},
                              {.batch = 4, .seed = 7, .precision = P}, rp::ops_of<P>{});
  const std::vector<std::int32_t> labels{0, 1, 2, 1};
  std::vector<double> losses;
  for (int step = 0; step < 4; ++step) {
    rp::random_stream random(11, static_cast<std::uint64_t>(step));
    std::vector<std::int32_t> words;
    for (int i = 0; i < 20; ++i)
      words.push_back(static_cast<std::int32_t>(random.below(4) == 0 ? 0 : random.below(20)));
    losses.push_back(trainer.step(words, labels));
  }
  return losses;
}

}  // namespace

TEST_CASE("cuda: a network of sequences learns what the definition learns") {
  for (const bool sparse : {false, true}) {
    const auto got = losses_of_sentences<double>(rp::cuda(), sparse),
               want = losses_of_sentences<double>(rp::reference, sparse);
    for (std::size_t i = 0; i < want.size(); ++i) CHECK(std::abs(got[i] - want[i]) <= 1e-12 * want[i]);
    const auto single = losses_of_sentences<float>(rp::cuda(), sparse);
    for (std::size_t i = 0; i < want.size(); ++i) CHECK(std::abs(single[i] - want[i]) <= 1e-5 * want[i]);
    constexpr auto bf16 = rp::precision::bf16;
    const auto narrow = losses_of_sentences<float, bf16>(rp::cuda(), sparse),
               rounded = losses_of_sentences<float, bf16>(rp::reference, sparse);
    for (std::size_t i = 0; i < want.size(); ++i) CHECK(std::abs(narrow[i] - rounded[i]) <= 5e-3 * rounded[i]);
  }
}

TEST_CASE("cuda: a recording finds the kernels and plans that rehearsals created") {
  fake::reset();
  static_cast<void>(losses_of_sentences<float>(rp::cuda(), true));
  static_cast<void>(losses_of_sentences<float, rp::precision::bf16>(rp::cuda(), true));
  const std::vector<std::string>& calls = fake::calls();
  std::ptrdiff_t recorded = 0;
  for (auto at = calls.begin(); (at = std::find(at, calls.end(), "cudaStreamBeginCapture")) != calls.end();) {
    const auto end = std::find(at, calls.end(), "cudaStreamEndCapture");
    recorded += end - at;
    while (++at != end)
      CHECK_MESSAGE((*at == "cudaLaunchKernel" || *at == "cublasLtMatmul" || *at == "cudaMemcpyAsync" ||
                     *at == "cublasLtMatmulDescSetAttribute" || *at == "cudaSetDevice" || at->starts_with("cudnnRNN")),
                    *at);
  }
  CHECK(recorded > 100);
}
