// SPDX-License-Identifier: MIT
// expect: not a layer of one input: must have a name, output\(shape\), forward\(\) and backward\(\)
#include <ridgepoint/graph/graph.hpp>

namespace rp = ridgepoint;

struct half {
  static constexpr std::string_view name = "half";
  [[nodiscard]] rp::shape output(const rp::shape& in) const { return in; }
#ifdef FIXED
  void forward(rp::lowering&) const {}
#endif
  void backward(rp::lowering&) const {}
};

int main() {
  rp::graph net("net");
#ifdef FIXED
  const rp::node y = net.input({4}) | half{};
#else
  const rp::node y = net.input({4}) | half{};
#endif
  return static_cast<int>(y.extents().size()) - 4;
}
