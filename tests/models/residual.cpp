// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/models/residual.hpp>

#include "counts.hpp"
#include "graph/slope.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;
using rp::models::residual;

namespace {
/// Block of 4 channels on an input of 2 channels; halves the map.
enum class kind { basic, bottleneck };
rp::node halved(rp::graph& net, const residual& parts, kind of) {
  const rp::node x = net.input({6, 5, 2});
  return of == kind::basic ? parts.basic_block(x, parts.projection(x, 4, 2), 4, 2)
                           : parts.bottleneck_block(x, parts.projection(x, 8, 2), 4, 2);
}
}  // namespace

TEST_CASE("residual blocks halve a map like their shortcuts; a bottleneck has the width of its shortcut") {
  rp::graph net("blocks");
  CHECK(halved(net, {}, kind::basic).extents() == rp::shape{3, 3, 4});
  CHECK(halved(net, {}, kind::bottleneck).extents() == rp::shape{3, 3, 8});
}

TEST_CASE("the gradient of residual blocks matches finite differences, with and without a projection") {
  constexpr std::int32_t labels[] = {2, 0, 1, 1, 2};
  for (const kind of : {kind::basic, kind::bottleneck}) {
    rp::graph net("blocks");
    const residual parts;
    rp::node y = halved(net, parts, of);
    y = of == kind::basic ? parts.basic_block(y, y, 4, 1) : parts.bottleneck_block(y, y, 4, 1);
    CHECK(slope::worst_slope(net, y | nn::global_avg_pool{} | nn::dense{.units = 3}, nn::softmax_cross_entropy{},
                             labels, 5 * 6 * 5 * 2) < 1e-6);
  }
}

TEST_CASE("a block whose last normalisation starts at zero equals its shortcut followed by ReLU") {
  rp::graph net("blocks");
  const rp::node x = net.input({4, 4, 2});
  const residual parts{.last_gamma = nn::zeros};
  auto block = net.compile<double>(rp::reference, parts.basic_block(x, x, 2, 1), {.batch = 1, .seed = 3});
  const std::vector<double> values = slope::random_values(4 * 4 * 2, 1);
  std::vector<double> wanted(values.size()), made(values.size());
  std::ranges::transform(values, wanted.begin(), [](double v) { return std::max(v, 0.0); });
  block.run(values, made);
  CHECK(made == wanted);
}
