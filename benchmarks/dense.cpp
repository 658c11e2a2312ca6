// SPDX-License-Identifier: MIT
// bench_dense: the three passes of the dense layers in shapes/dense.csv.
#include "measurement/peers/dense_problem.hpp"
#include "suite.hpp"

#if defined(RIDGEPOINT_HAS_ONEDNN)
#include <ridgepoint/onednn/gemm.hpp>
#endif

namespace rp = ridgepoint;

namespace {

template <class Backend>
void add(const Backend& on) {
  for (const std::vector<std::string>& s : suite::shapes("dense.csv", measurement::columns::dense)) {
    const rp::index_t n = std::stol(s.at(0)), in = std::stol(s.at(1)), out = std::stol(s.at(2));
    const auto add_pass = [&](rp::pass p, const char* op, const rp::work& receipt) {
      suite::add(op, on.name(), s[0] + 'x' + s[1] + 'x' + s[2], receipt,
                 [=, &on] { return peer::dense_task(on, p, n, in, out); });
    };
    float bias = 0;  // any address
    const rp::matrix_view<float> x(nullptr, n, in), w(nullptr, in, out), y(nullptr, n, out);
    add_pass(rp::pass::forward, "dense",
             receipt(rp::dense_args<float>{.x = x, .w = w, .bias = &bias, .y = y, .act = rp::activation::relu}));
    add_pass(rp::pass::backward_data, "dense_backward_data",
             receipt(rp::dense_backward_data_args<float>{.dy = y, .w = w, .dx = x}));
    add_pass(rp::pass::backward_weights, "dense_backward_weights",
             receipt(rp::dense_backward_weights_args<float>{.x = x, .dy = y, .dw = w, .db = &bias}));
  }
}

}  // namespace

void register_benchmarks();
void register_benchmarks() {
  suite::threads();
  for (const auto& on : suite::backends()) add(*on);
#if defined(RIDGEPOINT_HAS_ONEDNN)
  static const rp::onednn library(suite::threads());
  add(library);
#endif
}
