// SPDX-License-Identifier: MIT
#include <ridgepoint/cpu/normalisation.hpp>

#include "support/close.hpp"
#include "support/cpu_sizes.hpp"

namespace rp = ridgepoint;
using namespace agreement;

namespace {
struct extents {
  index_t rows, channels;
};
/// Sizes around the lanes of a register, the row blocks and the summation blocks, and enough rows for several threads.
template <class T>
std::vector<extents> shapes() {
  const index_t lanes = tested::lanes<T>();
  std::vector<extents> all{{1, 1}, {1, 5}, {2, 3}, {257, 64}, {300, 4 * lanes}, {4000, 67}, {300, 1}, {40, 4000}};
  if (sizeof(T) == 4) all.push_back({140001, 1});  // so many doubles expose the rounding of their one factor
  for (const index_t channels : around(lanes))
    for (const index_t rows : {2, 7, 8, 9, 33, 519})
      if (channels > 0) all.push_back({rows, channels});
  for (const index_t channels : around(4 * lanes)) all.push_back({37, channels});
  return all;
}

auto forward(extents e, const rp::batch_norm_options& options = {}) {
  return [=](const auto& on, const auto& p, rp::step_state*) {
    using S = element_t<decltype(p)>;
    execute(on, rp::batch_norm_args<S>{options, e.rows, e.channels, p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]});
  };
}
template <class T>
std::vector<operand> forward_operands(extents e, const operand& x) {
  return {x,
          random_values<T>(e.channels, 2),
          random_values<T>(e.channels, 3),
          output(e.rows * e.channels),
          output(e.channels),
          output(e.channels),
          random_values<T>(e.channels, 4),
          random_values<T>(e.channels, 5, 0.5, 2)};
}
auto backward(extents e) {
  return [=](const auto& on, const auto& p, rp::step_state*) {
    using S = element_t<decltype(p)>;
    execute(on, rp::batch_norm_backward_args<S>{e.rows, e.channels, p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]});
    execute(on, rp::batch_norm_backward_args<S>{e.rows, e.channels, p[0], p[1], p[2], p[3], p[4], nullptr, p[8], p[9]});
  };
}
template <class T>
std::vector<operand> backward_operands(extents e) {
  const index_t all = e.rows * e.channels, c = e.channels;
  return {random_values<T>(all, 1),
          random_values<T>(c, 2),
          random_values<T>(c, 3, -0.1, 0.1),
          random_values<T>(c, 4, 0.5, 2),
          random_values<T>(all, 5),
          output(all),
          output(c),
          output(c),
          output(c),
          output(c)};
}
auto inference(extents e) {
  return [=](const auto& on, const auto& p, rp::step_state*) {
    using S = element_t<decltype(p)>;
    execute(on, rp::batch_norm_inference_args<S>{{}, e.rows, e.channels, p[0], p[1], p[2], p[3], p[4], p[5]});
    execute(on, rp::batch_norm_inference_args<S>{{}, e.rows, e.channels, p[5], p[1], p[2], p[3], p[4], p[5]});
  };
}
template <class T>
std::vector<operand> inference_operands(extents e) {
  return {random_values<T>(e.rows * e.channels, 1), random_values<T>(e.channels, 2),
          random_values<T>(e.channels, 3),          random_values<T>(e.channels, 4),
          random_values<T>(e.channels, 5, 0.5, 2),  output(e.rows * e.channels)};
}
}  // namespace

TEST_CASE_TEMPLATE("batch normalisation agrees with its definition", T, float, double) {
  for (const extents e : shapes<T>()) {
    CAPTURE(e.rows);
    CAPTURE(e.channels);
    agree<T>(on_cpu, forward_operands<T>(e, random_values<T>(e.rows * e.channels, 1)), forward(e));
    agree<T>(on_cpu, backward_operands<T>(e), backward(e));
    agree<T>(on_cpu, inference_operands<T>(e), inference(e));
  }
}

TEST_CASE_TEMPLATE("a NaN affects only its channel", T, float, double) {
  const extents e{5, body_and_tail<T>()}, narrow{40, 3};
  agree_on_nan<T>(on_cpu, forward_operands<T>(narrow, random_values<T>(narrow.rows * narrow.channels, 1)), 0,
                  forward(narrow));
  agree_on_nan<T>(on_cpu, backward_operands<T>(narrow), 4, backward(narrow));
  for (const std::size_t which : {1U, 2U})
    agree_on_nan<T>(on_cpu, forward_operands<T>(e, random_values<T>(e.rows * e.channels, 1)), which, forward(e));
  for (const std::size_t which : {1U, 3U, 4U}) agree_on_nan<T>(on_cpu, inference_operands<T>(e), which, inference(e));
}

TEST_CASE_TEMPLATE("a mean far from zero does not reduce the precision of the variance", T, float, double) {
  const T offset = sizeof(T) == 4 ? T(4096) : T(1 << 30);
  for (const index_t channels : {1, 40})
    for (const bool late : {false, true}) {  // the first rows, which give the first centre, carry no information
      const extents e{3000, channels};
      CAPTURE(channels);
      CAPTURE(late);
      operand x = random_values<T>(e.rows * channels, 1, -1, 1);
      std::vector<T> in, y(x.values.size());
      for (std::size_t i = 0; i < x.values.size(); ++i)
        in.push_back(late && i < static_cast<std::size_t>(20 * channels) ? T(0) : static_cast<T>(x.values[i]) + offset);
      const auto n = static_cast<std::size_t>(channels);
      std::vector<T> gamma(n, T(1)), beta(n), mean(n), inverse(n);
      execute(on_cpu(1), rp::batch_norm_args<T>{{.epsilon = 1e-12},
                                                e.rows,
                                                channels,
                                                in.data(),
                                                gamma.data(),
                                                beta.data(),
                                                y.data(),
                                                mean.data(),
                                                inverse.data()});
      const double u = std::numeric_limits<T>::epsilon() / 2, few = late ? 300 : 64;
      for (std::size_t c = 0; c < n; ++c) {  // two passes in long double over the values minus the offset
        long double sum = 0, squares = 0, worst = 0;
        const auto beyond = [&](std::size_t i) { return static_cast<long double>(in[i]) - offset; };
        for (std::size_t i = c; i < in.size(); i += n) sum += beyond(i);
        const long double exact = sum / e.rows;
        for (std::size_t i = c; i < in.size(); i += n) squares += (beyond(i) - exact) * (beyond(i) - exact);
        const long double scale = 1 / std::sqrt(squares / e.rows + 1e-12L);
        for (std::size_t i = c; i < in.size(); i += n) {
          const long double want = (beyond(i) - exact) * scale;
          worst = std::max(worst, std::abs(y[i] - want) / (1 + std::abs(want)));
        }
        CHECK(std::abs(static_cast<double>(mean[c] - offset - exact)) <= (late ? 16 : 1.01) * u * offset);
        CHECK(std::abs(static_cast<double>(inverse[c] / scale - 1)) <= few * u);
        CHECK(static_cast<double>(worst) <= 2 * few * u);
      }
    }
}

TEST_CASE_TEMPLATE("an infinite value makes a channel's mean infinite and its deviation NaN", T, float, double) {
  const T infinity = std::numeric_limits<T>::infinity();
  for (const std::size_t where : {0U, 3U, 99U}) {
    std::vector<T> x(100, T(1)), y(100), gamma{1}, beta{0}, mean(1), inverse(1);
    x[where] = infinity;
    execute(on_cpu(1), rp::batch_norm_args<T>{
                           {}, 100, 1, x.data(), gamma.data(), beta.data(), y.data(), mean.data(), inverse.data()});
    CHECK(mean[0] == infinity);
    CHECK(std::isnan(inverse[0]));
    CHECK(std::isnan(y[1]));
  }
}

TEST_CASE_TEMPLATE("dx may be dy, y of an inference may be x, and constant rows give beta", T, float, double) {
  const extents e{50, 6};
  const auto n = static_cast<std::size_t>(e.rows * e.channels);
  std::vector<T> x(n, T(0.1)), y(n, T(-1)), gamma(6, T(3)), beta(6, T(0.25)), mean(6), inverse(6);
  execute(on_cpu(1),
          rp::batch_norm_args<T>{
              {}, e.rows, e.channels, x.data(), gamma.data(), beta.data(), y.data(), mean.data(), inverse.data()});
  for (const T value : y) CHECK(std::abs(static_cast<double>(value) - 0.25) <= 1e-5);
  std::vector<T> dy(n), dx(n), dgamma(6), dbeta(6);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<T>(i % 17), dy[i] = static_cast<T>(i % 5);
  const auto backwards = [&](T* to) {
    execute(on_cpu(1), rp::batch_norm_backward_args<T>{e.rows, e.channels, x.data(), gamma.data(), mean.data(),
                                                       inverse.data(), dy.data(), to, dgamma.data(), dbeta.data()});
  };
  backwards(dx.data());
  backwards(dy.data());
  CHECK(dx == dy);
}

TEST_CASE("channels whose squares overflow float are normalised as in the definition") {
  for (const extents e : {extents{2, 1}, {3, 5}, {600, 3}, {40, 64}})
    for (const float large : {4e19F, 1e30F, 3e37F}) {
      CAPTURE(e.rows);
      CAPTURE(e.channels);
      CAPTURE(large);
      const auto size = static_cast<std::size_t>(e.rows * e.channels), channels = static_cast<std::size_t>(e.channels);
      std::vector<float> x(size), dy(size), gamma(channels, 2.0F), beta(channels, 0.5F);
      for (std::size_t i = 0; i < size; ++i)
        x[i] = i % channels == 2 ? 1.0F : static_cast<float>(i / channels % 3) * large,
        dy[i] = i % 7 < 3 ? 1.0F : -0.5F;
      const auto run = [&](const auto& on) {
        std::vector<std::vector<float>> of(7, std::vector<float>(channels, 1.0F));
        std::vector<float> y(size), dx(size), inferred(size);
        auto &mean = of[0], &inverse = of[1], &moving_mean = of[2], &moving_variance = of[3];
        execute(on, rp::batch_norm_args<float>{{},
                                               e.rows,
                                               e.channels,
                                               x.data(),
                                               gamma.data(),
                                               beta.data(),
                                               y.data(),
                                               mean.data(),
                                               inverse.data(),
                                               moving_mean.data(),
                                               moving_variance.data()});
        execute(on,
                rp::batch_norm_backward_args<float>{e.rows, e.channels, x.data(), gamma.data(), mean.data(),
                                                    inverse.data(), dy.data(), dx.data(), of[4].data(), of[5].data()});
        execute(on, rp::batch_norm_inference_args<float>{{},
                                                         e.rows,
                                                         e.channels,
                                                         x.data(),
                                                         gamma.data(),
                                                         beta.data(),
                                                         moving_mean.data(),
                                                         moving_variance.data(),
                                                         inferred.data()});
        for (std::size_t i = 0; i < size; ++i) dx[i] /= inverse[i % channels];  // scaled to ordinary size
        of.push_back(y), of.push_back(dx), of.push_back(inferred);
        return of;
      };
      const auto got = run(on_cpu(2)), want = run(rp::reference);
      for (std::size_t v = 0; v < got.size(); ++v) {
        CAPTURE(v);
        check_close(got[v], want[v], 2e-5, v >= 4 ? 1e-3 : 0);
      }
    }
}
