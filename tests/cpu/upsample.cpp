// SPDX-License-Identifier: MIT
#include <ridgepoint/cpu/elementwise.hpp>

#include "support/cpu_sizes.hpp"

namespace rp = ridgepoint;
using namespace agreement;

namespace {
struct images {
  index_t n, h, w, c;
  rp::upsample_options options;
};
template <class T>
std::vector<images> problems() {
  std::vector<images> all;
  for (const auto how : {rp::upsampling::nearest, rp::upsampling::bilinear}) {
    for (const rp::spatial factor : {rp::spatial(1), rp::spatial(2), rp::spatial(3, 1), rp::spatial(4, 5)})
      for (const index_t c : {1, 3, static_cast<int>(tested::lanes<T>()) + 1}) {
        all.push_back({2, 3, 4, c, {factor, how}});
        all.push_back({1, 1, 1, c, {factor, how}});
      }
    all.push_back({0, 2, 2, 2, {2, how}});
    all.push_back({2, 30, 31, 20, {2, how}});  // several threads
  }
  return all;
}
auto forward(const images& i) {
  return [=](const auto& on, const auto& p, rp::step_state*) {
    using S = element_t<decltype(p)>;
    execute(on, rp::upsample_args<S>{i.options, i.n, i.h, i.w, i.c, p[0], p[1]});
  };
}
auto backward(const images& i) {
  return [=](const auto& on, const auto& p, rp::step_state*) {
    using S = element_t<decltype(p)>;
    execute(on, rp::upsample_backward_args<S>{i.options, i.n, i.h, i.w, i.c, p[0], p[1]});
  };
}
index_t elements(const images& i) { return i.n * i.h * i.w * i.c; }
index_t enlarged(const images& i) { return elements(i) * i.options.factor.h * i.options.factor.w; }
}  // namespace

TEST_CASE_TEMPLATE("upsampling agrees with its definition", T, float, double) {
  for (const images& i : problems<T>()) {
    CAPTURE(i.h);
    CAPTURE(i.w);
    CAPTURE(i.c);
    CAPTURE(i.options.factor.h);
    CAPTURE(i.options.factor.w);
    agree<T>(on_cpu, {random_values<T>(elements(i), 1), output(enlarged(i))}, forward(i));
    agree<T>(on_cpu, {random_values<T>(enlarged(i), 2), output(elements(i))}, backward(i));
  }
}

TEST_CASE_TEMPLATE("a NaN affects only the pixels that use it", T, float, double) {
  for (const auto how : {rp::upsampling::nearest, rp::upsampling::bilinear}) {
    const images i{1, 2, 3, tested::lanes<T>() + 1, {rp::spatial(2, 3), how}};
    agree_on_nan<T>(on_cpu, {random_values<T>(elements(i), 1), output(enlarged(i))}, 0, forward(i));
    agree_on_nan<T>(on_cpu, {random_values<T>(enlarged(i), 2), output(elements(i))}, 0, backward(i));
  }
}
