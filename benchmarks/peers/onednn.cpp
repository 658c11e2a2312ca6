// SPDX-License-Identifier: MIT
#include <dnnl.h>

#include <cstdlib>

#include <ridgepoint/onednn/all.hpp>

#include "map_problem.hpp"
#include "mlp_problem.hpp"
#include "onednn_exp.hpp"

namespace dnn = ridgepoint::onednn_detail;

namespace {

using problem = std::shared_ptr<peer::gemm_problem<float>>;
using runnable = std::pair<std::function<void()>, std::string>;

/// oneDNN's BLAS-like entry.
runnable sgemm(const problem& p) {
  return {[p] {
            dnnl_sgemm(p->transpose_a ? 'T' : 'N', p->transpose_b ? 'T' : 'N', p->m, p->n, p->k, 1.0F, p->a(), p->lda,
                       p->b(), p->ldb, 0.0F, p->c(), p->ldc);
          },
          "dnnl_sgemm"};
}

dnnl::memory::desc described(ridgepoint::matrix_view<const float> v) {
  return {{v.rows, v.cols}, dnnl::memory::data_type::f32, {v.row_stride, v.col_stride}};
}

/// The matmul primitive; `packed` lets it choose the layout of B, which is converted once, outside the timed calls.
runnable matmul(const problem& p, bool packed) {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const dnnl::stream stream(engine);
  const auto a = described(p->a_view()), b = described(p->b_view()), c = described(p->c_view());
  const dnnl::memory::desc any({p->k, p->n}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::any);
  const auto chosen = dnn::describe<dnnl::matmul>(engine, {}, a, packed ? any : b, c);
  const dnnl::memory ma(a, engine, const_cast<float*>(p->a())), mc(c, engine, p->c());
  dnnl::memory mb(b, engine, const_cast<float*>(p->b()));
  std::string detail = chosen.impl_info_str();
  if (packed) {
    if (chosen.weights_desc() == b) throw peer::not_available("matmul keeps B as it is");
    dnnl::memory reordered(chosen.weights_desc(), engine);
    dnnl::reorder(mb, reordered).execute(stream, mb, reordered);
    mb = reordered;
    detail += ", B packed beforehand";
  }
  const dnnl::matmul primitive(chosen);
  const std::unordered_map<int, dnnl::memory> operands{{DNNL_ARG_SRC, ma}, {DNNL_ARG_WEIGHTS, mb}, {DNNL_ARG_DST, mc}};
  return {[=] { primitive.execute(stream, operands); }, detail};
}

int threads() {
  const char* n = std::getenv("OMP_NUM_THREADS");
  return n == nullptr ? 0 : std::atoi(n);
}

std::string about() {
  const dnnl_version_t* v = dnnl_version();
  return "oneDNN " + std::to_string(v->major) + '.' + std::to_string(v->minor) + '.' + std::to_string(v->patch) +
         " / " + dnnl_cpu_isa2str(dnnl_get_effective_cpu_isa());
}

}  // namespace

int main(int argc, char** argv) {
  const ridgepoint::onednn on(threads());
  const auto prepare = [&](const peer::words& problem, const std::string& setting) -> peer::task {
    if (problem[0] == "gemm") {
      return peer::gemm_task(problem, [&]<class T>(const std::shared_ptr<peer::gemm_problem<T>>& p) -> runnable {
        if constexpr (std::is_same_v<T, float>) return setting == "sgemm" ? sgemm(p) : matmul(p, setting == "packed");
        else throw peer::not_available("oneDNN has no f64 product");
      });
    }
    if (setting != "matmul") throw peer::not_available("only a product can be computed in several ways");
    if (problem[0] == "mlp") return peer::mlp_task(on, problem);
    if (problem.size() > 2 && peer::is_optimiser(problem[2])) throw peer::not_available("oneDNN has no optimisers");
    return peer::map_task(on, problem, peer::onednn_exp);
  };
  return peer::serve(argc, argv, {.settings = {{"matmul"}, {"sgemm"}, {"packed"}}, .about = about, .prepare = prepare});
}
