// SPDX-License-Identifier: MIT
#include <ridgepoint/cpu/losses.hpp>

#include "support/cpu_sizes.hpp"

namespace rp = ridgepoint;
using namespace agreement;

namespace {
auto softmax(index_t rows, index_t cols, index_t stride) {
  return [=](const auto& on, const auto& p, rp::step_state*) {
    using S = element_t<decltype(p)>;
    execute(on, rp::softmax_args<S>{.x = {p[0], rows, cols, stride}, .y = {p[1], rows, cols, stride}});
  };
}
}  // namespace

TEST_CASE_TEMPLATE("softmax agrees with its definition", T, float, double) {
  for (const index_t cols : {1, 2, 3, 7, 8, 9, 10, 15, 16, 17, 31, 33, 67, 1000})
    for (const index_t rows : {1, 5, 35}) {
      CAPTURE(rows);
      CAPTURE(cols);
      agree<T>(on_cpu, {random_values<T>(rows * cols, 1, -20, 20), output(rows * cols)}, softmax(rows, cols, cols));
    }
  agree<T>(on_cpu, {random_values<T>(4000 * 10, 1, -3, 3), output(4000 * 10)}, softmax(4000, 10, 10));
  agree<T>(on_cpu, {random_values<T>(20000, 1, -3, 3), output(20000)}, softmax(1, 20000, 20000));
  const index_t cols = body_and_tail<T>();
  agree_on_nan<T>(on_cpu, {random_values<T>(2 * cols, 1), output(2 * cols)}, 0, softmax(2, cols, cols));
}

TEST_CASE_TEMPLATE("softmax leaves the gaps between strided rows unchanged", T, float, double) {
  const operand x = random_values<T>(3 * 12, 1);
  std::vector<T> in, out(3 * 12, T(-5));
  for (const double value : x.values) in.push_back(static_cast<T>(value));
  execute(on_cpu(1), rp::softmax_args<T>{.x = {in.data(), 3, 10, 12}, .y = {out.data(), 3, 10, 12}});
  for (const std::size_t gap : {10U, 11U, 22U, 23U, 34U, 35U}) CHECK(out[gap] == T(-5));
}

TEST_CASE_TEMPLATE("softmax at the limits of the number range", T, float, double) {
  const T infinity = std::numeric_limits<T>::infinity(), most = std::numeric_limits<T>::max();
  const auto of = [](std::vector<T> x) {
    const auto n = static_cast<index_t>(x.size());
    execute(on_cpu(1), rp::softmax_args<T>{.x = {x.data(), 1, n}, .y = {x.data(), 1, n}});
    return x;
  };
  CHECK(of({most, most, -most}) == std::vector<T>{T(0.5), T(0.5), T(0)});
  CHECK(of({T(1), -infinity}) == std::vector<T>{T(1), T(0)});
  for (const T value : of({infinity, T(1)})) CHECK(std::isnan(value));
  for (const T value : of({-infinity, -infinity})) CHECK(std::isnan(value));
}
