// SPDX-License-Identifier: MIT
#include <ridgepoint/cpu/normalisation.hpp>

#include "support/close.hpp"
#include "support/cpu_sizes.hpp"

namespace rp = ridgepoint;
using namespace agreement;

namespace {
struct layer_extents {
  index_t rows, channels;
};
/// Sizes around the lanes of a register, the row blocks and the summation blocks, and enough rows for several threads.
template <class T>
std::vector<layer_extents> layer_shapes() {
  const index_t lanes = tested::lanes<T>(), flush = 256 * lanes;
  std::vector<layer_extents> all{{0, 3}, {1, 1}, {5, 1}, {2, 3}, {257, 64}, {300, 4 * lanes}, {4000, 67}, {3, 40000}};
  for (const index_t channels : around(lanes))
    for (const index_t rows : {1, 2, 3, 4, 5, 9, 261})
      if (channels > 0) all.push_back({rows, channels});
  for (const index_t channels : {flush - 1, flush, flush + 1}) all.push_back({5, channels});
  return all;
}

auto forward(layer_extents e, const rp::layer_norm_options& options = {}) {
  return [=](const auto& on, const auto& p, rp::step_state*) {
    using S = element_t<decltype(p)>;
    execute(on, rp::layer_norm_args<S>{options, e.rows, e.channels, p[0], p[1], p[2], p[3], p[4], p[5]});
    execute(on, rp::layer_norm_args<S>{options, e.rows, e.channels, p[6], p[1], p[2], p[6]});
  };
}
template <class T>
std::vector<operand> forward_operands(layer_extents e) {
  const index_t all = e.rows * e.channels;
  return {random_values<T>(all, 1),
          random_values<T>(e.channels, 2),
          random_values<T>(e.channels, 3),
          output(all),
          output(e.rows),
          output(e.rows),
          random_values<T>(all, 4)};
}
auto backward(layer_extents e) {
  return [=](const auto& on, const auto& p, rp::step_state*) {
    using S = element_t<decltype(p)>;
    execute(on, rp::layer_norm_backward_args<S>{e.rows, e.channels, p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]});
    execute(on, rp::layer_norm_backward_args<S>{e.rows, e.channels, p[0], p[1], p[2], p[3], p[4], nullptr, p[8], p[9]});
  };
}
template <class T>
std::vector<operand> backward_operands(layer_extents e) {
  const index_t all = e.rows * e.channels, c = e.channels;
  return {random_values<T>(all, 1),
          random_values<T>(c, 2),
          random_values<T>(e.rows, 3, -0.1, 0.1),
          random_values<T>(e.rows, 4, 0.5, 2),
          random_values<T>(all, 5),
          output(all),
          output(c),
          output(c),
          output(c),
          output(c)};
}
}  // namespace

TEST_CASE_TEMPLATE("layer normalisation agrees with its definition", T, float, double) {
  for (const layer_extents e : layer_shapes<T>()) {
    CAPTURE(e.rows);
    CAPTURE(e.channels);
    agree<T>(on_cpu, forward_operands<T>(e), forward(e));
    agree<T>(on_cpu, backward_operands<T>(e), backward(e));
  }
}

TEST_CASE_TEMPLATE("a NaN affects only its row, or its channel", T, float, double) {
  const layer_extents e{2 * rp::kernels::rows_together + 1, tested::lanes<T>() + 2};
  agree_on_nan<T>(on_cpu, forward_operands<T>(e), 0, forward(e));
  agree_on_nan<T>(on_cpu, forward_operands<T>(e), 1, forward(e));
  for (const std::size_t which : {0U, 1U, 2U, 3U, 4U})
    agree_on_nan<T>(on_cpu, backward_operands<T>(e), which, backward(e));
}

TEST_CASE_TEMPLATE("a mean far from zero does not reduce the precision of the variance, wherever the row varies", T,
                   float, double) {
  const T offset = sizeof(T) == 4 ? T(4096) : T(1 << 30);
  for (const index_t channels : {40, 5000})
    for (const bool late : {false, true}) {  // the first channels, whose mean is the first centre, carry no information
      const layer_extents e{5, channels};
      CAPTURE(channels);
      CAPTURE(late);
      const operand random = random_values<T>(e.rows * channels, 1, -1, 1);
      std::vector<T> x, y(random.values.size());
      for (std::size_t i = 0; i < y.size(); ++i)
        x.push_back(late && static_cast<index_t>(i) % channels < 16 ? T(0) : static_cast<T>(random.values[i]) + offset);
      const std::vector<T> gamma(static_cast<std::size_t>(channels), T(1)), beta(gamma.size());
      std::vector<T> mean(5), inverse(5);
      execute(on_cpu(1), rp::layer_norm_args<T>{{.epsilon = 1e-12},
                                                e.rows,
                                                channels,
                                                x.data(),
                                                gamma.data(),
                                                beta.data(),
                                                y.data(),
                                                mean.data(),
                                                inverse.data()});
      const double u = std::numeric_limits<T>::epsilon() / 2;
      for (std::size_t row = 0; row < 5; ++row) {  // two passes in long double over the values minus the offset
        const auto beyond = [&](index_t c) {
          return static_cast<long double>(x[row * gamma.size() + static_cast<std::size_t>(c)]) - offset;
        };
        long double sum = 0, squares = 0;
        for (index_t c = 0; c < channels; ++c) sum += beyond(c);
        const long double exact = sum / channels;
        for (index_t c = 0; c < channels; ++c) squares += (beyond(c) - exact) * (beyond(c) - exact);
        const long double scale = 1 / std::sqrt(squares / channels + 1e-12L);
        long double worst = 0;
        for (index_t c = 0; c < channels; ++c) {
          const long double want = (beyond(c) - exact) * scale;
          const auto got = static_cast<long double>(y[row * gamma.size() + static_cast<std::size_t>(c)]);
          worst = std::max(worst, std::abs(got - want) / (1 + std::abs(want)));
        }
        CHECK(std::abs(static_cast<double>(mean[row] - offset - exact)) <= 1.01 * u * static_cast<double>(offset));
        CHECK(std::abs(static_cast<double>(inverse[row] / scale - 1)) <= 64 * u);
        CHECK(static_cast<double>(worst) <= 128 * u);
      }
    }
}

TEST_CASE_TEMPLATE("an infinite value makes a row's mean infinite and its deviation NaN", T, float, double) {
  const T infinity = std::numeric_limits<T>::infinity();
  for (const std::size_t where : {0U, 3U, 99U}) {
    std::vector<T> x(100, T(1)), y(100), gamma(100, T(1)), beta(100), mean(1), inverse(1);
    x[where] = infinity;
    execute(on_cpu(1), rp::layer_norm_args<T>{
                           {}, 1, 100, x.data(), gamma.data(), beta.data(), y.data(), mean.data(), inverse.data()});
    CHECK(mean[0] == infinity);
    CHECK(std::isnan(inverse[0]));
    CHECK(std::isnan(y[1]));
  }
}

TEST_CASE_TEMPLATE("dx may be dy, and a constant row gives beta", T, float, double) {
  const layer_extents e{50, 6};
  const auto n = static_cast<std::size_t>(e.rows * e.channels);
  std::vector<T> x(n, T(0.1)), y(n, T(-1)), gamma(6, T(3)), beta(6, T(0.25)), mean(50), inverse(50);
  execute(on_cpu(1),
          rp::layer_norm_args<T>{
              {}, e.rows, e.channels, x.data(), gamma.data(), beta.data(), y.data(), mean.data(), inverse.data()});
  for (const T value : y) CHECK(std::abs(static_cast<double>(value) - 0.25) <= 1e-5);
  std::vector<T> dy(n), dx(n), dgamma(6), dbeta(6);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<T>(i % 17), dy[i] = static_cast<T>(i % 5);
  const auto backwards = [&](T* to) {
    execute(on_cpu(1), rp::layer_norm_backward_args<T>{e.rows, e.channels, x.data(), gamma.data(), mean.data(),
                                                       inverse.data(), dy.data(), to, dgamma.data(), dbeta.data()});
  };
  backwards(dx.data());
  backwards(dy.data());
  CHECK(dx == dy);
}

TEST_CASE("rows whose squares overflow float are normalised as in the definition") {
  for (const layer_extents e : {layer_extents{1, 2}, {9, 5}, {3, 1000}, {300, 16}})
    for (const float large : {4e19F, 1e30F, 3e37F}) {
      CAPTURE(e.rows);
      CAPTURE(e.channels);
      CAPTURE(large);
      const auto size = static_cast<std::size_t>(e.rows * e.channels), n = static_cast<std::size_t>(e.channels);
      std::vector<float> x(size), dy(size), gamma(n, 2.0F), beta(n, 0.5F);
      for (std::size_t i = 0; i < size; ++i) {  // with one row of ordinary numbers
        x[i] = static_cast<float>(i % n * i % 5) * (i / n == 1 ? 1.0F : large);
        dy[i] = i % 7 < 3 ? 1.0F : -0.5F;
      }
      const auto run = [&](const auto& on) {
        std::vector<std::vector<float>> of(6);
        auto &mean = of[0], &inverse = of[1], &dgamma = of[2], &dbeta = of[3], &y = of[4], &dx = of[5];
        mean.resize(static_cast<std::size_t>(e.rows)), inverse = mean;
        dgamma.resize(n), dbeta = dgamma, y.resize(size), dx = dy;
        execute(
            on,
            rp::layer_norm_args<float>{
                {}, e.rows, e.channels, x.data(), gamma.data(), beta.data(), y.data(), mean.data(), inverse.data()});
        execute(on,
                rp::layer_norm_backward_args<float>{e.rows, e.channels, x.data(), gamma.data(), mean.data(),
                                                    inverse.data(), dx.data(), dx.data(), dgamma.data(), dbeta.data()});
        for (std::size_t i = 0; i < size; ++i) dx[i] /= inverse[i / n];  // scaled to ordinary size
        return of;
      };
      const auto got = run(on_cpu(2)), want = run(rp::reference);
      for (std::size_t v = 0; v < got.size(); ++v) {
        CAPTURE(v);
        check_close(got[v], want[v], 2e-5, v >= 2 ? 1e-3 : 0);
      }
    }
}
