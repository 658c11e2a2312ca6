// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include <ridgepoint/graph/session.hpp>
#include <ridgepoint/reference/all.hpp>

#include "support/planned_arguments.hpp"
#include "toy.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

namespace mine {

/// y = 2·x, an op of this test.
template <rp::scalar T>
struct twice_args {
  static constexpr std::string_view name = "twice";
  rp::index_t size = 0;
  const T* x = nullptr;
  T* y = nullptr;
};
template <rp::scalar T>
constexpr auto operands(const twice_args<T>& a) {
  return std::array{rp::operand::input("x", a.x, a.size), rp::operand::output("y", a.y, a.size)};
}
template <rp::scalar T>
constexpr rp::work receipt(const twice_args<T>& a) {
  return {.flop = static_cast<std::uint64_t>(a.size)};
}
template <rp::scalar T>
void execute(const rp::reference_backend&, const twice_args<T>& a) {
  for (rp::index_t i = 0; i < a.size; ++i) a.y[i] = 2 * a.x[i];
}

/// A layer of that op.
struct twice {
  static constexpr std::string_view name = "twice";
  [[nodiscard]] rp::shape output(const rp::shape& in) const { return in; }
  void forward(rp::lowering& to) const { add_call(to, to.input(), to.output()); }
  void backward(rp::lowering& to) const {
    if (to.needs_input_gradient()) add_call(to, to.output_gradient(), to.input_gradient());
  }

 private:
  static void add_call(rp::lowering& to, rp::slot src, rp::slot dst) {
    to.add_call({}, [=, n = to.output_shape().size()](const rp::addresses& at) {
      return twice_args<rp::stored>{.size = n, .x = at(src), .y = at(dst)};
    });
  }
};

/// Never writes its output.
struct silent {
  static constexpr std::string_view name = "silent";
  [[nodiscard]] rp::shape output(const rp::shape& in) const { return in; }
  void forward(rp::lowering&) const {}
  void backward(rp::lowering&) const {}
};

/// A backend that supports only gemm.
struct poor : rp::host_memory {
  static std::string name() { return "poor"; }
};
template <rp::scalar T>
void execute(const poor&, const rp::gemm_args<T>& args) {
  execute(rp::reference, args);
}

/// A backend that prepares gemm, with a workspace as large as C and B negated as a constant; counts its calls.
struct careful : rp::host_memory {
  struct counts {
    int prepared = 0, made = 0, run = 0;
  };
  counts* seen;
  static std::string name() { return "careful"; }
};
struct careful_gemm {
  rp::preparation info;
};
careful_gemm prepare(const careful& on, const rp::gemm_args<float>& g, const rp::prepare_options& given) {
  ++on.seen->prepared;
  const auto bytes = [](const auto& v) { return static_cast<std::size_t>(v.rows * v.cols) * sizeof(float); };
  const auto* const first = static_cast<const float*>(given.constant);
  const bool constant = g.b.data >= first && g.b.data < first + given.constant_bytes / sizeof(float);
  return {{.algorithm = "careful", .workspace_bytes = bytes(g.c), .constant_bytes = constant ? bytes(g.b) : 0}};
}
void make_constants(const careful& on, const careful_gemm&, const rp::gemm_args<float>& g, void* to) {
  ++on.seen->made;
  for (rp::index_t i = 0; i < g.b.rows * g.b.cols; ++i) static_cast<float*>(to)[i] = -g.b.data[i];
}
void execute(const careful& on, const careful_gemm& made, const rp::gemm_args<float>& g,
             const rp::call_memory& memory) {
  ++on.seen->run;
  rp::gemm_args<float> into = g;
  into.c.data = static_cast<float*>(memory.workspace);
  if (made.info.constant_bytes != 0) into.b.data = static_cast<const float*>(memory.constants);
  execute(rp::reference, into);
  on.copy(g.c.data, memory.workspace, made.info.workspace_bytes);
}

/// y = x·w by gemm, with `units` columns.
struct product {
  static constexpr std::string_view name = "product";
  rp::index_t units = 1;
  [[nodiscard]] rp::shape output(const rp::shape&) const { return {units}; }
  [[nodiscard]] std::vector<rp::parameter> parameters(const rp::shape& in) const {
    return {{.name = "w", .extents = {in[-1], units}, .initial = nn::ones}};
  }
  void forward(rp::lowering& to) const {
    const auto x = to.input(), w = to.parameter(0), y = to.output();
    to.add_call({}, [=, m = to.batch(), k = to.input_shape()[-1], n = units](const rp::addresses& at) {
      return rp::gemm_args<float>{.a = {at(x), m, k}, .b = {at(w), k, n}, .c = {at(y), m, n}};
    });
  }
  void backward(rp::lowering&) const {}
};

}  // namespace mine

using mine_ops = rp::type_list<mine::twice_args<float>, mine::twice_args<double>>;

TEST_CASE("a layer and its op from outside the library run like any other") {
  rp::graph net("custom");
  const rp::node y = net.input({3}) | mine::twice{} | nn::relu{};
  const auto session = net.compile<float>(rp::reference, y, {.batch = 2}, mine_ops{});
  const float x[] = {1, -2, 3, 4, 5, -6};
  float out[6];
  session.run(x, out);
  CHECK(out[0] == 2);
  CHECK(out[1] == 0);
  CHECK(out[4] == 10);
  CHECK(session.plan().calls[0].info.receipt.flop == 6);
  CHECK(session.plan().calls[0].info.layer == "twice_1");
}

TEST_CASE("a network with such a layer learns") {
  rp::graph net("custom");
  const rp::node y = net.input({6}) | nn::dense{.units = 8} | mine::twice{} | nn::tanh{} | nn::dense{.units = 3};
  auto trainer = net.train<double>(rp::reference, y, nn::softmax_cross_entropy{}, nn::adam{.learning_rate = 0.01},
                                   {.batch = 30, .seed = 1}, mine_ops{});
  const toy::corners data;
  const double before = trainer.evaluate(data).loss;
  trainer.fit(data, {.epochs = 5});
  CHECK(trainer.evaluate(data).loss < 0.8 * before);
}

TEST_CASE("a missing op is reported when the graph is compiled, with the op and the layer") {
  rp::graph net("unsupported");
  const rp::node x = net.input({3});
  CHECK_THROWS_WITH_AS(static_cast<void>(net.compile<float>(mine::poor{}, x | nn::dense{.units = 2})),
                       "poor has no dense<float> (layer dense_1)", rp::unsupported);
  CHECK_THROWS_WITH_AS(static_cast<void>(net.compile<float>(rp::reference, x | mine::twice{})),
                       "reference has no twice<float> (layer twice_1)", rp::unsupported);
}

TEST_CASE("calls are prepared once, share one workspace, and recompute constants when parameters change") {
  mine::careful::counts seen;
  rp::graph net("careful");
  const rp::node y = net.input({3}) | mine::product{.units = 40} | mine::product{.units = 2};
  auto session = net.compile<float>(mine::careful{{}, &seen}, y, {.batch = 5});
  const auto& program = session.answering().program();
  CHECK(seen.prepared == 2);
  CHECK(seen.made == 2);
  CHECK(program.info(1).algorithm == std::string_view("careful"));
  CHECK(program.workspace_bytes() == 5 * 40 * sizeof(float));
  CHECK(program.constant_bytes() == 512 + 320);  // 3x40 and 40x2 values, each on a boundary
  const std::vector<float> x(15, 1.0F);
  std::vector<float> out(10);
  const auto answers = [&](float value) {
    session.run(x, out);
    CHECK(std::count(out.begin(), out.end(), value) == 10);
  };
  answers(120);  // 3·40 products of (−1)·(−1)
  answers(120);
  session.set_parameter("product_2.w", std::vector<float>(80, 0.5F));
  answers(60);
  const rp::program shared(mine::careful{{}, &seen}, rp::plan_inference(net, y, {.batch = 5}).plan,
                           rp::all_ops<float>{}, program.parameters());
  CHECK(shared.constant_bytes() == 0);  // shared parameters may change
  seen.prepared -= 2;
  CHECK(seen.prepared == 2);
  CHECK(seen.made == 4);
  CHECK(seen.run == 6);
}

TEST_CASE("the workspace fits the call that needs most, first or last") {
  const auto workspace_of = [](rp::index_t first, rp::index_t last) {
    mine::careful::counts seen;
    rp::graph net("two products");
    const rp::node y = net.input({3}) | mine::product{.units = first} | mine::product{.units = last};
    return net.compile<float>(mine::careful{{}, &seen}, y, {.batch = 5}).answering().program().workspace_bytes();
  };
  CHECK(workspace_of(40, 2) == 5 * 40 * sizeof(float));
  CHECK(workspace_of(2, 40) == 5 * 40 * sizeof(float));
}

TEST_CASE("a layer that never writes its output is refused") {
  rp::graph net("silent");
  const rp::node y = net.input({3}) | mine::silent{};
  CHECK_THROWS_WITH_AS(static_cast<void>(net.compile<float>(rp::reference, y)),
                       doctest::Contains("silent_1: forward() has no output"), rp::value_error);
}
TEST_CASE("a convolution uses its layer's algorithm, in every pass") {
  for (const rp::conv_algorithm requested :
       {rp::conv_algorithm::winograd_4x4, rp::conv_algorithm::patches, rp::conv_algorithm::segments}) {
    rp::graph net("requested");
    const nn::conv2d layer{.filters = 4, .kernel = 3, .padding = nn::same, .algorithm = requested};
    const rp::node y = net.input({9, 9, 3}) | layer | nn::relu{} | layer;
    const rp::plan steps = rp::plan_training(net, y | nn::flatten{} | nn::dense{.units = 2},
                                             nn::softmax_cross_entropy{}, nn::sgd{}, {.batch = 2})
                               .plan;
    const auto convolutions = [&]<class Args>(const std::vector<Args>& calls) {
      for (const Args& call : calls) CHECK(call.algorithm == requested);
      return calls.size();
    };
    CHECK(convolutions(planned_arguments<rp::conv2d_args<float>>(steps)) == 2);
    CHECK(convolutions(planned_arguments<rp::conv2d_backward_data_args<float>>(steps)) == 1);
    CHECK(convolutions(planned_arguments<rp::conv2d_backward_weights_args<float>>(steps)) == 2);
  }
}
TEST_CASE("convolutions without an algorithm use that of the network's options, where possible") {
  using enum rp::conv_algorithm;
  rp::graph net("requested");
  const nn::conv2d layer{.filters = 4, .kernel = 3, .padding = nn::same};
  const nn::conv2d own{.filters = 4, .kernel = 3, .algorithm = segments};
  const rp::node y = net.input({9, 9, 4}) | layer | nn::conv2d{.filters = 4, .kernel = 1} | own;
  const auto algorithms = [&](rp::conv_algorithm requested) {
    const rp::plan steps = rp::plan_inference(net, y, {.convolution = requested}).plan;
    std::vector<rp::conv_algorithm> all;
    for (const auto& call : planned_arguments<rp::conv2d_args<float>>(steps)) all.push_back(call.algorithm);
    return all;
  };
  CHECK((algorithms(winograd_4x4) == std::vector{winograd_4x4, automatic, segments}));
  CHECK((algorithms(patches) == std::vector{patches, patches, segments}));
}
