// SPDX-License-Identifier: MIT
// Checks attention values against the explicit formula, gradients against finite differences in double.
#include <ridgepoint/reference/attention.hpp>

#include <doctest/doctest.h>

#include <cmath>

#include "support/gradient.hpp"
#include "support/random_tensor.hpp"

namespace rp = ridgepoint;
using rp::index_t;

namespace {

struct heads_extents {
  index_t n, queries, keys, heads, width;
};

/// Attention and its gradient on tensors.
struct attention_problem {
  heads_extents e;
  rp::attention_options options;
  std::vector<std::int32_t> lengths = {};
  rp::tensor<double> q = random_tensor({e.n, e.queries, e.heads, e.width}, 1),
                     k = random_tensor({e.n, e.keys, e.heads, e.width}, 2), v = random_tensor(k.shape(), 3),
                     weight = random_tensor(q.shape(), 4), y{q.shape()}, dq{q.shape()}, dk{k.shape()}, dv{k.shape()};
  rp::tensor<double> log_sums{{e.n, e.heads, e.queries}};

  double loss() {
    rp::attention(rp::reference, q, k, v, y, options, {.lengths = lengths, .log_sums = log_sums});
    return dot(weight, y);
  }
  void differentiate() {
    static_cast<void>(loss());
    rp::attention_backward(rp::reference, q, k, v, y, log_sums, weight, dq, dk, dv, options, {.lengths = lengths});
  }
};

}  // namespace

TEST_CASE("a query gets the mean of its visible values, weighted by the exponentials of its scores") {
  attention_problem p{{2, 3, 4, 2, 3}, {.causal = true, .scale = 0.7}, {4, 3}};
  static_cast<void>(p.loss());
  for (index_t n = 0; n < 2; ++n)
    for (index_t h = 0; h < 2; ++h)
      for (index_t i = 0; i < 3; ++i) {
        const index_t seen = std::min<index_t>(i + 2, p.lengths[static_cast<std::size_t>(n)]);
        const auto at = [](const rp::tensor<double>& x, index_t sample, index_t row, index_t head, index_t c) {
          return x[((sample * x.shape()[1] + row) * 2 + head) * 3 + c];
        };
        double sum = 0, mean[3] = {};
        for (index_t j = 0; j < seen; ++j) {
          double score = 0;
          for (index_t c = 0; c < 3; ++c) score += at(p.q, n, i, h, c) * at(p.k, n, j, h, c);
          const double weight = std::exp(0.7 * score);
          sum += weight;
          for (index_t c = 0; c < 3; ++c) mean[c] += weight * at(p.v, n, j, h, c);
        }
        for (index_t c = 0; c < 3; ++c) CHECK(std::abs(at(p.y, n, i, h, c) - mean[c] / sum) < 1e-14);
        CHECK(std::abs(p.log_sums[(n * 2 + h) * 3 + i] - std::log(sum)) < 1e-14);
      }
}

TEST_CASE("attention: the gradients for queries, keys and values") {
  for (attention_problem p :
       {attention_problem{{2, 3, 4, 2, 3}, {}}, attention_problem{{1, 4, 4, 2, 2}, {.causal = true}},
        attention_problem{{1, 5, 3, 1, 2}, {.causal = true, .scale = 0.3}},
        attention_problem{{3, 2, 4, 1, 3}, {}, {0, 2, 4}}}) {
    CAPTURE(p.e.queries);
    p.differentiate();
    const auto loss = [&] { return p.loss(); };
    check_gradient(p.q.values(), p.dq.values(), loss);
    check_gradient(p.k.values(), p.dk.values(), loss);
    check_gradient(p.v.values(), p.dv.values(), loss);
  }
}

TEST_CASE("a query without visible keys gives zeros and minus infinity, and has no gradient") {
  attention_problem p{{1, 4, 2, 1, 3}, {.causal = true}};
  p.differentiate();
  for (index_t c = 0; c < 2 * 3; ++c) CHECK((p.y[c] == 0 && p.dq[c] == 0));
  CHECK((p.log_sums[0] == -INFINITY && p.log_sums[1] == -INFINITY && std::isfinite(p.log_sums[2])));
  CHECK((p.y[2 * 3] != 0 && p.dq[3 * 3] != 0));
}
