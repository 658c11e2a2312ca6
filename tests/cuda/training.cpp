// SPDX-License-Identifier: MIT
// Whole training steps on a GPU that is played: what they learn, which calls they are, what is left when one fails.
#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include <ridgepoint/reference/all.hpp>

#include "graph/toy.hpp"
#include "played.hpp"

namespace rp = ridgepoint;

namespace {

constexpr rp::index_t batch = 32;

/// One batch of corners.
struct samples {
  std::vector<float> x = std::vector<float>(batch * 6);
  std::vector<std::int32_t> labels = std::vector<std::int32_t>(batch);
  explicit samples(int number) {
    std::vector<rp::index_t> rows;
    for (rp::index_t i = 0; i < batch; ++i) rows.push_back(number * batch + i);
    toy::corners().gather(rows, x.data(), labels.data());
  }
};

/// The same samples as images of 2×3 pixels.
template <class T, class Backend>
auto convolutional(const Backend& on) {
  namespace nn = rp::nn;
  rp::graph net("convolutional");
  const rp::node logits = net.input({2, 3, 1}) | nn::conv2d{.filters = 4, .kernel = 3, .padding = nn::same} |
                          nn::relu{} | nn::conv2d{.filters = 5, .kernel = 2} | nn::relu{} | nn::flatten{} |
                          nn::dense{.units = 3};
  return net.train<T>(on, logits, nn::softmax_cross_entropy{}, nn::adam{.learning_rate = 0.01}, {.batch = batch});
}

template <class T>
void agree_on_losses(auto there, auto here) {
  for (int step = 0; step < 5; ++step) {
    const samples s(step);
    const std::vector<T> x(s.x.begin(), s.x.end());
    const double want = here.step(x, s.labels);
    CHECK(std::abs(there.step(x, s.labels) - want) <= (std::is_same_v<T, float> ? 1e-6 : 1e-13) * want);
  }
}

}  // namespace

TEST_CASE_TEMPLATE("cuda: a network learns what the definition learns", T, float, double) {
  agree_on_losses<T>(toy::trainer<T>(rp::cuda()), toy::trainer<T>(rp::reference));
  agree_on_losses<T>(convolutional<T>(rp::cuda()), convolutional<T>(rp::reference));
}

TEST_CASE("cuda: from the second step on a step is two replays, the loss read between them, and makes nothing") {
  auto trainer = toy::trainer<float>(rp::cuda());
  static_cast<void>(trainer.step(samples(0).x, samples(0).labels));
  fake::reset();
  static_cast<void>(trainer.step(samples(1).x, samples(1).labels));
  for (const std::string& call : fake::calls())
    CHECK_MESSAGE((call == "cudaMemcpyAsync" || call == "cudaStreamSynchronize" || call == "cudaGraphLaunch"), call);
  CHECK(std::ranges::count(fake::calls(), "cudaGraphLaunch") == 2);
}

TEST_CASE("cuda: whichever call fails, it is told, and everything is given back") {
  const std::string before = fake::living();
  const auto train = [] {
    auto trainer = toy::trainer<float>(rp::cuda());
    for (int step = 0; step < 2; ++step) static_cast<void>(trainer.step(samples(step).x, samples(step).labels));
  };
  fake::reset();
  train();
  const auto calls = static_cast<int>(fake::calls().size());
  CHECK(calls > 100);
  CHECK(fake::living() == before);
  for (int failing = 1; failing <= calls; ++failing) {
    fake::reset(failing);
    std::string said;
    try {
      train();
    } catch (const rp::error& e) {
      said = e.what();
    }
    CAPTURE(failing);
    CAPTURE(fake::calls().at(static_cast<std::size_t>(failing - 1)));
    CHECK(fake::has_failed());
    CHECK(!said.empty());
    CHECK(fake::living() == before);
  }
  fake::reset();
}
