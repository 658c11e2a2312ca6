// SPDX-License-Identifier: MIT
#include <libxsmm.h>

#include "cap.hpp"
#include "gemm_problem.hpp"

namespace {

auto dispatch(const libxsmm_blasint* mnk, const libxsmm_blasint* ld, const float* scale, int flags) {
  return libxsmm_smmdispatch(mnk[0], mnk[1], mnk[2], &ld[0], &ld[1], &ld[2], &scale[1], &scale[0], &flags, nullptr);
}
auto dispatch(const libxsmm_blasint* mnk, const libxsmm_blasint* ld, const double* scale, int flags) {
  return libxsmm_dmmdispatch(mnk[0], mnk[1], mnk[2], &ld[0], &ld[1], &ld[2], &scale[1], &scale[0], &flags, nullptr);
}

/// Returns the kernel generated for this shape, called by its pointer. It is column-major, so it computes Cᵀ = Bᵀ·Aᵀ.
template <class T>
peer::prepared_product multiply(const std::shared_ptr<peer::gemm_problem<T>>& p) {
  constexpr double most_multiplications = 128.0 * 128 * 128;
  if (p->flop() > 2 * most_multiplications) throw peer::not_available("meant for products of at most 128x128x128");
  const auto extent = [](ridgepoint::index_t e) { return static_cast<libxsmm_blasint>(e); };
  const libxsmm_blasint mnk[] = {extent(p->n), extent(p->m), extent(p->k)};
  const libxsmm_blasint ld[] = {extent(p->ldb), extent(p->lda), extent(p->ldc)};
  constexpr T zero_and_one[] = {0, 1};
  const int flags = (p->transpose_b ? LIBXSMM_GEMM_FLAG_TRANS_A : 0) | (p->transpose_a ? LIBXSMM_GEMM_FLAG_TRANS_B : 0);
  const auto kernel = dispatch(mnk, ld, zero_and_one, flags);
  if (kernel == nullptr) throw peer::not_available("no kernel is generated for this product");
  return {.run = [p, kernel] { kernel(p->b(), p->a(), p->c()); }, .detail = "dispatched kernel"};
}

}  // namespace

int main(int argc, char** argv) {
  libxsmm_init();
  return peer::serve(argc, argv,
                     {.settings = {{"default", peer::capping("LIBXSMM_TARGET", {{"scalar", "generic"},
                                                                                {"sse4_2", "wsm"},
                                                                                {"avx", "snb"},
                                                                                {"avx2", "hsw"},
                                                                                {"avx512", "skx"}})}},
                      .about = [] { return std::string("LIBXSMM " LIBXSMM_VERSION " / ") + libxsmm_get_target_arch(); },
                      .prepare = [](const peer::words& problem, const std::string&) -> peer::task {
                        return peer::gemm_task(problem, [](const auto& p) { return multiply(p); });
                      }});
}
