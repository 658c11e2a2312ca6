// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/attention.hpp>

#include "support/agreement.hpp"

/// Test cases of attention.
namespace agreement {

/// Attention of some extents, with separate q, k and v or, if `packed`, adjacent as one projection produces them.
struct attention_case {
  index_t n, queries, keys, heads, width;
  bool causal = false, packed = false;
  std::vector<std::int32_t> lengths = {};
  double scale = 0;

  [[nodiscard]] std::string name() const {
    return ridgepoint::concat(n, " x ", queries, 'x', keys, " x ", heads, 'x', width, causal ? " causal" : "",
                              packed ? " packed" : "", lengths.empty() ? "" : " lengths");
  }
  [[nodiscard]] index_t of_queries() const { return n * queries * heads * width; }
  [[nodiscard]] index_t of_keys() const { return n * keys * heads * width; }
  /// Returns one of q, k and v, or of their gradients, which begin at operand `first` of `p`.
  template <class T, class S>
  [[nodiscard]] ridgepoint::heads_view<T> part(const std::vector<S*>& p, std::size_t first, std::size_t which) const {
    const index_t steps = which == 0 ? queries : keys, row = heads * width;
    if (!packed) return {p[first + which], {n, steps, heads, width}};
    return {
        p[first] + static_cast<index_t>(which) * row, {n, steps, heads, width}, {3 * steps * row, 3 * row, width, 1}};
  }
  template <class T>
  [[nodiscard]] std::vector<operand> operands_of() const {
    const index_t q = packed ? 3 * of_queries() : of_queries(), k = packed ? 0 : of_keys();
    return {random_values<T>(q, 1),
            random_values<T>(k, 2),
            random_values<T>(k, 3),
            output(of_queries()),
            output(n * heads * queries),
            random_values<T>(of_queries(), 4),
            output(q),
            output(k),
            output(k)};
  }
  /// Runs forward, with and without the logarithms, and backward.
  [[nodiscard]] auto run() const {
    return [this](const auto& on, const auto& p, ridgepoint::step_state*) {
      using S = element_t<decltype(p)>;
      const ridgepoint::heads_view<S> y(p[3], {n, queries, heads, width});
      ridgepoint::attention_args<S> forward{.options = {.causal = causal, .scale = scale},
                                            .q = part<const S>(p, 0, 0),
                                            .k = part<const S>(p, 0, 1),
                                            .v = part<const S>(p, 0, 2),
                                            .lengths = lengths.empty() ? nullptr : lengths.data(),
                                            .y = y};
      check(forward);
      execute(on, forward);
      forward.log_sums = p[4];
      execute(on, forward);
      const ridgepoint::attention_backward_args<S> backward{.options = forward.options,
                                                            .q = forward.q,
                                                            .k = forward.k,
                                                            .v = forward.v,
                                                            .lengths = forward.lengths,
                                                            .y = y,
                                                            .log_sums = p[4],
                                                            .dy = {p[5], y.extents},
                                                            .dq = part<S>(p, 6, 0),
                                                            .dk = part<S>(p, 6, 1),
                                                            .dv = part<S>(p, 6, 2)};
      check(backward);
      execute(on, backward);
    };
  }
};

}  // namespace agreement
