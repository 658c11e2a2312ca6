// SPDX-License-Identifier: MIT
#include <ridgepoint/mxu/attention.hpp>

#include <ridgepoint/mxu/plan.hpp>

#include "mxu/backend.hpp"
#include "support/near.hpp"

namespace rp = ridgepoint;
using namespace agreement;

TEST_CASE("attention agrees with its definition on the TPU") {
  const std::int32_t lengths[] = {2, 0, 5};
  for (const std::array<index_t, 5>& e : {std::array<index_t, 5>{3, 4, 5, 2, 3}, {2, 3, 3, 1, 6}, {1, 4, 2, 1, 3}})
    for (const bool causal : {false, true}) {
      const auto [n, queries, keys, heads, width] = e;
      const index_t q = n * queries * heads * width, k = n * keys * heads * width;
      const std::array<index_t, 4> of_queries{n, queries, heads, width}, of_keys{n, keys, heads, width};
      agree<float>(
          mxu_backend::on_fp32,
          {random_values<float>(q, 1, -1, 1), random_values<float>(k, 2, -1, 1), random_values<float>(k, 3, -1, 1),
           output(q), output(n * heads * queries), random_values<float>(q, 4, -1, 1), output(q), output(k), output(k)},
          [&](const auto& on, const auto& p, rp::step_state*) {
            using S = element_t<decltype(p)>;
            const rp::attention_args<S> forward{.options = {.causal = causal},
                                                .q = {p[0], of_queries},
                                                .k = {p[1], of_keys},
                                                .v = {p[2], of_keys},
                                                .lengths = of_keys[0] == 3 ? lengths : nullptr,
                                                .y = {p[3], of_queries},
                                                .log_sums = p[4]};
            execute(on, forward);
            execute(on, rp::attention_backward_args<S>{.options = forward.options,
                                                       .q = forward.q,
                                                       .k = forward.k,
                                                       .v = forward.v,
                                                       .lengths = forward.lengths,
                                                       .y = forward.y,
                                                       .log_sums = p[4],
                                                       .dy = {p[5], of_queries},
                                                       .dq = {p[6], of_queries},
                                                       .dk = {p[7], of_keys},
                                                       .dv = {p[8], of_keys}});
          });
    }
}

TEST_CASE("attention is one repetition per head and sample") {
  const rp::tpu::chip v2 = rp::tpu::find_chip("v2");
  const auto attention = [](index_t n, index_t steps) {
    const std::array<index_t, 4> extents{n, steps, 8, 64};
    return rp::attention_args<float>{
        .q = {nullptr, extents}, .k = {nullptr, extents}, .v = {nullptr, extents}, .y = {nullptr, extents}};
  };
  const auto op = modelled(v2, attention(4, 512));
  CHECK(op.repeat == 32);
  CHECK(op.repeat * op.receipt.matrix_flop == receipt(attention(4, 512)).matrix_flop);
  const double started_s = 2 * v2.fit.op_latency_s;  // two batched products, once for all heads
  CHECK(op.overhead_s == near(started_s / 32));
  CHECK(modelled(v2, attention(8, 512)).total_s() == near(2 * op.total_s() - started_s));
  CHECK(modelled(v2, attention(0, 512)).elapsed_s == 0);
  rp::attention_backward_args<float> back;
  back.q = back.k = back.v = back.y = back.dy = attention(4, 512).q;
  const auto backward = modelled(v2, back);
  CHECK(backward.repeat == 32);
  CHECK(backward.repeat * backward.receipt.matrix_flop == receipt(back).matrix_flop);
  CHECK(backward.total_s() > 2 * op.total_s());
}
