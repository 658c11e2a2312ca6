// SPDX-License-Identifier: MIT
#include <ridgepoint/graph/node_order.hpp>

#include <doctest/doctest.h>

#include <ridgepoint/graph/layers.hpp>

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

TEST_CASE("nodes come after what they read, and others not at all") {
  rp::graph net("order");
  const rp::node x = net.input({4}), left = x | nn::relu{}, other = x | nn::dense{.units = 3},
                 both = rp::add(left, x | nn::relu{}), last = rp::add(both, left);  // 0 1 2 4 3 5
  const auto number = [&](const rp::node& n) { return net.index_of(n); };
  const auto [sorted, uses] = rp::detail::order_of(net, {number(last), number(left)});
  CHECK(sorted.size() == 5);
  const auto place = [&sorted = sorted](int v) { return std::find(sorted.begin(), sorted.end(), v) - sorted.begin(); };
  for (const int v : sorted)
    for (const int in : net.nodes()[static_cast<std::size_t>(v)].inputs) CHECK(place(in) < place(v));
  CHECK(uses[static_cast<std::size_t>(number(left))] == 3);  // by two sums, and from outside
  CHECK(uses[static_cast<std::size_t>(number(x))] == 2);
  CHECK(uses[static_cast<std::size_t>(number(other))] == 0);
  CHECK(uses[static_cast<std::size_t>(number(last))] == 1);
}

TEST_CASE("a deep graph is ordered without a deep stack") {
  rp::graph net("deep");
  rp::node y = net.input({1});
  for (int i = 0; i < 30'000; ++i) y = y | nn::relu{};
  const auto [sorted, uses] = rp::detail::order_of(net, {net.index_of(y)});
  CHECK(sorted.size() == 30'001);
  CHECK(sorted.back() == net.index_of(y));
}
