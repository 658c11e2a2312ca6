// SPDX-License-Identifier: MIT
// The same seed gives the same bits for any number of threads, and the same numbers on every backend.
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

/// Some steps of a network wide enough that every op is cut into parts.
template <class T>
result train(const rp::cpu& on) {
  const temporary_directory folder;
  toy::corners data(512);
  data.features = 300;
  rp::graph net("wide");
  const rp::node x = net.input({300}) | nn::dense{.units = 257} | nn::relu{} | nn::dropout{.rate = 0.45F};
  const rp::node y =
      rp::add(x, x | nn::dense{.units = 257} | nn::tanh{} | nn::dropout{.rate = 0.1F}) | nn::dense{.units = 3};
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

}  // namespace

TEST_CASE_TEMPLATE("losses and weights are bitwise the same for 1, 2, 3 and 4 threads", T, float, double) {
  const result one = train<T>(rp::cpu(1));
  CHECK(one.losses.size() == 9);
  for (const int threads : {2, 3, 4}) {
    CAPTURE(threads);
    const result more = train<T>(rp::cpu(threads));
    CHECK(more.losses == one.losses);
    CHECK(more.weights == one.weights);
  }
}

TEST_CASE("another seed is another training") {
  const toy::corners data;
  CHECK(toy::trainer<float>(rp::reference, 32, 1).fit(data).loss !=
        toy::trainer<float>(rp::reference, 32, 2).fit(data).loss);
}

TEST_CASE_TEMPLATE("the CPU and the reference learn alike", T, float, double) {
  const toy::corners data;
  auto fast = toy::trainer<T>(rp::cpu(2));
  auto exact = toy::trainer<T>(rp::reference);
  const rp::history a = fast.fit(data, {.epochs = 4}), b = exact.fit(data, {.epochs = 4});
  // Steps are small and few: rounding differences grow, but stay far below what another mask or weight would make.
  const double tolerance = sizeof(T) == 4 ? 1e-4 : 1e-10;
  for (std::size_t e = 0; e < 4; ++e) CHECK(a.loss[e] == near(b.loss[e], tolerance));
  CHECK(fast.evaluate(data).loss == near(exact.evaluate(data).loss, tolerance));
  CHECK(fast.evaluate(data).correct == exact.evaluate(data).correct);
}
