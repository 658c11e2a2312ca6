// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <functional>
#include <thread>

#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/graph/session.hpp>
#include <ridgepoint/graph/trainer.hpp>
#include <ridgepoint/reference/all.hpp>

#include "support/near.hpp"
#include "support/temporary_directory.hpp"
#include "toy.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

namespace {
/// A backend whose only op calls back, to run code in the middle of a run.
struct interrupted : rp::host_memory {
  const std::function<void()>* inside;
  [[nodiscard]] std::string name() const { return "interrupted"; }
};
void execute(const interrupted& on, const rp::add_args<float>&) { (*on.inside)(); }
}  // namespace

TEST_CASE("a session computes its layers") {
  rp::graph net("sum");
  const rp::node y = net.input({2}) | nn::dense{.units = 2} | nn::relu{};
  auto session = net.compile<float>(rp::reference, y, {.batch = 2});
  const float w[] = {1, 2, 3, -4}, b[] = {0.5F, 1};
  session.set_parameter("dense_1.w", w);
  session.set_parameter("dense_1.b", b);
  const float x[] = {1, 1, 2, 0};
  float out[4];
  session.run(x, out);
  CHECK(out[0] == 4.5F);
  CHECK(out[1] == 0);
  CHECK(out[2] == 2.5F);
  CHECK(out[3] == 5);
  CHECK_THROWS_AS(session.run(std::span(x).first(3), out), rp::shape_error);
  CHECK_THROWS_AS(session.run(x, std::span(out).first(2)), rp::shape_error);
}

TEST_CASE("a session with two inputs takes both") {
  rp::graph net("two");
  const rp::node a = net.input({3}), b = net.input({3});
  const auto session = net.compile<double>(rp::reference, rp::add(a, b | nn::relu{}));
  const double x[] = {1, 2, 3}, z[] = {10, -10, 20};
  double out[3];
  session.run({x, z}, out);
  CHECK(out[0] == 11);
  CHECK(out[1] == 2);
  CHECK(out[2] == 23);
  CHECK_THROWS_AS(session.run(x, out), rp::shape_error);
}

TEST_CASE("a session returns several outputs, also outputs that others depend on") {
  rp::graph net("several");
  const rp::node x = net.input({3}), z = net.input({3});
  const rp::node sum = rp::add(x, z), kept = sum | nn::relu{}, wide = sum | nn::dense{.units = 4};
  const auto session = net.compile<double>(rp::reference, {wide, kept, sum}, {.batch = 2, .seed = 5});
  const double a[] = {1, 2, 3, 4, 5, 6}, b[] = {10, -10, 20, -20, 30, -30};
  std::vector<double> first(8), second(6), third(6);
  session.run({a, b}, {first, second, third});
  for (std::size_t i = 0; i < third.size(); ++i) {
    CHECK(third[i] == a[i] + b[i]);
    CHECK(second[i] == std::max(third[i], 0.0));
  }
  const auto alone = net.compile<double>(rp::reference, wide, {.batch = 2, .seed = 5});
  std::vector<double> expected(8);
  alone.run({a, b}, expected);
  CHECK(first == expected);
  CHECK(session.plan().calls.size() == 3);  // what both depend on is computed once

  const std::vector<double> before = second;
  const double other[] = {0, 0, 0, 0, 0, 0};
  const auto refused = [&](std::size_t size, const char* what) {
    std::vector<double> small(size);
    CHECK_THROWS_WITH_AS(session.run({other, b}, {first, second, small}), what, rp::shape_error);
  };
  refused(5, "run: output 2 has room for 5 values; must be 6");
  refused(7, "run: output 2 has room for 7 values; must be 6");
  CHECK_THROWS_WITH_AS(session.run({other, b}, {second, second, third}),
                       "run: output 0 has room for 6 values; must be 8", rp::shape_error);
  CHECK_THROWS_WITH_AS(session.run({other, b}, first), "run: 1 outputs; must be 3", rp::shape_error);
  CHECK_THROWS_WITH_AS(alone.run({other, b}, {first, second}), "run: 2 outputs; must be 1", rp::shape_error);
  CHECK_THROWS_WITH_AS(session.run(other, {first, second, third}), "run: 1 inputs; must be 2", rp::shape_error);
  CHECK(first == expected);
  CHECK(second == before);
}

TEST_CASE("several outputs of one input, in arrays, of the stored type or another") {
  rp::graph net("one");
  const rp::node h = net.input({2}) | nn::dense{.units = 2}, y = h | nn::relu{};
  const float w[] = {1, 2, 3, -4}, x[] = {1, 2};
  for (const rp::precision stored : {rp::precision::f32, rp::precision::f64}) {
    auto session = net.compile<float>(rp::reference, {y, h, y}, {.precision = stored}, rp::all_ops<double>{});
    session.set_parameter("dense_1.w", w);
    float a[2], b[2], c[2];
    session.run(x, {a, b, c});
    CHECK(b[0] == 7);
    CHECK(b[1] == -6);
    CHECK(a[0] == 7);
    CHECK(a[1] == 0);
    CHECK(c[1] == 0);
    CHECK(session.profile(x, 1).rows.size() == session.plan().calls.size() + 1);
  }
  CHECK_THROWS_WITH_AS(static_cast<void>(net.compile<float>(rp::reference, std::initializer_list<rp::node>{})),
                       "compile: no output; must have at least 1", rp::value_error);
}

TEST_CASE("the output may be the input") {
  rp::graph net("identity");
  const auto session = net.compile<float>(rp::reference, net.input({2, 2}) | nn::flatten{});
  const float x[] = {1, 2, 3, 4};
  float out[4];
  session.run(x, out);
  CHECK(out[3] == 4);
}

TEST_CASE("a session loads trained parameters") {
  const temporary_directory folder;
  const toy::corners data;
  auto trainer = toy::trainer<float>(rp::reference);
  trainer.fit(data, {.epochs = 10});
  trainer.save(folder / "toy");

  rp::graph net("toy");
  auto session = net.compile<float>(rp::reference, toy::mlp(net) | nn::softmax{});
  session.load(folder / "toy");
  int correct = 0;
  for (rp::index_t row = 0; row < data.size(); ++row) {
    float x[6], p[3];
    std::int32_t label = 0;
    data.gather(std::span(&row, 1), x, &label);
    session.run(x, p);
    correct += std::max_element(p, p + 3) - p == label ? 1 : 0;
    CHECK(p[0] + p[1] + p[2] == near(1, 1e-6));
  }
  CHECK(correct == trainer.evaluate(data).correct);
}

namespace {
rp::index_t constant_bytes(const auto& session) {
  return static_cast<rp::index_t>(session.answering().program().constant_bytes());
}
/// Checks that outputs equal `definition(x, w, y)` bitwise before and after the weights change.
template <class Definition>
void follows_its_weights(const rp::graph& net, const rp::node& y, std::string_view weights, const rp::shape& input,
                         const rp::shape& output, const Definition& definition) {
  const temporary_directory folder;
  const rp::cpu on(1);
  auto session = net.compile<float>(on, y, {.batch = input[0]});
  rp::tensor<float> x(input), expected(output), out(output);
  for (rp::index_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 7) - 3;
  const auto holds = [&] {
    definition(on, x, session.parameter(weights), expected);
    session.run(x.values(), out.values());
    CHECK(std::equal(out.data(), out.data() + out.size(), expected.data()));
  };
  holds();
  auto trainer = net.train<float>(on, y, nn::mse{}, nn::sgd{}, {.batch = input[0], .seed = 9});
  trainer.save(folder / "packed");
  session.load(folder / "packed");
  holds();
  rp::tensor<float> w(session.parameter(weights).shape());
  for (rp::index_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(i % 5) - 2;
  session.set_parameter(weights, w.values());
  holds();
}
}  // namespace

TEST_CASE("a session computes with packed weights and repacks them when they change") {
  rp::graph net("packed");
  const nn::conv2d layer{.filters = 40, .kernel = 3, .bias = false, .algorithm = rp::conv_algorithm::patches};
  const rp::node y = net.input({9, 8, 6}) | layer;  // whose filter is packed for any cache sizes of the CPU
  const rp::conv2d_geometry g{.n = 2, .h = 9, .w = 8, .c = 6, .f = 40, .kh = 3, .kw = 3};
  CHECK(constant_bytes(net.compile<float>(rp::reference, y, {.batch = 2})) == 0);
  const auto session = net.compile<float>(rp::cpu(1), y, {.batch = 2});
  CHECK(constant_bytes(session) >= g.filter_size() * 4);
  CHECK(session.plan().receipt() == receipt(rp::conv2d_args<float>{.geometry = g}));
  follows_its_weights(net, y, "conv2d_1.w", {2, 9, 8, 6}, {2, 7, 6, 40},
                      [&](const auto& on, const auto& x, const auto& w, auto& expected) {
                        rp::conv2d(on, x, w, nullptr, expected, {.algorithm = rp::conv_algorithm::patches});
                      });
}
TEST_CASE("a session multiplies by changing weights, packed or not") {
  const rp::index_t batch = 256;  // a CPU with a small L2 packs at this size
  rp::graph net("multiplied");
  const rp::node y = net.input({300}) | nn::dense{.units = 256} | nn::relu{};
  const float bias = 0;  // any address
  CHECK(net.compile<float>(rp::cpu(1), y, {.batch = batch}).plan().receipt() ==
        receipt(rp::dense_args<float>{.x = {nullptr, batch, 300},
                                      .w = {nullptr, 300, 256},
                                      .bias = &bias,
                                      .y = {nullptr, batch, 256},
                                      .act = rp::activation::relu}));
  follows_its_weights(net, y, "dense_1.w", {batch, 300}, {batch, 256},
                      [](const auto& on, const auto& x, const auto& w, auto& expected) {
                        const std::vector<float> b(256);
                        rp::dense(on, x, w, b.data(), expected, rp::activation::relu);
                      });
}

TEST_CASE("a second thread inside a session is refused") {
  rp::graph net("twice");
  const rp::node x = net.input({1});
  std::function<void()> inside;
  const auto session = net.compile<float>(interrupted{{}, &inside}, rp::add(x, x));
  const auto run = [&] {
    float in = 1, out = 0;
    session.run(std::span(&in, 1), std::span(&out, 1));
  };
  int refusals = 0;
  inside = [&] {
    std::thread([&] {
      CHECK_THROWS_WITH_AS(run(), doctest::Contains("session: another thread is inside"), rp::value_error);
      ++refusals;
    }).join();
  };
  run();
  run();
  CHECK(refusals == 2);
}

TEST_CASE("a session has a profile as well") {
  rp::graph net("profiled");
  const auto session =
      net.compile<float>(rp::reference, net.input({4}) | nn::dense{.units = 3} | nn::softmax{}, {.batch = 2});
  const std::vector<float> x(8);
  const rp::profile p = session.profile(x, 3);
  REQUIRE(p.rows.size() == 3);
  CHECK(p.rows[0].pass == rp::pass::feed);
  CHECK(p.rows[1].layer == "dense_1");
  CHECK(p.rows[1].shape == "2x4 * 4x3");
  CHECK(p.rows[2].layer == "softmax_1");
  CHECK(p.title == "profiled");
  CHECK(p.backend == "reference");
}
