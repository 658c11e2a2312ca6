// SPDX-License-Identifier: MIT
#include <ridgepoint/graph/graph_passes.hpp>

#include <doctest/doctest.h>

#include <ridgepoint/graph/layers.hpp>

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

TEST_CASE("nodes come after their inputs, and unused nodes are omitted") {
  rp::graph net("order");
  const rp::node x = net.input({4}), left = x | nn::relu{}, other = x | nn::dense{.units = 3},
                 both = rp::add(left, x | nn::relu{}), last = rp::add(both, left);  // 0 1 2 4 3 5
  const auto number = [&](const rp::node& n) { return net.index_of(n); };
  const auto [sorted, uses] = rp::detail::order_of(net, {number(last), number(left)});
  CHECK(sorted.size() == 5);
  const auto place = [&sorted = sorted](int v) { return std::find(sorted.begin(), sorted.end(), v) - sorted.begin(); };
  for (const int v : sorted)
    for (const int in : net.nodes()[static_cast<std::size_t>(v)].inputs) CHECK(place(in) < place(v));
  CHECK(uses[static_cast<std::size_t>(number(left))] == 3);  // by two sums, and as an output
  CHECK(uses[static_cast<std::size_t>(number(x))] == 2);
  CHECK(uses[static_cast<std::size_t>(number(other))] == 0);
  CHECK(uses[static_cast<std::size_t>(number(last))] == 1);
}

TEST_CASE("a node's first input comes first, with all its dependencies, in any order of creation") {
  rp::graph net("turned");
  const rp::node x = net.input({4}), late = x | nn::relu{}, early = x | nn::tanh{} | nn::relu{},
                 sum = rp::add(early, late), last = rp::add(sum, late);
  const std::vector<int> made_second_first{0, 2, 3, 1, 4, 5};
  const auto number = [&](const rp::node& n) { return net.index_of(n); };
  REQUIRE(number(late) == 1);
  REQUIRE(number(early) == 3);
  CHECK(rp::detail::order_of(net, {number(last)}).sorted == made_second_first);
  CHECK(rp::detail::order_of(net, {number(late), number(last)}).sorted == std::vector<int>{0, 1, 2, 3, 4, 5});
}

TEST_CASE("a node's uses count every read and output, also two reads by one node") {
  rp::graph net("twice");
  const rp::node x = net.input({4}), y = x | nn::relu{}, both = rp::add(y, y);
  const auto [sorted, uses] = rp::detail::order_of(net, {net.index_of(both), net.index_of(y), net.index_of(y)});
  CHECK(sorted == std::vector<int>{0, 1, 2});
  CHECK(uses == std::vector<int>{1, 4, 1});
}

TEST_CASE("a deep graph is ordered without a deep stack") {
  rp::graph net("deep");
  rp::node y = net.input({1});
  for (int i = 0; i < 30'000; ++i) y = y | nn::relu{};
  const auto [sorted, uses] = rp::detail::order_of(net, {net.index_of(y)});
  CHECK(sorted.size() == 30'001);
  CHECK(sorted.back() == net.index_of(y));
}
