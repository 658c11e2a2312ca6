// SPDX-License-Identifier: MIT
// bench_attention: attention of shapes/attention.csv, with queries, keys and values adjacent in memory, forward and
// backward.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include <ridgepoint/ops/prepare.hpp>
#include <ridgepoint/reference/attention.hpp>

#include "suite.hpp"

namespace rp = ridgepoint;
using rp::index_t;

namespace {

/// Memory of a problem, and its arguments.
struct attention_problem {
  index_t n, steps, heads, width;
  bool causal;
  std::vector<float> qkv, dqkv, y, dy, log_sums;

  explicit attention_problem(const std::vector<std::string>& row)
      : n(std::stol(row.at(1))),
        steps(std::stol(row.at(2))),
        heads(std::stol(row.at(3))),
        width(std::stol(row.at(4))),
        causal(row.at(5) == "causal"),
        qkv(random(3, 1)),
        dqkv(qkv.size()),
        y(qkv.size() / 3),
        dy(random(1, 2)),
        log_sums(static_cast<std::size_t>(n * heads * steps)) {}

  [[nodiscard]] rp::attention_args<float> forward() {
    return {.options = {.causal = causal},
            .q = part<const float>(qkv.data(), 0),
            .k = part<const float>(qkv.data(), 1),
            .v = part<const float>(qkv.data(), 2),
            .y = {y.data(), {n, steps, heads, width}},
            .log_sums = log_sums.data()};
  }
  [[nodiscard]] rp::attention_backward_args<float> backward() {
    const auto of = forward();
    return {.options = of.options,
            .q = of.q,
            .k = of.k,
            .v = of.v,
            .y = of.y,
            .log_sums = of.log_sums,
            .dy = {dy.data(), of.y.extents},
            .dq = part<float>(dqkv.data(), 0),
            .dk = part<float>(dqkv.data(), 1),
            .dv = part<float>(dqkv.data(), 2)};
  }
  /// Checks the last queries of the last head, which attend to all earlier positions, against the definition.
  void verify() {
    const index_t rows = std::min<index_t>(steps, 4);
    std::vector<float> some_y(static_cast<std::size_t>(rows * width)), dq(some_y.size()),
        keys(static_cast<std::size_t>(2 * steps * width));
    std::vector<float> sums(static_cast<std::size_t>(rows));
    const auto last = [&](auto view, index_t count) {
      view.data += (n - 1) * view.strides[0] + (steps - count) * view.strides[1] + (heads - 1) * view.strides[2];
      view.extents = {1, count, 1, width};
      return view;
    };
    auto of = backward();
    rp::attention_args<float> few = forward();
    few.q = last(few.q, rows), few.k = last(few.k, steps), few.v = last(few.v, steps);
    few.y = {some_y.data(), few.q.extents}, few.log_sums = sums.data();
    rp::run(rp::reference, few);
    rp::run(rp::reference, rp::attention_backward_args<float>{.options = few.options,
                                                              .q = few.q,
                                                              .k = few.k,
                                                              .v = few.v,
                                                              .y = few.y,
                                                              .log_sums = sums.data(),
                                                              .dy = last(of.dy, rows),
                                                              .dq = {dq.data(), few.q.extents},
                                                              .dk = {keys.data(), few.k.extents},
                                                              .dv = {keys.data() + steps * width, few.k.extents}});
    const auto check = [&](const auto& got, const std::vector<float>& want, const char* what) {
      for (index_t i = 0; i < rows * width; ++i)
        if (!(std::abs(got(0, i / width, 0, i % width) - want[static_cast<std::size_t>(i)]) < 1e-4F))
          throw peer::wrong_result(what);
    };
    check(last(of.y, rows), some_y, "y differs from the definition");
    check(last(of.dq, rows), dq, "dq differs from the definition");
  }

 private:
  [[nodiscard]] std::vector<float> random(index_t parts, unsigned state) const {
    std::vector<float> values(static_cast<std::size_t>(parts * n * steps * heads * width));
    for (float& v : values) {
      state = state * 1664525U + 1013904223U;
      v = static_cast<float>(state >> 8U) * 0x1p-23F - 1;
    }
    return values;
  }
  template <class T, class S>
  [[nodiscard]] rp::heads_view<T> part(S* data, index_t which) const {
    const index_t row = heads * width;
    return {data + which * row, {n, steps, heads, width}, {3 * steps * row, 3 * row, width, 1}};
  }
};

/// Benchmarks prepared arguments; both passes run before a result is checked.
template <class Args>
peer::task attention_task(const rp::cpu& on, const std::shared_ptr<attention_problem>& problem, const Args& args) {
  rp::run(on, problem->forward());
  rp::run(on, problem->backward());
  const auto call = std::make_shared<rp::prepared<rp::cpu, Args>>(on, args);
  return {.work = static_cast<double>(receipt(args).flop),
          .run = [problem, call] { call->run(); },
          .verify = [problem] { problem->verify(); }};
}

}  // namespace

void register_benchmarks();
void register_benchmarks() {
  suite::threads();
  for (const std::vector<std::string>& row : suite::shapes("attention.csv", measurement::columns::attention)) {
    const std::string shape = row.at(1) + 'x' + row.at(2) + 'x' + row.at(3) + 'x' + row.at(4) + 'x' + row.at(5);
    attention_problem sized(row);
    for (const auto& on : suite::backends()) {
      suite::add("attention", on->name(), "forward/" + shape, receipt(sized.forward()), [&on, row] {
        const auto problem = std::make_shared<attention_problem>(row);
        return attention_task(*on, problem, problem->forward());
      });
      suite::add("attention", on->name(), "backward/" + shape, receipt(sized.backward()), [&on, row] {
        const auto problem = std::make_shared<attention_problem>(row);
        return attention_task(*on, problem, problem->backward());
      });
    }
  }
}
