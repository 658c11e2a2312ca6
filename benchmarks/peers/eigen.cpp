// SPDX-License-Identifier: MIT
#include <Eigen/Core>

#include "gemm_problem.hpp"

namespace {

template <class T>
using matrix = Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
template <class T>
using result = Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
template <class T>
using row = Eigen::Map<const Eigen::Matrix<T, 1, Eigen::Dynamic>>;
template <class T>
using column = Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, 1>>;

/// C ← op(A)·op(B). Types decide what Eigen runs, so each case is written out; vectors are vectors to it.
template <class T>
void multiply(peer::gemm_problem<T>& p) {
  const matrix<T> a(p.a(), p.transpose_a ? p.k : p.m, p.transpose_a ? p.m : p.k);
  const matrix<T> b(p.b(), p.transpose_b ? p.n : p.k, p.transpose_b ? p.k : p.n);
  result<T> c(p.c(), p.m, p.n);
  if (p.m == 1 && !p.transpose_b) c.row(0).noalias() = row<T>(p.a(), p.k) * b;
  else if (p.m == 1) c.row(0).noalias() = row<T>(p.a(), p.k) * b.transpose();
  else if (p.n == 1 && !p.transpose_a) c.col(0).noalias() = a * column<T>(p.b(), p.k);
  else if (p.n == 1) c.col(0).noalias() = a.transpose() * column<T>(p.b(), p.k);
  else if (p.transpose_a && p.transpose_b) c.noalias() = a.transpose() * b.transpose();
  else if (p.transpose_a) c.noalias() = a.transpose() * b;
  else if (p.transpose_b) c.noalias() = a * b.transpose();
  else c.noalias() = a * b;
}

}  // namespace

int main(int argc, char** argv) {
  return peer::serve(
      argc, argv,
      {.settings = {{"default"}},
       .about =
           [] {
             return "Eigen " + std::to_string(EIGEN_WORLD_VERSION) + '.' + std::to_string(EIGEN_MAJOR_VERSION) + '.' +
                    std::to_string(EIGEN_MINOR_VERSION) + " / " + Eigen::SimdInstructionSetsInUse();
           },
       .prepare =
           [](const peer::words& problem, const std::string&) {
             return peer::gemm_task(problem, []<class T>(const std::shared_ptr<peer::gemm_problem<T>>& p) {
               return std::pair<std::function<void()>, std::string>([p] { multiply(*p); }, "product");
             });
           }});
}
