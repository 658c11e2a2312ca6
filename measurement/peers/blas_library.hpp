// SPDX-License-Identifier: MIT
#pragma once

#include <dlfcn.h>

#include <stdexcept>
#include <string>
#include <type_traits>

#include "gemm_problem.hpp"

namespace peer {

/// CBLAS library, opened by its own path with its own symbols, independent of the system's libblas: two of them can
/// be in one process, and neither can call the other by accident.
class blas_library {
 public:
  /// Throws: std::runtime_error if the library or its cblas_sgemm cannot be loaded.
  explicit blas_library(const char* path) : handle_(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) throw std::runtime_error(dlerror());
    load(sgemm_, "cblas_sgemm"), load(dgemm_, "cblas_dgemm"), load(sgemv_, "cblas_sgemv"), load(dgemv_, "cblas_dgemv");
  }

  /// Returns a non-CBLAS function of the library, or nullptr: find<char* (*)()>("openblas_get_corename").
  template <class Function>
  [[nodiscard]] Function find(const char* name) const noexcept {
    return reinterpret_cast<Function>(dlsym(handle_, name));
  }

  /// Computes C ← op(A)·op(B); a product with one row or one column uses gemv, which is faster.
  template <class T>
  void multiply(gemm_problem<T>& p) const {
    const auto m = static_cast<int>(p.m), n = static_cast<int>(p.n), k = static_cast<int>(p.k);
    const auto lda = static_cast<int>(p.lda), ldb = static_cast<int>(p.ldb), ldc = static_cast<int>(p.ldc);
    constexpr int row_major = 101, keep = 111, transpose = 112;
    if (m == 1)
      gemv<T>()(row_major, p.transpose_b ? keep : transpose, p.transpose_b ? n : k, p.transpose_b ? k : n, T(1), p.b(),
                ldb, p.a(), 1, T(0), p.c(), 1);
    else if (n == 1)
      gemv<T>()(row_major, p.transpose_a ? transpose : keep, p.transpose_a ? k : m, p.transpose_a ? m : k, T(1), p.a(),
                lda, p.b(), 1, T(0), p.c(), 1);
    else
      gemm<T>()(row_major, p.transpose_a ? transpose : keep, p.transpose_b ? transpose : keep, m, n, k, T(1), p.a(),
                lda, p.b(), ldb, T(0), p.c(), ldc);
  }

 private:
  template <class T>
  using gemm_function = void (*)(int, int, int, int, int, int, T, const T*, int, const T*, int, T, T*, int);
  template <class T>
  using gemv_function = void (*)(int, int, int, int, T, const T*, int, const T*, int, T, T*, int);

  template <class T>
  [[nodiscard]] gemm_function<T> gemm() const noexcept {
    if constexpr (std::is_same_v<T, float>) return sgemm_;
    else return dgemm_;
  }
  template <class T>
  [[nodiscard]] gemv_function<T> gemv() const noexcept {
    if constexpr (std::is_same_v<T, float>) return sgemv_;
    else return dgemv_;
  }
  template <class Function>
  void load(Function& function, const char* name) const {
    function = find<Function>(name);
    if (function == nullptr) throw std::runtime_error(std::string(name) + " is not in the library");
  }

  void* handle_;
  gemm_function<float> sgemm_ = nullptr;
  gemm_function<double> dgemm_ = nullptr;
  gemv_function<float> sgemv_ = nullptr;
  gemv_function<double> dgemv_ = nullptr;
};

/// Returns a gemm task on a BLAS.
inline task blas_task(const blas_library& blas, const words& problem) {
  return gemm_task(problem, [&blas]<class T>(const std::shared_ptr<gemm_problem<T>>& p) {
    return prepared_product{.run = [&blas, p] { blas.multiply(*p); },
                            .detail = p->m == 1 || p->n == 1 ? "gemv" : "gemm"};
  });
}

}  // namespace peer
