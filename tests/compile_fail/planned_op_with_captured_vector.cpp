// SPDX-License-Identifier: MIT
// expect: make\(\) of a planned op captures only slots and numbers, by value
#include <vector>

#include <ridgepoint/graph/plan_builder.hpp>
#include <ridgepoint/ops/add.hpp>

namespace rp = ridgepoint;

int main() {
  rp::plan_builder builder;
  const auto x = builder.reserve<float>(rp::memory_region::batch, 4, "x");
  const auto y = builder.reserve<float>(rp::memory_region::batch, 4, "y");
  const std::vector<rp::index_t> sizes{4};
#ifdef FIXED
  const rp::index_t size = sizes[0];
#else
  const auto& size = sizes;
#endif
  builder.add_call({.layer = "twice"}, [=](const rp::addresses& at) {
#ifdef FIXED
    return rp::add_args<rp::stored>{.size = size, .a = at(x), .b = at(x), .y = at(y)};
#else
    return rp::add_args<rp::stored>{.size = size[0], .a = at(x), .b = at(x), .y = at(y)};
#endif
  });
}
