// SPDX-License-Identifier: MIT
#include <dnnl.h>

#include <string_view>

#include "map_problem.hpp"
#include "measurement/trainers/onednn.hpp"
#include "mlp_problem.hpp"
#include "network_problem.hpp"
#include "onednn_about.hpp"
#include "onednn_exp.hpp"

namespace dnn = ridgepoint::onednn_detail;

namespace {

template <class T>
using problem = std::shared_ptr<peer::gemm_problem<T>>;
using peer::prepared_product;
using ridgepoint::matrix_view;

template <class T>
constexpr auto type_of = sizeof(T) == 2 ? dnnl::memory::data_type::bf16 : dnnl::memory::data_type::f32;

template <class T>
dnnl::memory::desc layout(const matrix_view<const T>& v) {
  return {{v.rows, v.cols}, type_of<T>, dnn::strides_of(v)};
}
template <class T>
dnnl::memory::desc any_layout(ridgepoint::index_t rows, ridgepoint::index_t cols) {
  return {{rows, cols}, type_of<T>, dnnl::memory::format_tag::any};
}

/// Multiplies with oneDNN's BLAS-like function.
prepared_product sgemm(const problem<float>& p) {
  return {[p] {
            dnnl_sgemm(p->transpose_a ? 'T' : 'N', p->transpose_b ? 'T' : 'N', p->m, p->n, p->k, 1.0F, p->a(), p->lda,
                       p->b(), p->ldb, 0.0F, p->c(), p->ldc);
          },
          "dnnl_sgemm"};
}

/// Primitive with the arguments of all its calls, created once. If it needs B in another layout, B is converted once,
/// outside the timed calls.
template <class Primitive, class T>
prepared_product calls(const problem<T>& p, const typename Primitive::primitive_desc& chosen,
                       const dnnl::memory::desc& b_layout) {
  const dnnl::engine engine = chosen.get_engine();
  const dnnl::stream stream(engine);
  const dnnl::memory a(chosen.src_desc(), engine, const_cast<T*>(p->a())), c(chosen.dst_desc(), engine, p->c());
  dnnl::memory b(b_layout, engine, const_cast<T*>(p->b()));
  if (chosen.weights_desc() != b_layout) {
    dnnl::memory converted(chosen.weights_desc(), engine);
    dnnl::reorder(b, converted).execute(stream, b, converted);
    b = converted;
  }
  const std::vector<dnnl_exec_arg_t> arguments{
      {DNNL_ARG_SRC, a.get()}, {DNNL_ARG_WEIGHTS, b.get()}, {DNNL_ARG_DST, c.get()}};
  return {
      [p, a, b, c, stream, arguments, primitive = Primitive(chosen)] { dnn::execute(primitive, stream, arguments); },
      chosen.impl_info_str()};
}

/// Returns the matmul primitive with the operands as they are, or with B in the layout that the primitive prefers.
template <class T>
prepared_product matmul(const problem<T>& p, peer::form operands) {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const auto b = layout(p->b_view());
  const auto chosen = dnn::describe<dnnl::matmul>(engine, {}, layout(p->a_view()),
                                                  operands == peer::form::packed ? any_layout<T>(p->k, p->n) : b,
                                                  layout(matrix_view<const T>(p->c_view())));
  if (operands == peer::form::packed && chosen.weights_desc() == b)
    throw peer::not_available("matmul keeps B unchanged");
  return calls<dnnl::matmul>(p, chosen, b);
}

/// Returns the inner product primitive, with B in the layout that it prefers; oneDNN's B is n×k. Not available if
/// oneDNN has only its reference implementation, as for a transposed A: seconds instead of milliseconds.
template <class T>
prepared_product inner_product(const problem<T>& p) {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const auto b = layout(p->b_view().transposed());
  const auto chosen =
      dnn::describe<dnnl::inner_product_forward>(engine, {}, dnnl::prop_kind::forward_inference, layout(p->a_view()),
                                                 any_layout<T>(p->n, p->k), layout(matrix_view<const T>(p->c_view())));
  if (chosen.weights_desc() == b) throw peer::not_available("inner_product keeps B unchanged");
  if (std::string_view(chosen.impl_info_str()).starts_with("ref"))
    throw peer::not_available("inner_product has only its reference for this A");
  return calls<dnnl::inner_product_forward>(p, chosen, b);
}

template <class T>
prepared_product product(const problem<T>& p, const std::string& setting) {
  if constexpr (std::is_same_v<T, double>) {
    throw peer::not_available("oneDNN has no f64 product");
  } else {
    if (setting == "sgemm") {
      if constexpr (std::is_same_v<T, float>) return sgemm(p);
      else throw peer::not_available("dnnl_sgemm multiplies f32");
    }
    if (setting == "packed_inner_product") return inner_product(p);
    return matmul(p, setting == "packed_matmul" ? peer::form::packed : peer::form::plain);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const ridgepoint::onednn on(peer::onednn_threads());
  const ridgepoint::either trains(on, ridgepoint::cpu(peer::onednn_threads()));
  const auto prepare = [&](const peer::words& problem, const std::string& setting) -> peer::task {
    if (problem[0] == "gemm")
      return peer::gemm_task<ridgepoint::bfloat16>(problem, [&](const auto& p) { return product(p, setting); });
    if (setting != "matmul") throw peer::not_available("only a product can be computed in several ways");
    if (problem[0] == "mlp") return peer::mlp_task(trains, problem);
    if (problem[0] == "network") return peer::network_task(trains, problem);
    if (problem.size() > 2 && peer::is_optimiser(problem[2])) throw peer::not_available("oneDNN has no optimisers");
    return peer::map_task(on, problem, peer::onednn_exp);
  };
  const auto limit = peer::onednn_limit();
  return peer::serve(argc, argv,
                     {.settings = {{"matmul", limit},
                                   {"sgemm", limit},
                                   {"packed_matmul", limit, peer::form::packed},
                                   {"packed_inner_product", limit, peer::form::packed}},
                      .about = peer::onednn_about,
                      .prepare = prepare});
}
