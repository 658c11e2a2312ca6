// SPDX-License-Identifier: MIT
// The same seed gives the same bits for any number of threads, and close numbers on every backend.
#include <doctest/doctest.h>

#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/reference/all.hpp>

#include "support/near.hpp"
#include "support/temporary_directory.hpp"
#include "toy.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

namespace {

struct result {
  std::vector<double> losses;
  std::string weights;
  friend bool operator==(const result&, const result&) = default;
};

/// Trains a network for some steps on `data`.
template <class T>
result trained(const rp::cpu& on, const rp::graph& net, const rp::node& y, const toy::corners& data) {
  const temporary_directory folder;
  auto trainer = net.train<T>(on, y, nn::softmax_cross_entropy{}, nn::adam{}, {.batch = 128, .seed = 5});
  result r;
  trainer.fit(data, {.epochs = 2}, [&](const rp::progress& p) {
    r.losses.push_back(p.loss);
    return true;
  });
  r.losses.push_back(trainer.evaluate(data).loss);
  trainer.save(folder / "weights");
  r.weights = read_bytes(folder / "weights");
  return r;
}

/// Trains dense layers, wide enough that every op is split into parts.
template <class T>
result dense(const rp::cpu& on) {
  toy::corners data(512);
  data.features = 300;
  rp::graph net("wide");
  const rp::node x = net.input({300}) | nn::dense{.units = 257} | nn::relu{} | nn::dropout{.rate = 0.45F};
  const rp::node y =
      rp::add(x, x | nn::dense{.units = 257} | nn::tanh{} | nn::dropout{.rate = 0.1F}) | nn::dense{.units = 3};
  return trained<T>(on, net, y, data);
}
/// Trains convolutions (dense, strided, grouped and depthwise), the layers between them, and a sum.
template <class T>
result convolutional(const rp::cpu& on) {
  toy::corners data(256);
  data.features = 12 * 12 * 3;
  rp::graph net("pixels");
  const rp::node x = net.input({12, 12, 3}) | nn::conv2d{.filters = 20, .kernel = 3, .padding = nn::same} |
                     nn::batch_norm{} | nn::relu{} | nn::max_pool{};
  const rp::node y = rp::add(x, x | nn::conv2d{.filters = 20, .kernel = 3, .padding = nn::same, .groups = 2} |
                                    nn::batch_norm{} | nn::leaky_relu{}) |
                     nn::conv2d{.filters = 24, .kernel = 3, .stride = 2} | nn::tanh{} |
                     nn::depthwise_conv2d{.kernel = 2} | nn::flatten{} | nn::dense{.units = 3};
  return trained<T>(on, net, y, data);
}

/// Checks that training is bitwise the same for any number of threads.
void is_the_same_for_any_threads(result (*train)(const rp::cpu&), std::size_t losses) {
  const result one = train(rp::cpu(1));
  CHECK(one.losses.size() == losses);
  for (const int threads : {2, 3, 4}) {
    CAPTURE(threads);
    const result more = train(rp::cpu(threads));
    CHECK(more.losses == one.losses);
    CHECK(more.weights == one.weights);
  }
}

}  // namespace

TEST_CASE_TEMPLATE("losses and weights are bitwise the same for 1, 2, 3 and 4 threads", T, float, double) {
  is_the_same_for_any_threads(dense<T>, 9);
}
TEST_CASE_TEMPLATE("weights of a convolutional network are bitwise the same for any threads", T, float, double) {
  is_the_same_for_any_threads(convolutional<T>, 5);
}

TEST_CASE("another seed gives another training run") {
  const toy::corners data;
  CHECK(toy::trainer<float>(rp::reference, 32, 1).fit(data).loss !=
        toy::trainer<float>(rp::reference, 32, 2).fit(data).loss);
}

TEST_CASE_TEMPLATE("the CPU and the reference learn the same", T, float, double) {
  const toy::corners data;
  auto fast = toy::trainer<T>(rp::cpu(2));
  auto exact = toy::trainer<T>(rp::reference);
  const rp::history a = fast.fit(data, {.epochs = 4}), b = exact.fit(data, {.epochs = 4});
  // Steps are small and few: rounding differences grow, but stay far below the effect of another mask or weight.
  const double tolerance = sizeof(T) == 4 ? 1e-4 : 1e-10;
  for (std::size_t e = 0; e < 4; ++e) CHECK(a.loss[e] == near(b.loss[e], tolerance));
  CHECK(fast.evaluate(data).loss == near(exact.evaluate(data).loss, tolerance));
  CHECK(fast.evaluate(data).correct == exact.evaluate(data).correct);
}
