// SPDX-License-Identifier: MIT
#include <ridgepoint/mxu/gemm.hpp>

#include "mxu/backend.hpp"

namespace rp = ridgepoint;
using namespace agreement;

namespace {

struct dense_extents {
  index_t n, in, out;
};

template <class On, class Make>
void check_dense(const On& on, const dense_extents& e, const Make& make) {
  CAPTURE(e.n);
  CAPTURE(e.in);
  CAPTURE(e.out);
  const operand x = make(e.n * e.in, 1), w = make(e.in * e.out, 2), dy = make(e.n * e.out, 4),
                bias = random_values<float>(e.out, 3);
  for (const rp::activation f : {rp::activation::none, rp::activation::relu, rp::activation::sigmoid})
    agree<float>(on, {x, w, bias, output(e.n * e.out)}, [&](const auto& where, const auto& p, rp::step_state*) {
      using S = element_t<decltype(p)>;
      execute(where,
              rp::dense_args<S>{
                  .x = {p[0], e.n, e.in}, .w = {p[1], e.in, e.out}, .bias = p[2], .y = {p[3], e.n, e.out}, .act = f});
    });
  agree<float>(on, {dy, w, output(e.n * e.in)}, [&](const auto& where, const auto& p, rp::step_state*) {
    using S = element_t<decltype(p)>;
    execute(where, rp::dense_backward_data_args<S>{
                       .dy = {p[0], e.n, e.out}, .w = {p[1], e.in, e.out}, .dx = {p[2], e.n, e.in}});
  });
  agree<float>(
      on, {x, dy, output(e.in * e.out), output(e.out)}, [&](const auto& where, const auto& p, rp::step_state*) {
        using S = element_t<decltype(p)>;
        execute(where, rp::dense_backward_weights_args<S>{
                           .x = {p[0], e.n, e.in}, .dy = {p[1], e.n, e.out}, .dw = {p[2], e.in, e.out}, .db = p[3]});
      });
}

}  // namespace

TEST_CASE("dense agrees with its definition if the format rounds nothing") {
  for (const dense_extents& e : {dense_extents{1, 1, 1}, {3, 5, 7}, {4, 8, 4}, {17, 9, 10}, {0, 4, 3}, {4, 0, 3}}) {
    check_dense(mxu_backend::on_fp32, e,
                [](index_t size, std::uint64_t seed) { return random_values<float>(size, seed); });
    check_dense(mxu_backend::on_bf16, e, mxu_backend::bf16_values);
  }
}

TEST_CASE("bf16: only multiplied operands are rounded; biases, their gradients and results stay fp32") {
  const auto on = mxu_backend::small_mxu(rp::systolic::number_format::bf16);
  const float exact = 1.00390625F, x = 1, w = exact, bias = exact;
  float y = 0, dw = 0, db = 0;
  rp::dense<float>(on, {&x, 1, 1}, {&w, 1, 1}, &bias, rp::matrix_view<float>(&y, 1, 1));
  CHECK(y == 1 + exact);  // w enters the array as 1, the bias does not
  rp::dense_backward_weights<float>(on, {&x, 1, 1}, {&w, 1, 1}, rp::matrix_view<float>(&dw, 1, 1), &db);
  CHECK(dw == 1);
  CHECK(db == exact);
}
