// SPDX-License-Identifier: MIT
// Normalisations of the CUDA backend against their definition, on the emulator.
#include <ridgepoint/cuda/normalisation.hpp>

#include "fake_case.hpp"
#include "support/agreement.hpp"
#include "support/close.hpp"

namespace rp = ridgepoint;
using namespace agreement;

namespace {

struct extents {
  index_t rows, channels;
  [[nodiscard]] index_t all() const { return rows * channels; }
};
/// One row, one channel, around tiles of 32 channels, and enough rows for several parts.
constexpr extents matrices[] = {{1, 1}, {1, 5}, {2, 3}, {7, 31}, {33, 32}, {130, 33}, {519, 64}, {5003, 1}, {700, 67}};

auto batch_forward(extents e) {
  return [=](const auto& where, const auto& p, rp::step_state*) {
    using S = element_t<decltype(p)>;
    rp::run(where, rp::batch_norm_args<S>{{}, e.rows, e.channels, p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]});
    rp::run(where, rp::batch_norm_args<S>{{}, e.rows, e.channels, p[0], p[1], p[2], p[3], p[4], p[5]});
  };
}
template <class T>
std::vector<operand> batch_forward_operands(extents e) {
  const index_t c = e.channels;
  return {random_values<T>(e.all(), 1),
          random_values<T>(c, 2),
          random_values<T>(c, 3),
          output(e.all()),
          output(c),
          output(c),
          random_values<T>(c, 4),
          random_values<T>(c, 5, 0.5, 2)};
}
/// Returns the pass with and without dx, and with dx in place of dy.
auto batch_backward(extents e) {
  return [=](const auto& where, const auto& p, rp::step_state*) {
    using S = element_t<decltype(p)>;
    rp::batch_norm_backward_args<S> a{e.rows, e.channels, p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]};
    rp::run(where, a);
    a.dx = nullptr, a.dgamma = p[8], a.dbeta = p[9];
    rp::run(where, a);
    a.dy = p[10], a.dx = p[10];
    rp::run(where, a);
  };
}
auto batch_inference(extents e) {
  return [=](const auto& where, const auto& p, rp::step_state*) {
    using S = element_t<decltype(p)>;
    rp::run(where, rp::batch_norm_inference_args<S>{{}, e.rows, e.channels, p[0], p[1], p[2], p[3], p[4], p[5]});
    rp::run(where, rp::batch_norm_inference_args<S>{{}, e.rows, e.channels, p[5], p[1], p[2], p[3], p[4], p[5]});
  };
}
template <class T>
std::vector<operand> batch_inference_operands(extents e) {
  const index_t c = e.channels;
  return {random_values<T>(e.all(), 1), random_values<T>(c, 2),         random_values<T>(c, 3),
          random_values<T>(c, 4),       random_values<T>(c, 5, 0.5, 2), output(e.all())};
}
/// Runs the op once, and once in place.
auto fold(extents e, bool biased) {
  return [=](const auto& where, const auto& p, rp::step_state*) {
    using S = element_t<decltype(p)>;
    rp::fold_batch_norm_args<S> a{.lines = e.rows,
                                  .channels = e.channels,
                                  .w = p[0],
                                  .bias = biased ? p[1] : nullptr,
                                  .gamma = p[2],
                                  .beta = p[3],
                                  .mean = p[4],
                                  .variance = p[5],
                                  .folded_w = p[6],
                                  .folded_bias = p[7]};
    rp::run(where, a);
    a.w = p[6], a.bias = p[7];
    rp::run(where, a);
  };
}
template <class T>
std::vector<operand> folded_operands(extents e) {
  const index_t c = e.channels;
  return {random_values<T>(e.all(), 1), random_values<T>(c, 2),         random_values<T>(c, 3), random_values<T>(c, 4),
          random_values<T>(c, 5),       random_values<T>(c, 6, 0.5, 2), output(e.all()),        output(c)};
}

/// Extents of group normalisation; with one pixel and one group also of layer normalisation.
struct group_extents {
  index_t images, pixels, channels, groups;
  [[nodiscard]] index_t all() const { return images * pixels * channels; }
  [[nodiscard]] bool are_rows() const { return pixels == 1 && groups == 1; }
};
constexpr group_extents image_groups[] = {
    {0, 2, 3, 1},  {1, 1, 1, 1}, {2, 1, 6, 3}, {3, 5, 4, 2},  {2, 49, 64, 32}, {9, 64, 48, 4}, {2, 300, 3, 3},
    {70, 4, 6, 2}, {0, 1, 3, 1}, {5, 1, 1, 1}, {9, 1, 33, 1}, {600, 1, 40, 1}, {3, 1, 2000, 1}};

auto group_forward(group_extents e) {
  return [=](const auto& where, const auto& p, rp::step_state*) {
    using S = element_t<decltype(p)>;
    rp::group_norm_args<S> a{{.groups = e.groups}, e.images, e.pixels, e.channels, p[0], p[1], p[2], p[3], p[4], p[5]};
    rp::run(where, a);
    if (e.are_rows())
      rp::run(where, rp::layer_norm_args<S>{{}, e.images, e.channels, p[0], p[1], p[2], p[3], p[4], p[5]});
    a.x = p[6], a.y = p[6], a.mean = nullptr, a.inverse = nullptr;
    rp::run(where, a);
  };
}
template <class T>
std::vector<operand> group_forward_operands(group_extents e) {
  return {
      random_values<T>(e.all(), 1), random_values<T>(e.channels, 2), random_values<T>(e.channels, 3), output(e.all()),
      output(e.images * e.groups),  output(e.images * e.groups),     random_values<T>(e.all(), 4)};
}
auto group_backward(group_extents e) {
  return [=](const auto& where, const auto& p, rp::step_state*) {
    using S = element_t<decltype(p)>;
    rp::group_norm_backward_args<S> a{e.images, e.pixels, e.channels, e.groups, p[0], p[1],
                                      p[2],     p[3],     p[4],       p[5],     p[6], p[7]};
    rp::run(where, a);
    if (e.are_rows())
      rp::run(where,
              rp::layer_norm_backward_args<S>{e.images, e.channels, p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]});
    a.dx = nullptr, a.dgamma = p[8], a.dbeta = p[9];
    rp::run(where, a);
    a.dy = p[10], a.dx = p[10];
    rp::run(where, a);
  };
}
/// Returns x, gamma, mean, inverse and dy, results of two passes, and a dy that becomes dx.
template <class T>
std::vector<operand> backward_operands(index_t all, index_t channels, index_t statistics) {
  return {random_values<T>(all, 1),
          random_values<T>(channels, 2),
          random_values<T>(statistics, 3, -0.1, 0.1),
          random_values<T>(statistics, 4, 0.5, 2),
          random_values<T>(all, 5),
          output(all),
          output(channels),
          output(channels),
          output(channels),
          output(channels),
          random_values<T>(all, 6)};
}

/// Returns numbers around `offset`; if late, the first twentieth is 0, so that it does not show the offset.
template <class T>
std::vector<T> far_from_zero(index_t size, T offset, bool late) {
  std::vector<T> x;
  for (const double value : random_values<T>(size, 1, -1, 1).values)
    x.push_back(late && static_cast<index_t>(x.size()) < size / 20 ? T(0) : static_cast<T>(value) + offset);
  return x;
}
/// Checks that mean, inverse and y of a channel are correct to a few roundings of the part beyond its offset.
template <class T>
void check_moments(const std::vector<T>& x, const std::vector<T>& y, T offset, T mean, T inverse) {
  const auto count = static_cast<long double>(x.size());
  const auto beyond = [&](std::size_t i) { return static_cast<long double>(x[i]) - offset; };
  long double sum = 0, squares = 0, worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += beyond(i);
  const long double exact = sum / count;
  for (std::size_t i = 0; i < x.size(); ++i) squares += (beyond(i) - exact) * (beyond(i) - exact);
  const long double scale = 1 / std::sqrt(squares / count + 1e-12L);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double want = (beyond(i) - exact) * scale;
    worst = std::max(worst, std::abs(y[i] - want) / (1 + std::abs(want)));
  }
  const double u = std::numeric_limits<T>::epsilon() / 2;
  CHECK(std::abs(static_cast<double>(mean - offset - exact)) <= 1.01 * u * static_cast<double>(offset));
  CHECK(std::abs(static_cast<double>(inverse / scale - 1)) <= 64 * u);
  CHECK(static_cast<double>(worst) <= 128 * u);
}

}  // namespace

TEST_CASE_TEMPLATE("cuda: batch normalisation agrees with its definition", T, float, double) {
  for (const extents e : matrices) {
    if (sizeof(T) == 8 && e.rows > 5000) continue;  // with so many doubles, the rounding of their common factor shows
    CAPTURE(e.rows);
    CAPTURE(e.channels);
    agree<T>(on_fake_gpu, batch_forward_operands<T>(e), batch_forward(e));
    agree<T>(on_fake_gpu, backward_operands<T>(e.all(), e.channels, e.channels), batch_backward(e));
    agree<T>(on_fake_gpu, batch_inference_operands<T>(e), batch_inference(e));
    for (const bool biased : {false, true}) agree<T>(on_fake_gpu, folded_operands<T>(e), fold(e, biased));
  }
}

TEST_CASE_TEMPLATE("cuda: group and layer normalisation agree with their definition", T, float, double) {
  for (const group_extents e : image_groups) {
    CAPTURE(e.images);
    CAPTURE(e.pixels);
    CAPTURE(e.channels);
    CAPTURE(e.groups);
    agree<T>(on_fake_gpu, group_forward_operands<T>(e), group_forward(e));
    agree<T>(on_fake_gpu, backward_operands<T>(e.all(), e.channels, e.images * e.groups), group_backward(e));
  }
}

TEST_CASE_TEMPLATE("cuda: a NaN propagates to its channel or group only", T, float, double) {
  const extents e{9, 3};
  for (const std::size_t which : {0U, 1U, 2U})
    agree_on_nan<T>(on_fake_gpu, batch_forward_operands<T>(e), which, batch_forward(e));
  for (const std::size_t which : {1U, 3U, 4U})
    agree_on_nan<T>(on_fake_gpu, batch_inference_operands<T>(e), which, batch_inference(e));
  for (const std::size_t which : {0U, 2U, 5U})
    agree_on_nan<T>(on_fake_gpu, folded_operands<T>(e), which, fold(e, true));
  const group_extents g{2, 2, 4, 2};
  for (const std::size_t which : {0U, 1U, 2U})
    agree_on_nan<T>(on_fake_gpu, group_forward_operands<T>(g), which, group_forward(g));
  for (const std::size_t which : {0U, 1U, 2U, 3U, 4U}) {
    agree_on_nan<T>(on_fake_gpu, backward_operands<T>(e.all(), 3, 3), which, batch_backward(e));
    agree_on_nan<T>(on_fake_gpu, backward_operands<T>(g.all(), 4, 4), which, group_backward(g));
  }
}

TEST_CASE_TEMPLATE("cuda: a mean far from zero costs no digits, even if the first numbers are zero", T, float, double) {
  const T offset = sizeof(T) == 4 ? T(4096) : T(1 << 30), one = 1, none = 0;
  for (const bool late : {false, true}) {
    CAPTURE(late);
    const std::vector<T> x = far_from_zero<T>(3000, offset, late);
    std::vector<T> y(x.size());
    T mean = 0, inverse = 0;
    rp::run(fake_gpu(),
            rp::batch_norm_args<T>{{.epsilon = 1e-12}, 3000, 1, x.data(), &one, &none, y.data(), &mean, &inverse});
    check_moments(x, y, offset, mean, inverse);
    rp::run(fake_gpu(),
            rp::group_norm_args<T>{
                {.groups = 1, .epsilon = 1e-12}, 1, 3000, 1, x.data(), &one, &none, y.data(), &mean, &inverse});
    check_moments(x, y, offset, mean, inverse);
  }
}

TEST_CASE_TEMPLATE("cuda: an infinite value makes the deviation NaN and the mean infinite", T, float, double) {
  const T infinity = std::numeric_limits<T>::infinity(), one = 1, none = 0;
  for (const std::size_t where : {0U, 3U, 99U}) {
    std::vector<T> x(100, T(1)), y(100);
    x[where] = infinity;
    const auto check = [&](const auto& run) {
      T mean = 0, inverse = 0;
      run(&mean, &inverse);
      CHECK(mean == infinity);
      CHECK(std::isnan(inverse));
      CHECK(std::isnan(y[1]));
    };
    check([&](T* mean, T* inverse) {
      rp::run(fake_gpu(), rp::batch_norm_args<T>{{}, 100, 1, x.data(), &one, &none, y.data(), mean, inverse});
    });
    check([&](T* mean, T* inverse) {
      rp::run(fake_gpu(),
              rp::group_norm_args<T>{{.groups = 1}, 1, 100, 1, x.data(), &one, &none, y.data(), mean, inverse});
    });
  }
}

TEST_CASE("cuda: numbers whose squares overflow float are normalised as in the definition") {
  constexpr index_t rows = 70, channels = 6;
  for (const float large : {4e19F, 1e30F}) {
    CAPTURE(large);
    std::vector<float> x(rows * channels), dy(x.size()), gamma(channels, 2.0F), beta(channels, 0.5F);
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = static_cast<float>(i * i % 5) * large, dy[i] = i % 7 < 3 ? 1.0F : -0.5F;
    const auto run = [&](const auto& on) {
      std::vector<float> y(x.size()), dx = y, mean(rows), inverse(rows), dgamma(channels), dbeta(channels);
      std::vector<float> moving_mean(channels), moving_variance(channels, 1.0F);
      std::vector<std::vector<float>> of;
      const auto keep = [&] {
        for (std::size_t i = 0; i < dx.size(); ++i) dx[i] *= large;  // to ordinary size
        for (const auto& values : {mean, inverse, y, dx, dgamma, dbeta}) of.push_back(values);
      };
      rp::run(on, rp::batch_norm_args<float>{{},
                                             rows,
                                             channels,
                                             x.data(),
                                             gamma.data(),
                                             beta.data(),
                                             y.data(),
                                             mean.data(),
                                             inverse.data(),
                                             moving_mean.data(),
                                             moving_variance.data()});
      rp::run(on,
              rp::batch_norm_backward_args<float>{rows, channels, x.data(), gamma.data(), mean.data(), inverse.data(),
                                                  dy.data(), dx.data(), dgamma.data(), dbeta.data()});
      keep();
      rp::run(on, rp::layer_norm_args<float>{
                      {}, rows, channels, x.data(), gamma.data(), beta.data(), y.data(), mean.data(), inverse.data()});
      rp::run(on,
              rp::layer_norm_backward_args<float>{rows, channels, x.data(), gamma.data(), mean.data(), inverse.data(),
                                                  dy.data(), dx.data(), dgamma.data(), dbeta.data()});
      keep();
      of.push_back(moving_mean), of.push_back(moving_variance);
      return of;
    };
    const auto got = run(fake_gpu()), want = run(rp::reference);
    for (std::size_t v = 0; v < got.size(); ++v) {
      CAPTURE(v);
      check_close(got[v], want[v], 2e-5, v % 6 >= 2 ? 1e-3 : 0);
    }
  }
}
