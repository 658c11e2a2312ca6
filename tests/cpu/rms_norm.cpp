// SPDX-License-Identifier: MIT
#include <ridgepoint/cpu/normalisation.hpp>

#include "support/close.hpp"
#include "support/cpu_sizes.hpp"
#include "support/gradient.hpp"
#include "support/near.hpp"

namespace rp = ridgepoint;
using namespace agreement;

namespace {
struct rms_extents {
  index_t rows, channels;
};
/// Sizes around the lanes of a register, the row blocks and the summation blocks, and enough rows for several threads.
template <class T>
std::vector<rms_extents> rms_shapes() {
  const index_t lanes = tested::lanes<T>(), flush = 256 * lanes;
  std::vector<rms_extents> all{{0, 3}, {1, 1}, {5, 1}, {2, 3}, {257, 64}, {300, 4 * lanes}, {4000, 67}, {3, 40000}};
  for (const index_t channels : around(lanes))
    for (const index_t rows : {1, 2, 3, 4, 5, 9, 261})
      if (channels > 0) all.push_back({rows, channels});
  for (const index_t channels : {flush - 1, flush, flush + 1}) all.push_back({5, channels});
  return all;
}

/// With and without inverse, the second in place.
auto rms_forward(rms_extents e) {
  return [=](const auto& on, const auto& p, rp::step_state*) {
    using S = element_t<decltype(p)>;
    execute(on, rp::rms_norm_args<S>{{.epsilon = 0.25}, e.rows, e.channels, p[0], p[1], p[2], p[3]});
    execute(on, rp::rms_norm_args<S>{{}, e.rows, e.channels, p[4], p[1], p[4]});
  };
}
template <class T>
std::vector<operand> rms_forward_operands(rms_extents e) {
  const index_t all = e.rows * e.channels;
  return {random_values<T>(all, 1), random_values<T>(e.channels, 2), output(all), output(e.rows),
          random_values<T>(all, 4)};
}
/// With and without dx.
auto rms_backward(rms_extents e) {
  return [=](const auto& on, const auto& p, rp::step_state*) {
    using S = element_t<decltype(p)>;
    execute(on, rp::rms_norm_backward_args<S>{e.rows, e.channels, p[0], p[1], p[2], p[3], p[4], p[5]});
    execute(on, rp::rms_norm_backward_args<S>{e.rows, e.channels, p[0], p[1], p[2], p[3], nullptr, p[6]});
  };
}
template <class T>
std::vector<operand> rms_backward_operands(rms_extents e) {
  const index_t all = e.rows * e.channels, c = e.channels;
  return {random_values<T>(all, 1),
          random_values<T>(c, 2),
          random_values<T>(e.rows, 3, 0.5, 2),
          random_values<T>(all, 4),
          output(all),
          output(c),
          output(c)};
}
}  // namespace

TEST_CASE_TEMPLATE("root mean square normalisation agrees with its definition", T, float, double) {
  for (const rms_extents e : rms_shapes<T>()) {
    CAPTURE(e.rows);
    CAPTURE(e.channels);
    agree<T>(on_cpu, rms_forward_operands<T>(e), rms_forward(e));
    agree<T>(on_cpu, rms_backward_operands<T>(e), rms_backward(e));
  }
}

TEST_CASE_TEMPLATE("a NaN affects only its row, or its channel, of a root mean square normalisation", T, float,
                   double) {
  const rms_extents e{2 * rp::kernels::rows_together + 1, tested::lanes<T>() + 2};
  for (const std::size_t which : {0U, 1U}) agree_on_nan<T>(on_cpu, rms_forward_operands<T>(e), which, rms_forward(e));
  for (const std::size_t which : {0U, 1U, 2U, 3U})
    agree_on_nan<T>(on_cpu, rms_backward_operands<T>(e), which, rms_backward(e));
}

TEST_CASE("root mean square normalisation: every row has mean square 1, then gamma; its gradients") {
  const index_t rows = 5, c = tested::lanes<double>() + 3;
  const auto n = static_cast<std::size_t>(c);
  const double epsilon = 0.25;
  const auto on = on_cpu(1);
  rp::tensor<double> x({rows, c}, random_values<double>(rows * c, 1).values), y({rows, c}), dx = y;
  const rp::tensor<double> weight({rows, c}, random_values<double>(rows * c, 2).values);
  std::vector<double> gamma = random_values<double>(c, 3, 0.5, 2).values, inverse(5), dgamma(n);
  const rp::work forward = rp::rms_norm(on, x, gamma, y, inverse, {.epsilon = epsilon});
  const auto all = static_cast<std::uint64_t>(rows * c);
  CHECK((forward.flop == 4 * all + 10 && forward.special == 10));
  CHECK(forward.bytes == rp::traffic{.inputs = 8 * all, .weights = 8 * n, .outputs = 8 * (all + 5)});
  for (index_t i = 0; i < rows; ++i) {
    double squares = 0, normal = 0;
    for (index_t j = 0; j < c; ++j) squares += x[i * c + j] * x[i * c + j];
    for (index_t j = 0; j < c; ++j) normal += std::pow(y[i * c + j] / gamma[static_cast<std::size_t>(j)], 2);
    const double mean = squares / static_cast<double>(c);
    CHECK(inverse[static_cast<std::size_t>(i)] == near(1 / std::sqrt(mean + epsilon)));
    CHECK(normal / static_cast<double>(c) == near(mean / (mean + epsilon)));
  }
  const auto loss = [&] {
    rp::rms_norm(on, x, gamma, y, {}, {.epsilon = epsilon});
    double sum = 0;
    for (index_t i = 0; i < y.size(); ++i) sum += weight[i] * y[i];
    return sum;
  };
  const rp::work backward = rp::rms_norm_backward(on, x, gamma, inverse, weight, dx, dgamma);
  CHECK((backward.flop == 10 * all + 15 && backward.special == 0));
  check_gradient(x.values(), dx.values(), loss);
  check_gradient(gamma, dgamma, loss);
}

TEST_CASE_TEMPLATE("dx of a root mean square normalisation may be dy", T, float, double) {
  const rms_extents e{50, 6};
  std::vector<operand> operands = rms_backward_operands<T>(e);
  std::vector<std::vector<T>> v;
  for (const operand& o : operands) v.emplace_back(o.values.begin(), o.values.end());
  const auto run = [&](T* to) {
    execute(on_cpu(1), rp::rms_norm_backward_args<T>{e.rows, e.channels, v[0].data(), v[1].data(), v[2].data(),
                                                     v[3].data(), to, v[5].data()});
  };
  run(v[4].data());
  run(v[3].data());
  CHECK(v[3] == v[4]);
}

TEST_CASE_TEMPLATE("an infinite value makes all other values of its row 0", T, float, double) {
  for (const std::size_t where : {0U, 3U, 99U}) {
    std::vector<T> x(100, T(1)), y(100), gamma(100, T(1)), inverse(1);
    x[where] = std::numeric_limits<T>::infinity();
    execute(on_cpu(1), rp::rms_norm_args<T>{{}, 1, 100, x.data(), gamma.data(), y.data(), inverse.data()});
    CHECK(inverse[0] == T(0));
    CHECK(std::isnan(y[where]));
    CHECK(y[1] == T(0));
  }
}

TEST_CASE("rows whose squares overflow float have their root mean square as in the definition") {
  for (const rms_extents e : {rms_extents{1, 2}, {9, 5}, {3, 1000}, {300, 16}})
    for (const float large : {4e19F, 1e30F, 3e37F}) {
      CAPTURE(e.rows);
      CAPTURE(e.channels);
      CAPTURE(large);
      const auto size = static_cast<std::size_t>(e.rows * e.channels), n = static_cast<std::size_t>(e.channels);
      std::vector<float> x(size), dy(size), gamma(n, 2.0F);
      for (std::size_t i = 0; i < size; ++i) {  // with one row of ordinary numbers
        x[i] = static_cast<float>(1 + i % n * i % 5) / 5 * (i / n == 1 ? 1.0F : large);
        dy[i] = i % 7 < 3 ? 1.0F : -0.5F;
      }
      const auto run = [&](const auto& on) {
        std::vector<float> inverse(static_cast<std::size_t>(e.rows)), dgamma(n), y(size), dx = dy;
        execute(on, rp::rms_norm_args<float>{{}, e.rows, e.channels, x.data(), gamma.data(), y.data(), inverse.data()});
        execute(on, rp::rms_norm_backward_args<float>{e.rows, e.channels, x.data(), gamma.data(), inverse.data(),
                                                      dx.data(), dx.data(), dgamma.data()});
        for (std::size_t i = 0; i < size; ++i) dx[i] /= inverse[i / n];  // scaled to ordinary size
        return std::vector{inverse, dgamma, y, dx};
      };
      const auto got = run(on_cpu(2)), want = run(rp::reference);
      for (std::size_t v = 0; v < got.size(); ++v) {
        CAPTURE(v);
        check_close(got[v], want[v], 2e-5, v >= 1 ? 1e-3 : 0);
      }
    }
}

TEST_CASE("root mean square normalisation refuses bad input, and writes nothing") {
  const rp::tensor<float> x({2, 3, 4});
  rp::tensor<float> y({2, 3, 4}), other({2, 4, 3});
  std::vector<float> six(6), four(4), three(3);
  const auto refused = [&](const char* message, const auto& run) {
    std::fill(y.begin(), y.end(), 7.0F);
    CHECK_THROWS_WITH_AS(run(), message, rp::shape_error);
    CHECK(std::count(y.begin(), y.end(), 7.0F) == y.size());
  };
  const auto on = on_cpu(1);
  refused("rms_norm: gamma has 3 elements; must have 4", [&] { rp::rms_norm(on, x, three, y); });
  refused("rms_norm: y is 2x4x3; must be 2x3x4", [&] { rp::rms_norm(on, x, four, other); });
  refused("rms_norm: inverse is 4; must be 6", [&] { rp::rms_norm(on, x, four, y, four); });
  refused("rms_norm: x is 2x0; must have a channel", [&] {
    rp::run(on, rp::rms_norm_args<float>{.rows = 2, .x = x.data(), .gamma = four.data(), .y = y.data()});
  });
  refused("rms_norm: x is 6x4 at a null pointer; must point to its elements", [&] {
    rp::run(on, rp::rms_norm_args<float>{.rows = 6, .channels = 4, .gamma = four.data(), .y = y.data()});
  });
  refused("rms_norm_backward: inverse has 4 elements; must have 6",
          [&] { rp::rms_norm_backward(on, x, four, four, x, y, four); });
  for (const double epsilon : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()})
    CHECK_THROWS_AS(rp::rms_norm(on, x, four, y, {}, {.epsilon = epsilon}), rp::value_error);
  CHECK(std::count(y.begin(), y.end(), 7.0F) == y.size());
  rp::rms_norm(on, x, four, y, six);
  CHECK(std::count(y.begin(), y.end(), 0.0F) == y.size());
}

TEST_CASE("the example of root mean square normalisation") {
  const auto on = on_cpu(1);
  const std::vector<float> gamma{1, 1};
  // example rms_norm
  // gamma: std::vector<float> of 2 channels
  const rp::tensor<float> x({2, 2}, {3, 3, 6, 8});
  rp::tensor<float> y({2, 2}), dx({2, 2}), inverse({2}), dgamma({2});
  rp::rms_norm(on, x, gamma, y, inverse, {.epsilon = 14});
  rp::rms_norm_backward(on, x, gamma, inverse, y, dx, dgamma);
  // inverse is {1/√(9 + 14), 1/√(50 + 14)}
  // end of example
  CHECK(inverse[1] == 0.125F);
  CHECK((y[2] == 0.75F && y[3] == 1));
}
