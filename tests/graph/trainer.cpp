// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <limits>
#include <thread>

#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/graph/dataset.hpp>
#include <ridgepoint/reference/all.hpp>

#include "support/near.hpp"
#include "toy.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

TEST_CASE_TEMPLATE("a small network learns", T, float, double) {
  auto trainer = toy::trainer<T>(rp::reference);
  const toy::corners data;
  const rp::evaluation before = trainer.evaluate(data);
  const rp::history history = trainer.fit(data, {.epochs = 20});
  const rp::evaluation after = trainer.evaluate(data);
  CHECK(before.loss > 0.8);
  CHECK(after.loss < 0.5);
  CHECK(after.accuracy() > 0.85);
  CHECK(history.complete);
  CHECK(history.loss.size() == 20);
  CHECK(history.loss.back() < history.loss.front());
  CHECK(trainer.steps_done() == 20 * (300 / 32));
}

TEST_CASE("evaluation covers every sample, whatever the batch") {
  const toy::corners data(101);
  auto one = toy::trainer<double>(rp::reference, 1), many = toy::trainer<double>(rp::reference, 32);
  const rp::evaluation a = one.evaluate(data), b = many.evaluate(data);
  CHECK(a.samples == 101);
  CHECK(b.samples == 101);
  CHECK(a.correct == b.correct);
  CHECK(a.loss == near(b.loss, 1e-12));
  CHECK(many.evaluate(data).loss == b.loss);
  CHECK(many.steps_done() == 0);
  CHECK(toy::trainer<double>(rp::reference, 500).evaluate(data).correct == a.correct);
}

TEST_CASE("watch sees every step and can stop after any") {
  auto trainer = toy::trainer<float>(rp::reference, 50);
  const toy::corners data;
  int calls = 0;
  const rp::history stopped = trainer.fit(data, {.epochs = 3}, [&](const rp::progress& p) {
    ++calls;
    CHECK(p.epochs == 3);
    CHECK(p.steps == 6);
    return calls < 8;
  });
  CHECK(calls == 8);
  CHECK(!stopped.complete);
  CHECK(stopped.loss.size() == 1);
  CHECK(trainer.steps_done() == 8);

  const rp::history rest = trainer.fit(data, {.epochs = 2});  // the interrupted epoch, and the third
  CHECK(rest.complete);
  CHECK(trainer.steps_done() == 18);
}

TEST_CASE("a second thread inside a trainer is refused; the first may call it from its watch") {
  auto trainer = toy::trainer<float>(rp::reference, 50);
  const toy::corners data;
  const std::vector<float> x(300);
  const std::vector<std::int32_t> labels(50);
  const auto refused = [&](const auto& call) {
    bool thrown = false;
    std::thread([&] {
      try {
        call();
      } catch (const rp::value_error& e) {
        thrown = std::string_view(e.what()) == "trainer: another thread is inside; must be used by one at a time";
      }
    }).join();
    return thrown;
  };
  trainer.fit(data, {}, [&](const rp::progress&) {
    CHECK(refused([&] { trainer.fit(data); }));
    CHECK(refused([&] { trainer.step(x, labels); }));
    CHECK(refused([&] { static_cast<void>(trainer.evaluate(data)); }));
    CHECK(refused([&] { static_cast<void>(trainer.profile(data, 1)); }));
    CHECK(trainer.evaluate(data).samples == 300);
    return false;
  });
  CHECK(trainer.steps_done() == 1);
  CHECK(!refused([&] { trainer.step(x, labels); }));
}

TEST_CASE("an epoch that watch stops at its last step counts as finished") {
  auto trainer = toy::trainer<float>(rp::reference, 50);
  const toy::corners data;
  double seen = 0;
  const auto stop_at = [&](rp::index_t step) {
    return [&, step](const rp::progress& p) {
      seen = p.loss;
      return p.step < step;
    };
  };
  const rp::history first = trainer.fit(data, {.epochs = 2}, stop_at(6));
  CHECK(!first.complete);
  REQUIRE(first.loss.size() == 1);
  CHECK(first.loss[0] == seen);
  const rp::history last = trainer.fit(data, {.epochs = 1}, stop_at(6));
  CHECK(last.complete);
  CHECK(last.loss.size() == 1);
  CHECK(trainer.fit(data, {.epochs = 1}, stop_at(5)).loss.empty());
}

TEST_CASE("rewiring the graph afterwards does not affect a trainer") {
  rp::graph net("wide");
  const rp::node x = net.input({6}), first = x | nn::dense{.units = 6}, second = first | nn::dense{.units = 6};
  const rp::node y = second | nn::dense{.units = 3};
  const auto train = [&] {
    return net.train<double>(rp::reference, y, nn::softmax_cross_entropy{}, nn::adam{}, {.batch = 32, .seed = 5});
  };
  const toy::corners data;
  auto rewired = train(), other = train();
  const rp::evaluation expected = other.evaluate(data);
  rp::node deep = x;  // more parameters than the trainer has memory for
  for (int i = 0; i < 8; ++i) deep = deep | nn::dense{.units = 6};
  net.rewire(first, 0, deep);
  CHECK(rewired.evaluate(data).loss == expected.loss);
  CHECK(rewired.net().nodes().size() == 4);
  CHECK_THROWS_WITH_AS(
      static_cast<void>(rp::graph("foreign").train<double>(rp::reference, y, nn::softmax_cross_entropy{}, nn::adam{})),
      doctest::Contains("must be its own"), rp::value_error);
}

TEST_CASE("bad input to a step is refused and updates nothing") {
  auto trainer = toy::trainer<float>(rp::reference, 2);
  const rp::tensor<float> before = trainer.parameter("dense_1.w");
  const std::vector<float> x(12), wrong(11);
  const std::int32_t labels[] = {0, 2}, outside[] = {0, 3}, negative[] = {-1, 0};
  CHECK_THROWS_AS(trainer.step(wrong, labels), rp::shape_error);
  CHECK_THROWS_AS(trainer.step(x, std::span(labels).first(1)), rp::shape_error);
  CHECK_THROWS_WITH_AS(trainer.step(x, outside), doctest::Contains("label 1 is 3; must be >= 0 and < 3"),
                       rp::value_error);
  CHECK_THROWS_AS(trainer.step(x, negative), rp::value_error);
  CHECK(trainer.steps_done() == 0);
  const rp::tensor<float> after = trainer.parameter("dense_1.w");
  CHECK(std::equal(before.values().begin(), before.values().end(), after.values().begin()));
  CHECK_NOTHROW(trainer.step(x, labels));
}

TEST_CASE("bad hyper-parameters and data sets are refused") {
  rp::graph net("bad");
  const rp::node logits = toy::mlp(net);
  const auto train = [&](nn::adam adam) {
    return net.train<float>(rp::reference, logits, nn::softmax_cross_entropy{}, adam, {.batch = 32});
  };
  CHECK_THROWS_AS(train({.learning_rate = std::numeric_limits<double>::quiet_NaN()}), rp::value_error);
  CHECK_THROWS_AS(train({.learning_rate = -1}), rp::value_error);
  CHECK_THROWS_AS(train({.options = {.beta1 = 1.5}}), rp::value_error);

  auto trainer = train({});
  toy::corners wide, kinds, few(31);
  wide.features = 7;
  kinds.kinds = 4;
  CHECK_THROWS_AS(trainer.fit(wide), rp::shape_error);
  CHECK_THROWS_AS(trainer.fit(kinds), rp::value_error);
  CHECK_THROWS_AS(trainer.fit(few), rp::value_error);
  CHECK_THROWS_AS(trainer.fit(toy::corners(), {.epochs = -1}), rp::value_error);
  trainer.fit(toy::corners());
  CHECK_THROWS_WITH_AS(trainer.fit(toy::corners(), {.epochs = std::numeric_limits<int>::max()}),
                       "fit: epochs is 2147483647 after 1; together they must be at most 2147483647", rp::value_error);
  CHECK_THROWS_AS(static_cast<void>(trainer.evaluate(toy::corners(0))), rp::value_error);
  CHECK_THROWS_AS(trainer.set_learning_rate(std::numeric_limits<double>::infinity()), rp::value_error);
  CHECK_THROWS_AS(static_cast<void>(trainer.parameter("dense_9.w")), rp::value_error);
  CHECK_THROWS_AS(static_cast<void>(trainer.profile(toy::corners(), 0)), rp::value_error);
}

TEST_CASE("the learning rate can be changed during training") {
  auto trainer = toy::trainer<double>(rp::reference);
  CHECK(trainer.learning_rate() == 0.01);
  trainer.set_learning_rate(0);
  const rp::tensor<double> before = trainer.parameter("dense_2.w");
  trainer.fit(toy::corners());
  const rp::tensor<double> after = trainer.parameter("dense_2.w");
  CHECK(std::equal(before.values().begin(), before.values().end(), after.values().begin()));
}

TEST_CASE("a network with several inputs or pointwise targets trains through step()") {
  rp::graph net("regression");
  const rp::node y = net.input({2}) | nn::dense{.units = 8} | nn::tanh{} | nn::dense{.units = 1};
  auto trainer =
      net.train<double>(rp::reference, y, nn::mse{}, nn::adam{.learning_rate = 0.02}, {.batch = 4, .seed = 3});
  const double x[] = {0, 0, 0, 1, 1, 0, 1, 1}, target[] = {0, 1, 1, 0};
  const double first = trainer.step(x, target);
  double last = first;
  for (int i = 0; i < 500; ++i) last = trainer.step(x, target);
  CHECK(last < 0.01 * first);
}

TEST_CASE_TEMPLATE("fit(x, y) on values in place equals training on a data set of them", T, float, double) {
  const toy::corners data;
  std::vector<rp::index_t> rows(300);
  for (rp::index_t i = 0; i < 300; ++i) rows[static_cast<std::size_t>(i)] = i;
  std::vector<float> single(300 * 6);
  std::vector<std::int32_t> labels(300);
  data.gather(rows, single.data(), labels.data());
  const std::vector<T> x(single.begin(), single.end());
  auto a = toy::trainer<T>(rp::reference), b = toy::trainer<T>(rp::reference);
  CHECK(a.fit(data, {.epochs = 2}).loss == b.fit(x, labels, {.epochs = 2}).loss);
  const rp::evaluation judged = b.evaluate(x, labels);
  CHECK(judged.loss == a.evaluate(data).loss);
  CHECK(judged.samples == 300);

  labels[7] = 3;
  CHECK_THROWS_WITH_AS(b.fit(x, labels), doctest::Contains("label 7 is 3; must be >= 0 and < 3"), rp::value_error);
  labels.pop_back();
  labels[7] = 0;
  CHECK_THROWS_WITH_AS(b.fit(x, labels), "samples: 1800 values for input 0; must be 1794, 299 samples of 6",
                       rp::shape_error);
  CHECK_THROWS_WITH_AS(b.fit({x, x}, labels), "samples: for 2 inputs; the network has 1", rp::shape_error);
  CHECK_THROWS_WITH_AS(b.fit({}, std::span<const std::int32_t>()), doctest::Contains("must"), rp::error);
  CHECK(b.steps_done() == a.steps_done());
}

TEST_CASE("a double network trains on doubles, unrounded") {
  rp::graph net("exact");
  auto trainer = net.train<double>(rp::reference, net.input({1}) | nn::dense{.units = 1}, nn::mse{}, nn::sgd{});
  const double w[] = {1}, x[] = {1 + 1e-12};
  trainer.set_parameter("dense_1.w", w);
  CHECK(trainer.evaluate(x, x).loss == 0);
  CHECK(trainer.predict(x)[0] == x[0]);
}

TEST_CASE("a network with two inputs trains, evaluates and predicts") {
  rp::graph net("two");
  const rp::node a = net.input({2}), b = net.input({3});
  const rp::node y = rp::add(a | nn::dense{.units = 4}, b | nn::dense{.units = 4}) | nn::tanh{} | nn::dense{.units = 1};
  auto trainer =
      net.train<double>(rp::reference, y, nn::mse{}, nn::adam{.learning_rate = 0.02}, {.batch = 8, .seed = 3});
  std::vector<double> u, v, target;
  rp::random_stream random(1, 1);
  for (int i = 0; i < 40; ++i) {
    for (int k = 0; k < 2; ++k) u.push_back(random.uniform(-1, 1));
    for (int k = 0; k < 3; ++k) v.push_back(random.uniform(-1, 1));
    target.push_back(u[u.size() - 1] - v[v.size() - 2]);
  }
  const double before = trainer.evaluate({u, v}, target).loss;
  CHECK(trainer.fit({u, v}, target, {.epochs = 100}).complete);
  CHECK(trainer.evaluate({u, v}, target).loss < 0.05 * before);
  const rp::tensor<double> answers = trainer.predict({u, v});
  CHECK(answers.shape() == rp::shape{40, 1});
  double sum = 0;
  for (rp::index_t i = 0; i < 40; ++i) {
    const double gap = answers[i] - target[static_cast<std::size_t>(i)];
    sum += gap * gap / 40;
  }
  CHECK(sum == near(trainer.evaluate({u, v}, target).loss, 1e-12));
  const auto first = [](const std::vector<double>& of, std::size_t n) { return std::span(of).first(n); };
  CHECK(std::isfinite(trainer.step({first(u, 16), first(v, 24)}, first(target, 8))));
  const std::vector<rp::host_values<double>> sides{first(u, 16), first(v, 24)}, wanted{first(target, 8)};
  const std::span<const rp::host_values<double>> some = sides, sums = wanted;
  CHECK(trainer.evaluate(some, sums).loss == trainer.evaluate({sides[0], sides[1]}, first(target, 8)).loss);
  CHECK_THROWS_AS(trainer.step(u, target), rp::shape_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(trainer.predict({u, first(v, 9)})),
                       "samples: 9 values for input 1; must be 120, 40 samples of 3", rp::shape_error);
  const rp::memory_dataset both(std::vector<float>{0.5F, -1, 0.25F, 1, 2}, std::vector<float>{3}, {5}, {1});
  const std::vector<double> left{0.5, -1}, right{0.25, 1, 2}, three{3};
  CHECK(trainer.evaluate(both).loss == trainer.evaluate({left, right}, three).loss);
  const rp::memory_dataset data(std::vector<float>(80), std::vector<float>(40), {2}, {1});
  CHECK_THROWS_WITH_AS(trainer.fit(data),
                       "data set: a sample is 2; the network's inputs are 2 and 3 and must have as many values",
                       rp::shape_error);
}

TEST_CASE("labels of every time step are trained on and evaluated") {
  rp::graph net("tokens");
  const rp::node y =
      net.input({3}, rp::element::i32) | nn::embedding{.vocabulary = 4, .width = 8} | nn::dense{.units = 4};
  auto trainer = net.train<float>(rp::reference, y, nn::softmax_cross_entropy{}, nn::adam{.learning_rate = 0.05},
                                  {.batch = 4, .seed = 1});
  std::vector<std::int32_t> tokens, next;
  for (int i = 0; i < 36; ++i) {
    tokens.push_back(i * i % 4);
    next.push_back((i * i + 1) % 4);
  }
  trainer.fit(tokens, next, {.epochs = 60});
  const rp::evaluation judged = trainer.evaluate(tokens, next);
  CHECK(judged.samples == 12);
  CHECK(judged.labels == 36);
  CHECK(judged.accuracy() == 1);
}

TEST_CASE("predict() handles any number of samples, with dropout off, and uses the current parameters") {
  auto trainer = toy::trainer<double>(rp::reference, 4);
  std::vector<double> x;
  for (int i = 0; i < 11 * 6; ++i) x.push_back(std::sin(i));
  const rp::tensor<double> all = trainer.predict(x);
  CHECK(all.shape() == rp::shape{11, 3});
  for (rp::index_t i = 0; i < 11; ++i) {
    const rp::tensor<double> one =
        trainer.predict(std::span<const double>(x).subspan(static_cast<std::size_t>(6 * i), 6));
    for (rp::index_t k = 0; k < 3; ++k) CHECK(one[k] == near(all[3 * i + k], 1e-13));
  }
  CHECK(trainer.predict(std::span<const double>()).shape() == rp::shape{0, 3});
  CHECK_THROWS_WITH_AS(static_cast<void>(trainer.predict(std::span(x).first(8))),
                       "samples: 8 values for input 0; must be 6, 1 samples of 6", rp::shape_error);
  CHECK(trainer.steps_done() == 0);
  trainer.fit(toy::corners(), {});
  CHECK(trainer.predict(x)[0] != all[0]);
}

TEST_CASE("a trainer's session has the parameters of that time, in its own memory") {
  auto trainer = toy::trainer<double>(rp::reference, 4);
  trainer.fit(toy::corners(), {});
  const double x[] = {1, 2, 3, 4, 5, 6};
  const rp::tensor<double> before = trainer.predict(x);
  const auto session = trainer.session();
  trainer.fit(toy::corners(), {});
  std::vector<double> y(3);
  session.run(x, y);
  CHECK(std::equal(y.begin(), y.end(), before.values().begin()));
  CHECK(trainer.predict(x)[0] != before[0]);
}

TEST_CASE("a session of a larger graph loads a trainer's parameters, also from another backend") {
  rp::graph net("head");
  const rp::node logits = toy::mlp(net);
  auto trainer = net.train<float>(rp::reference, logits, nn::softmax_cross_entropy{}, nn::adam{}, {.batch = 4});
  auto session = net.compile<float>(rp::cpu(1), logits | nn::softmax{}, {.batch = 128});
  session.load(trainer);
  const std::vector<float> x(128 * 6, 0.5F);
  std::vector<float> y(128 * 3);
  session.run(x, y);
  const rp::tensor<float> z = trainer.predict(std::span(x).first(6));
  const float sum = std::exp(z[0]) + std::exp(z[1]) + std::exp(z[2]);
  for (rp::index_t i = 0; i < 3; ++i)
    CHECK(static_cast<double>(y[static_cast<std::size_t>(i)]) == near(static_cast<double>(std::exp(z[i]) / sum), 1e-5));

  rp::graph wide("wide"), more("more");
  auto other = wide.compile<float>(rp::reference, wide.input({6}) | nn::dense{.units = 17} | nn::dense{.units = 3});
  const rp::tensor<float> kept = other.parameter("dense_1.w");
  CHECK_THROWS_WITH_AS(other.load(trainer), "dense_1.w: is 6x16; must be 6x17", rp::shape_error);
  CHECK(std::equal(kept.values().begin(), kept.values().end(), other.parameter("dense_1.w").data()));
  auto deeper = more.compile<float>(rp::reference, toy::mlp(more) | nn::dense{.units = 2});
  CHECK_THROWS_WITH_AS(deeper.load(trainer), doctest::Contains("dense_3.w: no such parameter"), rp::value_error);
}
