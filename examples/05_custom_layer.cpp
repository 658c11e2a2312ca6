// SPDX-License-Identifier: MIT
// A layer of your own, without touching the library: an op with its cost, its kernels, and a layer that emits it.
#include <cmath>
#include <iostream>

#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/trainer.hpp>
#include <ridgepoint/reference/all.hpp>

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

namespace mine {

/// The op: y = x·sigmoid(x), or with dy its derivative times dy.
template <rp::scalar T>
struct swish_args {
  static constexpr std::string_view name = "swish";
  rp::index_t size = 0;
  const T* x = nullptr;
  const T* dy = nullptr;  // null: forward
  T* y = nullptr;
};
/// Its operands, found by argument-dependent lookup: they determine checks, bytes, and the memory that a call accesses.
template <rp::scalar T>
auto operands(const swish_args<T>& a) {
  return std::array{rp::operand::input("x", a.x, a.size), rp::operand::input("dy", a.dy, a.size).optional(),
                    rp::operand::output("y", a.y, a.size)};
}
/// Its receipt.
template <rp::scalar T>
rp::work receipt(const swish_args<T>& a) {
  const auto n = static_cast<std::uint64_t>(a.size);
  return {.flop = (a.dy == nullptr ? 1 : 5) * n, .special = n, .bytes = rp::traffic_of(operands(a))};
}
/// Its kernel on one backend; one overload for each backend it should run on.
template <rp::scalar T>
void execute(const rp::reference_backend&, const swish_args<T>& a) {
  for (rp::index_t i = 0; i < a.size; ++i) {
    const T s = T(1) / (T(1) + std::exp(-a.x[i]));
    a.y[i] = a.dy == nullptr ? a.x[i] * s : a.dy[i] * (s + a.x[i] * s * (T(1) - s));
  }
}

/// The layer: a name, a shape, and how its passes become calls.
struct swish {
  static constexpr std::string_view name = "swish";
  [[nodiscard]] rp::shape output(const rp::shape& in) const { return in; }

  void forward(rp::lowering& to) const {
    const auto x = to.input(), y = to.output();
    to.add_call({.shape = to_string(to.output_shape())}, [=, n = to.output_shape().size()](const rp::addresses& at) {
      return swish_args<rp::stored>{.size = n, .x = at(x), .y = at(y)};
    });
  }
  void backward(rp::lowering& to) const {
    if (!to.needs_input_gradient()) return;
    const auto x = to.input(), dy = to.output_gradient(), dx = to.input_gradient();
    to.add_call({.shape = to_string(to.output_shape())}, [=, n = to.output_shape().size()](const rp::addresses& at) {
      return swish_args<rp::stored>{.size = n, .x = at(x), .dy = at(dy), .y = at(dx)};
    });
  }
};

}  // namespace mine

int main() {
  rp::graph net("xor");
  const rp::node y = net.input({2}) | nn::dense{.units = 8} | mine::swish{} | nn::dense{.units = 1};
  using own_ops = rp::type_list<mine::swish_args<double>>;  // ops missing from the library's list
  auto trainer = net.train<double>(rp::reference, y, nn::mse{}, nn::adam{.learning_rate = 0.02},
                                   {.batch = 4, .seed = 1}, own_ops{});

  const double x[] = {0, 0, 0, 1, 1, 0, 1, 1}, target[] = {0, 1, 1, 0};
  double loss = 0;
  for (int step = 0; step < 1000; ++step) loss = trainer.step(x, target);
  for (const rp::planned_call& call : trainer.plan().calls)
    if (call.info.layer == "swish_1")
      std::cout << to_string(*call.op) << "  " << to_string(call.info.pass) << "  " << call.info.receipt.flop
                << " FLOP\n";
  std::cout << "loss " << loss << '\n';
  return loss < 1e-3 ? 0 : 1;
}

// Prints:
//   swish<double>  forward  32 FLOP
//   swish<double>  backward-data  160 FLOP
//   loss 3.85186e-34
