// SPDX-License-Identifier: MIT
// bench_gemm: products of all shapes in shapes/gemm.csv, the transposed ones of gemm_backward.csv, and gemv.csv.
#include <ridgepoint/ops/gemm.hpp>

#include "suite.hpp"

#if defined(RIDGEPOINT_OPENBLAS) || defined(RIDGEPOINT_BLIS)
#include "measurement/peers/blas_library.hpp"
#endif
#if defined(RIDGEPOINT_EIGEN)
#include "measurement/peers/eigen_product.hpp"
#endif
#if defined(RIDGEPOINT_HAS_ONEDNN)
#include <ridgepoint/onednn/gemm.hpp>
#endif
#include "measurement/peers/gemm_problem.hpp"

namespace rp = ridgepoint;

namespace {

/// Returns the product by a backend of this library.
template <class Backend>
auto on_backend(const Backend& on) {
  return [&on](const peer::words& problem) {
    return peer::gemm_task(problem,
                           [&on]<class T>(const std::shared_ptr<peer::gemm_problem<T>>& p) -> peer::prepared_product {
                             if constexpr (rp::executes<Backend, rp::gemm_args<T>>)
                               return {.run = [&on, p] { rp::gemm(on, p->a_view(), p->b_view(), p->c_view()); }};
                             else throw peer::not_available("not in f64");
                           });
  };
}

struct implementation {
  std::string name;
  std::function<peer::task(const peer::words&)> prepare;
};

/// Returns all implementations of gemm.
std::vector<implementation> implementations() {
  std::vector<implementation> all;
  for (const auto& on : suite::backends()) all.push_back({on->name(), on_backend(*on)});
#if defined(RIDGEPOINT_HAS_ONEDNN)
  static const rp::onednn library(suite::threads());
  all.push_back({"onednn", on_backend(library)});
#endif
#if defined(RIDGEPOINT_OPENBLAS)
  static const peer::blas_library openblas(RIDGEPOINT_OPENBLAS);
  all.push_back({"openblas", [](const peer::words& problem) { return peer::blas_task(openblas, problem); }});
#endif
#if defined(RIDGEPOINT_BLIS)
  static const peer::blas_library blis(RIDGEPOINT_BLIS);
  all.push_back({"blis", [](const peer::words& problem) { return peer::blas_task(blis, problem); }});
#endif
#if defined(RIDGEPOINT_EIGEN)
  all.push_back({"eigen", [](const peer::words& problem) {
                   return peer::gemm_task(problem, []<class T>(const std::shared_ptr<peer::gemm_problem<T>>& p) {
                     return peer::prepared_product{.run = [p] { peer::eigen_multiply(*p); }};
                   });
                 }});
#endif
  return all;
}

template <class T>
rp::work receipt_of(rp::index_t m, rp::index_t n, rp::index_t k) {
  return receipt(rp::gemm_args<T>{.a = {nullptr, m, k}, .b = {nullptr, k, n}, .c = {nullptr, m, n}});
}

/// Adds the rows of a shape file: op "gemm" for f32 nn; "gemm_tn", "gemm_f64" otherwise.
void add(const std::vector<implementation>& all, const std::string& file, const std::string& type,
         const std::string& transpose) {
  const std::string op = "gemm" + (transpose == "nn" ? "" : '_' + transpose) + (type == "f32" ? "" : '_' + type);
  for (const std::vector<std::string>& s : suite::shapes(file, measurement::columns::gemm)) {
    const rp::index_t m = std::stol(s.at(0)), n = std::stol(s.at(1)), k = std::stol(s.at(2));
    const rp::work receipt = type == "f32" ? receipt_of<float>(m, n, k) : receipt_of<double>(m, n, k);
    for (const implementation& i : all) {
      if (type == "f64" && i.name == "onednn") continue;  // it has no f64
      suite::add(
          op, i.name, s[0] + 'x' + s[1] + 'x' + s[2], receipt,
          [prepare = i.prepare, problem = peer::words{"gemm", type, transpose, s[0], s[1], s[2]}] {
            return prepare(problem);
          },
          type);
    }
  }
}

}  // namespace

void register_benchmarks();
void register_benchmarks() {
  suite::threads();
  const std::vector<implementation> all = implementations();
  add(all, "gemm.csv", "f32", "nn");
  add(all, "gemv.csv", "f32", "nn");
  for (const char* transpose : {"tn", "nt"}) add(all, "gemm_backward.csv", "f32", transpose);
  add(all, "gemm.csv", "f64", "nn");
}
