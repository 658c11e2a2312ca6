// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <ridgepoint/core/concat.hpp>
#include <ridgepoint/core/random.hpp>
#include <ridgepoint/core/tensor.hpp>
#include <ridgepoint/core/view.hpp>

#include "peer.hpp"

namespace peer {

/// Type word of an element in a problem; two-byte elements are bfloat16.
template <class T>
inline constexpr const char* type_word = sizeof(T) == 2   ? "bf16"
                                         : sizeof(T) == 4 ? "f32"
                                                          : "f64";

/// Product C(m×n) ← op(A)·op(B), each operand dense and row-major as stored: A is m×k, or k×m if transposed.
///
/// The operands are integers from −3 to 3. Every partial sum is then an integer below 2²⁴ (k < 1.8 million), so any
/// correct implementation, whatever its order of summation, returns exactly the fp64 product, and the check needs no
/// tolerance: C·x = A·(B·x) in fp64 for random x without zeros. In bf16 each element is rounded once.
template <class T>
class gemm_problem {
 public:
  /// Reads the words "gemm f32 tn 64 128 256".
  /// Throws: not_available for other words.
  explicit gemm_problem(const words& w) {
    if (w.size() != 6 || w[0] != "gemm" || w[1] != type_word<T> || w[2].size() != 2)
      throw not_available("not a gemm of " + std::string(type_word<T>));
    transpose_a = w[2][0] == 't';
    transpose_b = w[2][1] == 't';
    m = std::stol(w[3]), n = std::stol(w[4]), k = std::stol(w[5]);
    lda = transpose_a ? m : k, ldb = transpose_b ? k : n, ldc = n;
    a_ = integers(m * k, 1), b_ = integers(k * n, 2);
    c_ = ridgepoint::tensor<T>({m, n});
    std::fill_n(c_.data(), m * n, static_cast<T>(std::numeric_limits<float>::quiet_NaN()));
  }

  bool transpose_a = false, transpose_b = false;
  ridgepoint::index_t m = 0, n = 0, k = 0, lda = 0, ldb = 0, ldc = 0;

  [[nodiscard]] const T* a() const { return a_.data(); }
  [[nodiscard]] const T* b() const { return b_.data(); }
  [[nodiscard]] T* c() { return c_.data(); }
  [[nodiscard]] ridgepoint::matrix_view<const T> a_view() const {
    const ridgepoint::matrix_view<const T> stored(a(), transpose_a ? k : m, transpose_a ? m : k);
    return transpose_a ? stored.transposed() : stored;
  }
  [[nodiscard]] ridgepoint::matrix_view<const T> b_view() const {
    const ridgepoint::matrix_view<const T> stored(b(), transpose_b ? n : k, transpose_b ? k : n);
    return transpose_b ? stored.transposed() : stored;
  }
  [[nodiscard]] ridgepoint::matrix_view<T> c_view() { return {c(), m, n}; }
  [[nodiscard]] double flop() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }

  /// Throws: wrong_result unless c is the product.
  void verify() {
    for (const std::uint64_t seed : {3U, 4U}) {
      ridgepoint::random_stream random(seed);
      std::vector<double> x(static_cast<std::size_t>(n));
      for (double& v : x) v = 1.0 + random.below(1000);
      const std::vector<double> expected = times(a_view(), times(b_view(), x));
      const std::vector<double> got = times(ridgepoint::matrix_view<const T>(c_view()), x);
      for (std::size_t i = 0; i < got.size(); ++i)
        if (!(std::abs(got[i] - expected[i]) <= rounding(static_cast<ridgepoint::index_t>(i), x)))
          throw wrong_result(
              ridgepoint::concat("row ", i, " of the product times a vector is ", got[i], "; must be ", expected[i]));
    }
  }

 private:
  /// Returns the error bound of row i of C·x.
  [[nodiscard]] double rounding(ridgepoint::index_t i, const std::vector<double>& x) {
    if (sizeof(T) > 2) return 0;
    double sum = 0;
    for (ridgepoint::index_t j = 0; j < n; ++j)
      sum += 0x1p-8 * std::abs(static_cast<double>(c_view()(i, j))) * x[static_cast<std::size_t>(j)];
    return sum;
  }
  static ridgepoint::tensor<T> integers(ridgepoint::index_t size, std::uint64_t seed) {
    ridgepoint::tensor<T> values({size});
    ridgepoint::random_stream random(seed);
    for (ridgepoint::index_t i = 0; i < size; ++i)
      values.data()[i] = static_cast<T>(static_cast<int>(random.below(7)) - 3);
    return values;
  }
  static std::vector<double> times(ridgepoint::matrix_view<const T> matrix, const std::vector<double>& x) {
    std::vector<double> y(static_cast<std::size_t>(matrix.rows));
    for (ridgepoint::index_t i = 0; i < matrix.rows; ++i)
      for (ridgepoint::index_t j = 0; j < matrix.cols; ++j)
        y[static_cast<std::size_t>(i)] += static_cast<double>(matrix(i, j)) * x[static_cast<std::size_t>(j)];
    return y;
  }

  ridgepoint::tensor<T> a_, b_, c_;
};

/// Prepared product: the call, the kernel or function used, and the planner's prediction.
struct prepared_product {
  std::function<void()> run;
  std::string detail = {};
  double predicted_cycles = 0;  // 0: none
};

/// Returns a task for a problem in f32, f64 or one of More, by its type word, and a function of the problem.
///
/// `make(problem)` gets a shared_ptr<gemm_problem<T>> and returns a prepared_product.
template <class... More, class Make>
task gemm_task(const words& w, Make&& make) {
  task made;
  const auto build = [&]<class T>(std::type_identity<T>) {
    if (w.size() < 2 || w[0] != "gemm" || w[1] != type_word<T>) return false;
    const auto p = std::make_shared<gemm_problem<T>>(w);
    prepared_product product = make(p);
    made = {.work = p->flop(),
            .run = std::move(product.run),
            .verify = [p] { p->verify(); },
            .detail = std::move(product.detail),
            .predicted_cycles = product.predicted_cycles};
    return true;
  };
  if (build(std::type_identity<float>{}) || build(std::type_identity<double>{}) ||
      (build(std::type_identity<More>{}) || ...))
    return made;
  throw not_available("no such problem: " + (w.empty() ? std::string() : w[0]));
}

}  // namespace peer
