// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/graph/session.hpp>
#include <ridgepoint/reference/all.hpp>

#include "toy.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

TEST_CASE("a pipe of layers knows its shapes and its names") {
  rp::graph net("shapes");
  const rp::node image = net.input({28, 28, 1});
  const rp::node hidden = image | nn::flatten{} | nn::dense{.units = 512};
  const rp::node logits = hidden | nn::relu{} | nn::dense{.units = 10};
  CHECK(image.extents() == rp::shape{28, 28, 1});
  CHECK(hidden.extents() == rp::shape{512});
  CHECK(logits.extents() == rp::shape{10});
  CHECK(image.name() == "input_1");
  CHECK(hidden.name() == "dense_1");
  CHECK(logits.name() == "dense_2");
  CHECK(net.name() == "shapes");
  CHECK((image | nn::conv2d{.filters = 3, .kernel = 1}).extents() == rp::shape{28, 28, 3});
}

TEST_CASE("a node must belong to the graph it is used in") {
  rp::graph net("one"), other("two");
  const rp::node mine = net.input({4}), foreign = other.input({4});
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::add(mine, foreign)),
                       doctest::Contains("of graph \"two\"; must belong to one graph"), rp::value_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(net.compile<float>(rp::reference, foreign)),
                       doctest::Contains("belongs to graph \"two\"; must be its own"), rp::value_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::node() | nn::relu{}), doctest::Contains("belongs to no graph"),
                       rp::value_error);
  CHECK_THROWS_AS(static_cast<void>(net.compile<float>(rp::reference, rp::node())), rp::value_error);
  CHECK_THROWS_AS(rp::apply(nn::add{}, {}), rp::value_error);
}

TEST_CASE("a node outlives the graph object it came from") {
  rp::node survivor;
  {
    rp::graph net("short");
    survivor = net.input({4}) | nn::dense{.units = 2};
  }
  CHECK((survivor | nn::relu{}).extents() == rp::shape{2});
}

TEST_CASE("layers refuse unsupported inputs, and the graph stays unchanged") {
  rp::graph net("refusal");
  const rp::node a = net.input({4}), b = net.input({5});
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::add(a, b)), "add: a is 4 but b is 5; must be equal", rp::shape_error);
  CHECK_THROWS_AS(static_cast<void>(a | nn::dense{.units = 0}), rp::shape_error);
  CHECK_THROWS_AS(static_cast<void>(a | nn::dense{.units = -3}), rp::shape_error);
  CHECK_THROWS_AS(static_cast<void>(a | nn::dropout{.rate = 1.0F}), rp::value_error);
  CHECK_THROWS_AS(static_cast<void>(a | nn::dropout{.rate = std::nanf("")}), rp::value_error);
  CHECK_THROWS_AS(static_cast<void>(a | nn::leaky_relu{.slope = -1}), rp::value_error);
  CHECK_THROWS_AS(net.input({4, 0}), rp::shape_error);
  CHECK_THROWS_AS(net.input({1, 1, 1, 1, 1, 1}), rp::shape_error);
  CHECK(net.nodes().size() == 2);
}

TEST_CASE("sizes that do not fit are refused before anything is allocated") {
  rp::graph net("huge");
  const rp::node wide = net.input({rp::index_t{1} << 40});
  CHECK_THROWS_AS(static_cast<void>(wide | nn::dense{.units = rp::index_t{1} << 40}), rp::shape_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(wide | nn::dense{.units = rp::index_t{1} << 20}),
                       "dense: parameter w is 1099511627776x1048576; must have less than 2^57 values", rp::shape_error);
  CHECK(net.nodes().size() == 1);
  rp::graph small("batch");
  const rp::node y = small.input({65537}) | nn::relu{};
  CHECK_THROWS_AS(static_cast<void>(small.compile<float>(rp::reference, y, {.batch = rp::index_t{1} << 50})),
                  rp::shape_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(small.compile<float>(rp::reference, y, {.batch = 0})),
                       "compile: batch is 0; must be >= 1", rp::value_error);
}

TEST_CASE("rewiring keeps the graph acyclic and its shapes") {
  rp::graph net("rewired");
  const rp::node x = net.input({4});
  const rp::node a = x | nn::dense{.units = 4}, b = a | nn::dense{.units = 4}, c = b | nn::relu{};
  CHECK_THROWS_WITH_AS(net.rewire(a, 0, c), "rewire: relu_1 depends on dense_1; must not close a cycle",
                       rp::value_error);
  CHECK_THROWS_AS(net.rewire(a, 0, a), rp::value_error);
  CHECK_THROWS_AS(net.rewire(a, 1, x), rp::value_error);
  CHECK_THROWS_AS(net.rewire(c, 0, net.input({5})), rp::shape_error);
  CHECK_THROWS_AS(net.rewire(c, 0, rp::graph("other").input({4})), rp::value_error);

  net.rewire(c, 0, a);  // skips b
  auto session = net.compile<double>(rp::reference, c);
  CHECK(session.answering().made().parameters.size() == 2);
}

TEST_CASE("rewiring visits every value once, for any number of paths to it") {
  rp::graph net("residual");
  const rp::node x = net.input({4}), y = x | nn::relu{};
  rp::node sum = x;
  for (int i = 0; i < 60; ++i) sum = rp::add(sum, sum);  // 2^60 paths from x
  net.rewire(y, 0, sum);
  CHECK_THROWS_WITH_AS(net.rewire(sum, 0, y), doctest::Contains("must not close a cycle"), rp::value_error);
}
