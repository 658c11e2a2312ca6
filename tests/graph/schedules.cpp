// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/graph/optimisers.hpp>
#include <ridgepoint/reference/all.hpp>

#include "support/near.hpp"
#include "support/temporary_directory.hpp"
#include "toy.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

namespace {

template <class T = double, class Backend, class Optimiser>
auto scheduled(const Backend& on, Optimiser optimiser) {
  rp::graph net("scheduled");
  const rp::node logits = toy::mlp(net);
  return net.train<T>(on, logits, nn::softmax_cross_entropy{}, optimiser, {.batch = 50, .seed = 7});
}

constexpr nn::adam falling{.learning_rate = 0.02, .schedule = nn::cosine_decay{.steps = 15, .warm_up_steps = 4}};

}  // namespace

TEST_CASE("each name matches its formula") {
  using form = rp::rate_schedule::form;
  CHECK(rp::rate_schedule(nn::warm_up{.steps = 9}) == rp::rate_schedule{.warm_up_steps = 9});
  CHECK(rp::rate_schedule(nn::step_decay{.every_steps = 2, .factor = 0.5, .warm_up_steps = 1}) ==
        rp::rate_schedule{.decay = form::step, .warm_up_steps = 1, .steps = 2, .factor = 0.5});
  CHECK(rp::rate_schedule(nn::exponential_decay{.every_steps = 2, .factor = 0.5, .warm_up_steps = 1}) ==
        rp::rate_schedule{.decay = form::exponential, .warm_up_steps = 1, .steps = 2, .factor = 0.5});
  CHECK(rp::rate_schedule(nn::cosine_decay{.steps = 2, .end = 0.5, .warm_up_steps = 1}) ==
        rp::rate_schedule{.decay = form::cosine, .warm_up_steps = 1, .steps = 2, .factor = 0.5});
  CHECK(rp::rate_schedule(nn::piecewise_decay{.boundaries = {4, 9}, .factor = 0.5, .warm_up_steps = 1}) ==
        rp::rate_schedule{.decay = form::piecewise, .warm_up_steps = 1, .factor = 0.5, .boundaries = {4, 9}});
  CHECK(rp::rate_schedule(nn::inverse_time_decay{.decay = 0.5, .warm_up_steps = 1}) ==
        rp::rate_schedule{.decay = form::inverse_time, .warm_up_steps = 1, .factor = 0.5});
}

TEST_CASE("a scheduled run equals one whose rate is set by hand before every step, bit for bit") {
  auto automatic = scheduled(rp::reference, falling), by_hand = scheduled(rp::reference, nn::adam{});
  const toy::corners data;
  std::vector<double> a, b;
  automatic.fit(data, {.epochs = 4}, [&](const rp::progress& p) {
    a.push_back(p.loss);
    return true;
  });
  const auto set = [&] { by_hand.set_learning_rate(rp::scheduled_rate(falling.schedule, 0.02, by_hand.steps_done())); };
  set();
  by_hand.fit(data, {.epochs = 4}, [&](const rp::progress& p) {
    b.push_back(p.loss);
    set();
    return true;
  });
  CHECK(a == b);
  CHECK(toy::weights(automatic) == toy::weights(by_hand));
  CHECK(automatic.learning_rate() == 0);  // after 24 steps, of 19
}

TEST_CASE_TEMPLATE("the CPU evaluates schedules in its own memory", T, float, double) {
  auto fast = scheduled<T>(rp::cpu(1), falling);
  std::vector<double> rates = {fast.learning_rate()};
  fast.fit(toy::corners(), {.epochs = 4}, [&](const rp::progress&) {
    rates.push_back(fast.learning_rate());
    return true;
  });
  REQUIRE(rates.size() == 25);
  for (std::uint64_t t = 0; t < 25; ++t) CHECK(rates[t] == near(rp::scheduled_rate(falling.schedule, 0.02, t), 1e-15));
}

TEST_CASE("a saved run resumes its schedule; setting the rate scales the rest of it") {
  const temporary_directory there;
  const toy::corners data;
  auto whole = scheduled(rp::reference, falling), first = scheduled(rp::reference, falling),
       rest = scheduled(rp::reference, falling);
  whole.fit(data, {.epochs = 3});
  int steps = 0;
  first.fit(data, {.epochs = 3}, [&](const rp::progress&) { return ++steps < 8; });
  first.save(there / "run");
  rest.load(there / "run");
  CHECK(rest.learning_rate() == first.learning_rate());
  CHECK(rest.learning_rate() < 0.02);
  rest.fit(data, {.epochs = 2});
  CHECK(rest.steps_done() == whole.steps_done());
  CHECK(toy::weights(rest) == toy::weights(whole));

  first.set_learning_rate(0.01);
  CHECK(first.learning_rate() == near(rp::scheduled_rate(falling.schedule, 0.01, 8), 1e-15));
  first.save(there / "run");
  rest.load(there / "run");
  CHECK(rest.learning_rate() == first.learning_rate());
}

TEST_CASE("a schedule out of its domain is refused before training") {
  CHECK_THROWS_WITH_AS(
      static_cast<void>(scheduled(rp::reference, nn::sgd{.schedule = nn::step_decay{.every_steps = 0}})),
      "rate_schedule: steps is 0; must be >= 1", rp::value_error);
  CHECK_THROWS_WITH_AS(
      static_cast<void>(scheduled(rp::reference, nn::sgd{.schedule = nn::inverse_time_decay{.decay = -1}})),
      "rate_schedule: factor is -1; must be finite and >= 0", rp::value_error);
}
