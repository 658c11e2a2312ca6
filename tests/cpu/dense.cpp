// SPDX-License-Identifier: MIT
#include <ridgepoint/cpu/dense.hpp>

#include "support/cpu_sizes.hpp"

namespace rp = ridgepoint;
using namespace agreement;

TEST_CASE_TEMPLATE("dense agrees with its definition, forward and backward", T, float, double) {
  struct extents {
    index_t n, in, out;
  };
  for (const extents& e :
       {extents{1, 1, 1}, {3, 5, 7}, {16, 33, 10}, {65, 17, 129}, {130, 40, 257}, {0, 4, 3}, {4, 0, 3}}) {
    const index_t n = e.n, in = e.in, out = e.out;
    CAPTURE(n);
    CAPTURE(in);
    CAPTURE(out);
    const operand x = random_values<T>(n * in, 1), w = random_values<T>(in * out, 2), bias = random_values<T>(out, 3),
                  dy = random_values<T>(n * out, 4);
    for (const rp::activation f : {rp::activation::none, rp::activation::relu, rp::activation::relu6,
                                   rp::activation::sigmoid, rp::activation::tanh})
      for (const bool has_bias : {true, false})
        agree<T>(on_cpu, {x, w, bias, output(n * out)}, [&](const auto& on, const auto& p, rp::step_state*) {
          using S = element_t<decltype(p)>;
          execute(on, rp::dense_args<S>{.x = {p[0], n, in},
                                        .w = {p[1], in, out},
                                        .bias = has_bias ? p[2] : nullptr,
                                        .y = {p[3], n, out},
                                        .act = f});
        });
    agree<T>(on_cpu, {dy, w, output(n * in)}, [&](const auto& on, const auto& p, rp::step_state*) {
      using S = element_t<decltype(p)>;
      execute(on, rp::dense_backward_data_args<S>{.dy = {p[0], n, out}, .w = {p[1], in, out}, .dx = {p[2], n, in}});
    });
    agree<T>(on_cpu, {x, dy, output(in * out), output(out)}, [&](const auto& on, const auto& p, rp::step_state*) {
      using S = element_t<decltype(p)>;
      execute(on, rp::dense_backward_weights_args<S>{
                      .x = {p[0], n, in}, .dy = {p[1], n, out}, .dw = {p[2], in, out}, .db = p[3]});
    });
  }
}

TEST_CASE_TEMPLATE("the bias gradient of a large batch has the same bits for any number of threads", T, float, double) {
  const index_t n = 700, out = 300;
  agree<T>(on_cpu, {random_values<T>(n, 1), random_values<T>(n * out, 2), output(out), output(out)},
           [&](const auto& on, const auto& p, rp::step_state*) {
             using S = element_t<decltype(p)>;
             execute(on, rp::dense_backward_weights_args<S>{
                             .x = {p[0], n, 1}, .dy = {p[1], n, out}, .dw = {p[2], 1, out}, .db = p[3]});
           });
}
