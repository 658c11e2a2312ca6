// SPDX-License-Identifier: MIT
#include <ridgepoint/cpu/normalisation.hpp>

#include "support/close.hpp"
#include "support/cpu_sizes.hpp"

namespace rp = ridgepoint;
using namespace agreement;

namespace {
struct group_extents {
  index_t images, pixels, channels, groups;
  [[nodiscard]] index_t all() const { return images * pixels * channels; }
};
/// Sizes around the lanes of a register, the row blocks and the summation blocks, and enough images for several
/// threads.
template <class T>
std::vector<group_extents> group_shapes() {
  const index_t lanes = tested::lanes<T>();
  std::vector<group_extents> all{{0, 2, 3, 1},   {1, 1, 1, 1},   {2, 1, 6, 3},   {3, 5, 4, 2}, {2, 49, 64, 32},
                                 {9, 64, 48, 4}, {1, 300, 3, 3}, {2, 300, 8, 2}, {70, 4, 6, 2}};
  if (sizeof(T) == 4)  // so many doubles expose the rounding of their one factor
    for (const group_extents large : {group_extents{2, 9000, 2, 1}, {2, 2100, 8, 2}}) all.push_back(large);
  for (const index_t each : around(lanes))
    for (const index_t groups : {1, 3})
      if (each > 0) all.push_back({2, 7, each * groups, groups});
  return all;
}
auto forward(group_extents e) {
  return [=](const auto& on, const auto& p, rp::step_state*) {
    using S = element_t<decltype(p)>;
    const rp::group_norm_options options{.groups = e.groups};
    execute(on, rp::group_norm_args<S>{options, e.images, e.pixels, e.channels, p[0], p[1], p[2], p[3], p[4], p[5]});
    execute(on, rp::group_norm_args<S>{options, e.images, e.pixels, e.channels, p[6], p[1], p[2], p[6]});
  };
}
template <class T>
std::vector<operand> forward_operands(group_extents e) {
  return {
      random_values<T>(e.all(), 1), random_values<T>(e.channels, 2), random_values<T>(e.channels, 3), output(e.all()),
      output(e.images * e.groups),  output(e.images * e.groups),     random_values<T>(e.all(), 4)};
}
auto backward(group_extents e) {
  return [=](const auto& on, const auto& p, rp::step_state*) {
    using S = element_t<decltype(p)>;
    rp::group_norm_backward_args<S> a{e.images, e.pixels, e.channels, e.groups, p[0], p[1],
                                      p[2],     p[3],     p[4],       p[5],     p[6], p[7]};
    execute(on, a);
    a.dx = nullptr, a.dgamma = p[8], a.dbeta = p[9];
    execute(on, a);
  };
}
template <class T>
std::vector<operand> backward_operands(group_extents e) {
  const index_t c = e.channels, statistics = e.images * e.groups;
  return {random_values<T>(e.all(), 1),
          random_values<T>(c, 2),
          random_values<T>(statistics, 3, -0.1, 0.1),
          random_values<T>(statistics, 4, 0.5, 2),
          random_values<T>(e.all(), 5),
          output(e.all()),
          output(c),
          output(c),
          output(c),
          output(c)};
}
}  // namespace

TEST_CASE_TEMPLATE("group normalisation agrees with its definition", T, float, double) {
  for (const group_extents e : group_shapes<T>()) {
    CAPTURE(e.images);
    CAPTURE(e.pixels);
    CAPTURE(e.channels);
    CAPTURE(e.groups);
    agree<T>(on_cpu, forward_operands<T>(e), forward(e));
    agree<T>(on_cpu, backward_operands<T>(e), backward(e));
  }
}

TEST_CASE_TEMPLATE("a NaN affects only its group of its image, or its channel", T, float, double) {
  const group_extents e{2, 3, 2 * (tested::lanes<T>() + 1), 2};
  for (const std::size_t which : {0U, 1U, 2U}) agree_on_nan<T>(on_cpu, forward_operands<T>(e), which, forward(e));
  for (const std::size_t which : {0U, 1U, 2U, 3U, 4U})
    agree_on_nan<T>(on_cpu, backward_operands<T>(e), which, backward(e));
}

TEST_CASE_TEMPLATE("a mean far from zero does not reduce a group's precision, wherever its pixels vary", T, float,
                   double) {
  const T offset = sizeof(T) == 4 ? T(4096) : T(1 << 30);
  for (const bool late : {false, true}) {  // the first pixels, whose mean is the first centre, carry no information
    CAPTURE(late);
    const group_extents e{1, 4000, 2, 1};
    const operand random = random_values<T>(e.all(), 1, -1, 1);
    std::vector<T> x, y(random.values.size());
    for (std::size_t i = 0; i < y.size(); ++i)
      x.push_back(late && i < 32 ? T(0) : static_cast<T>(random.values[i]) + offset);
    const std::vector<T> gamma(2, T(1)), beta(2);
    std::vector<T> mean(1), inverse(1);
    execute(on_cpu(1), rp::group_norm_args<T>{{.groups = 1, .epsilon = 1e-12},
                                              1,
                                              e.pixels,
                                              2,
                                              x.data(),
                                              gamma.data(),
                                              beta.data(),
                                              y.data(),
                                              mean.data(),
                                              inverse.data()});
    long double sum = 0, squares = 0, worst = 0;
    for (const T v : x) sum += static_cast<long double>(v) - offset;
    const long double exact = sum / static_cast<long double>(x.size());
    const auto beyond = [&](std::size_t i) { return static_cast<long double>(x[i]) - offset - exact; };
    for (std::size_t i = 0; i < x.size(); ++i) squares += beyond(i) * beyond(i);
    const long double scale = 1 / std::sqrt(squares / static_cast<long double>(x.size()) + 1e-12L);
    for (std::size_t i = 0; i < x.size(); ++i)
      worst = std::max(worst, std::abs(static_cast<long double>(y[i]) - beyond(i) * scale));
    const double u = std::numeric_limits<T>::epsilon() / 2;
    CHECK(std::abs(static_cast<double>(mean[0] - offset - exact)) <= 1.01 * u * static_cast<double>(offset));
    CHECK(std::abs(static_cast<double>(inverse[0] / scale - 1)) <= 64 * u);
    CHECK(static_cast<double>(worst) <= 512 * u);
  }
}

TEST_CASE("groups whose squares overflow float are normalised as in the definition") {
  for (const group_extents e : {group_extents{1, 2, 1, 1}, {2, 9, 6, 3}, {3, 300, 8, 2}})
    for (const float large : {4e19F, 1e30F, 3e37F}) {
      CAPTURE(e.pixels);
      CAPTURE(large);
      const auto size = static_cast<std::size_t>(e.all()), n = static_cast<std::size_t>(e.channels);
      std::vector<float> x(size), dy(size), gamma(n, 2.0F), beta(n, 0.5F);
      for (std::size_t i = 0; i < size; ++i) {  // the last channels are ordinary if groups have several
        x[i] = static_cast<float>(i * i % 5) * (n > 1 && i % n >= n - 2 ? 1.0F : large);
        dy[i] = i % 7 < 3 ? 1.0F : -0.5F;
      }
      const auto run = [&](const auto& on) {
        std::vector<std::vector<float>> of(6);
        auto &mean = of[0], &inverse = of[1], &dgamma = of[2], &dbeta = of[3], &y = of[4], &dx = of[5];
        mean.resize(static_cast<std::size_t>(e.images * e.groups)), inverse = mean;
        dgamma.resize(n), dbeta = dgamma, y.resize(size), dx = dy;
        execute(on, rp::group_norm_args<float>{{.groups = e.groups},
                                               e.images,
                                               e.pixels,
                                               e.channels,
                                               x.data(),
                                               gamma.data(),
                                               beta.data(),
                                               y.data(),
                                               mean.data(),
                                               inverse.data()});
        execute(on, rp::group_norm_backward_args<float>{e.images, e.pixels, e.channels, e.groups, x.data(),
                                                        gamma.data(), mean.data(), inverse.data(), dx.data(), dx.data(),
                                                        dgamma.data(), dbeta.data()});
        const std::size_t image = size / static_cast<std::size_t>(e.images),
                          each = n / static_cast<std::size_t>(e.groups);
        for (std::size_t i = 0; i < size; ++i)  // scaled to ordinary size
          dx[i] /= inverse[i / image * static_cast<std::size_t>(e.groups) + i % n / each];
        return of;
      };
      const auto got = run(on_cpu(2)), want = run(rp::reference);
      for (std::size_t v = 0; v < got.size(); ++v) {
        CAPTURE(v);
        check_close(got[v], want[v], 2e-5, v >= 2 ? 1e-3 : 0);
      }
    }
}
