// SPDX-License-Identifier: MIT
#include <ridgepoint/cpu/projected_lstm.hpp>

#include "support/cpu_copies.hpp"
#include "support/projected_lstm_operands.hpp"
#include "support/recurrent_shapes.hpp"

namespace rp = ridgepoint;
using namespace agreement;

namespace {

/// Returns cases with sizes around a register and a panel of units and of projected values, and with few samples and
/// more than one part. Every optional operand is present in some cases. Some have enough rows to pack weights in either
/// pass, or row strides that would be a multiple of half a page.
std::vector<projected_case> projected_cases() {
  constexpr index_t samples[] = {1, 3, 8, 17}, units[] = {1, 5, 16, 33}, projections[] = {1, 4, 16, 20},
                    steps[] = {1, 2, 7}, inputs[] = {1, 3, 20};
  std::vector<projected_case> all;
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j) {
      projected_case c;
      c.steps = steps[(i + 2 * j) % 3], c.n = samples[i], c.in = inputs[(i + j) % 3], c.units = units[j];
      c.p = projections[(3 * i + j) % 4];
      c.sample_major = j % 2 == 1, c.states = (i + j / 2) % 2 == 0, c.whole = (i + j) % 3 != 0;
      c.backwards = (i * j) % 4 == 3;
      all.push_back(c);
      if ((i + j) % 2 == 0) all.push_back({c.masked(), c.p});
    }
  all.push_back({{0, 0, 0, 0}, 3}), all.back().steps = 2, all.back().in = 3, all.back().units = 5;
  all.push_back({{17, 31, 2, 3}, 2});
  all.push_back({recurrent_case{17, 31, 2, 3, true, false}.masked(), 2});
  all.push_back({{3, 9, 2, 128}, 256});
  return all;
}

}  // namespace

TEST_CASE_TEMPLATE("an LSTM with a projected state agrees with its definition, with and without constant weights", T,
                   float, double) {
  for (const projected_case& c : projected_cases())
    for (const bool saved : {false, true}) {
      INFO(c.name());
      CAPTURE(c.p);
      CAPTURE(saved);
      const auto run = [&](const auto& on, const auto& p, rp::step_state*) {
        execute(on, projected_args_of<element_t<decltype(p)>>(c, p, saved));
      };
      agree_each<T>(projected_operands<T>(c), run, on_cpu, on_cpu_of_constants, on_cpu_of_prepared);
    }
}

TEST_CASE_TEMPLATE("the gradient of an LSTM with a projected state agrees with its definition", T, float, double) {
  for (const projected_case& c : projected_cases()) {
    INFO(c.name());
    CAPTURE(c.p);
    const auto run = [&](const auto& on, const auto& p, rp::step_state*) {
      execute(on, projected_gradient_of<element_t<decltype(p)>>(c, p));
    };
    agree_each<T>(projected_gradient_operands<T>(c), run, on_cpu, on_cpu_of_prepared);
  }
}

TEST_CASE_TEMPLATE(
    "an LSTM with a projected state gives the same results step by step, and the same bits when prepared", T, float,
    double) {
  for (const index_t n : {index_t{2}, index_t{40}}) {
    CAPTURE(n);
    projected_case c{{20, n, 3, 9}, 6};
    std::vector<std::vector<T>> values;
    for (const operand& o : projected_operands<T>(c)) values.emplace_back(o.values.begin(), o.values.end());
    const auto outputs_of = [&](const auto& with) {
      std::vector<T*> p;
      auto copies = values;
      for (auto& v : copies) p.push_back(v.data());
      with(p);
      return std::vector(copies.begin() + 7, copies.end());
    };
    const cpu_copy one_shot(2);
    const cpu_of_prepared prepared{tested_cpu(2)};
    const auto whole = outputs_of([&](const auto& p) { execute(one_shot, projected_args_of<T>(c, p, true)); });
    CHECK(whole == outputs_of([&](const auto& p) { execute(prepared, projected_args_of<T>(c, p, true)); }));
    const auto by_step = outputs_of([&](const std::vector<T*>& p) {
      for (index_t t = 0; t < c.steps; ++t) {
        projected_case step = c;
        step.steps = 1;
        std::vector<T*> at = p;
        at[0] += t * n * c.in, at[7] += t * n * c.p, at[9] += t * n * c.units, at[10] += t * n * 4 * c.units,
            at[11] += t * n * c.units;
        std::vector<T> h0(p[5], p[5] + n * c.p), c0(p[6], p[6] + n * c.units);
        at[5] = h0.data(), at[6] = c0.data();
        auto args = projected_args_of<T>(step, at, true);
        args.gate = c.gate();
        execute(one_shot, args);
        std::copy_n(at[8], n * c.p, p[5]), std::copy_n(at[12], n * c.units, p[6]);
      }
    });
    for (std::size_t o = 0; o < whole.size(); ++o)
      for (std::size_t i = 0; i < whole[o].size(); ++i)
        CHECK(std::abs(whole[o][i] - by_step[o][i]) <= 100 * std::numeric_limits<T>::epsilon());
  }
}

TEST_CASE("decaying projected states are flushed to zero before they are subnormal") {
  constexpr index_t n = 40;
  constexpr float least = std::numeric_limits<float>::min();
  const std::vector<float> x(n, 0), wx(4, 0), wh(4, 0), wp{1}, c0(n, 1.5F * least);
  std::vector<float> y(n, -1), last_c(n, -1);
  const rp::projected_lstm_args<float> decaying{
      .operands = {.x = {x.data(), 1, n, 1, n, 1},
                   .wx = wx.data(),
                   .wh = wh.data(),
                   .y = rp::sequence_view<float>::time_major(y.data(), 1, n, 1)},
      .units = 1,
      .wp = wp.data(),
      .c0 = c0.data(),
      .last_c = last_c.data()};
  for (const int threads : {1, 3}) {
    execute(on_cpu(threads), decaying);
    for (const float value : last_c) CHECK(value == 0);
    execute(tested_cpu(threads, rp::subnormals::as_they_are), decaying);
    for (const float value : last_c) CHECK(value == 0.75F * least);
  }
}
