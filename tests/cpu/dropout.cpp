// SPDX-License-Identifier: MIT
#include <ridgepoint/cpu/elementwise.hpp>

#include "support/cpu_sizes.hpp"

namespace rp = ridgepoint;
using namespace agreement;

TEST_CASE_TEMPLATE("dropout gives the bits of its definition", T, float, double) {
  std::vector<index_t> sizes = cpu_sizes<T>();
  for (const index_t size : around(rp::dropout_mask::block)) sizes.push_back(size);
  for (const index_t size : sizes)
    for (const double rate : {0.0, 0.45, 0.999}) {
      CAPTURE(size);
      CAPTURE(rate);
      const operand x = random_values<T>(size, 1);
      const auto dropout = [&](const auto& on, const auto& p, rp::step_state* state) {
        using S = element_t<decltype(p)>;
        execute(on, rp::dropout_args<S>{
                        .size = size, .x = p[0], .y = p[1], .rate = rate, .seed = 7, .stream = 3, .state = state});
      };
      agree<T>(on_cpu, {x, output(size)}, dropout);
      const std::vector<operand> operands{x, output(size)};
      memory<T, guarded_vector<T>> want(operands,
                                        [](index_t n) { return guarded_vector<T>(n, placement_in_page::at_the_end); });
      memory<T, guarded_vector<T>> got(operands,
                                       [](index_t n) { return guarded_vector<T>(n, placement_in_page::at_the_end); });
      rp::step_state state = start;
      dropout(rp::reference, want.pointers, &state);
      dropout(on_cpu(2), got.pointers, &state);
      CHECK(std::memcmp(want.pointers[1], got.pointers[1], static_cast<std::size_t>(size) * sizeof(T)) == 0);
    }
}

TEST_CASE_TEMPLATE("steps with a shared mask match the bits of the definition", T, float, double) {
  struct extents {
    index_t samples, steps, width;
  };
  for (const extents& e :
       {extents{1, 2, 1}, {3, 28, 28}, {2, 5, 128}, {5, 3, 200}, {2, 40, 57}, {300, 3, 130}, {0, 4, 8}})
    for (const double rate : {0.0, 0.2, 0.5}) {
      CAPTURE(e.samples);
      CAPTURE(e.steps);
      CAPTURE(e.width);
      CAPTURE(rate);
      const index_t size = e.samples * e.steps * e.width;
      const operand x = random_values<T>(size, 1);
      const auto dropout = [&](const auto& on, const auto& p, rp::step_state* state) {
        using S = element_t<decltype(p)>;
        execute(on, rp::dropout_args<S>{.size = size,
                                        .x = p[0],
                                        .y = p[1],
                                        .rate = rate,
                                        .seed = 7,
                                        .stream = 3,
                                        .state = state,
                                        .steps = e.steps,
                                        .width = e.width});
      };
      agree<T>(on_cpu, {x, output(size)}, dropout);
      std::vector<T> want(static_cast<std::size_t>(size)), got(want);
      std::vector<T> from(x.values.begin(), x.values.end());
      rp::step_state state = start;
      dropout(rp::reference, std::array{from.data(), want.data()}, &state);
      dropout(on_cpu(2), std::array{from.data(), got.data()}, &state);
      CHECK(want == got);
    }
}

TEST_CASE("a dropped NaN becomes zero, a kept NaN stays") {
  const index_t size = 300;
  std::vector<float> x(size, std::numeric_limits<float>::quiet_NaN()), y(size);
  rp::step_state state;
  execute(on_cpu(1), rp::dropout_args<float>{
                         .size = size, .x = x.data(), .y = y.data(), .rate = 0.5F, .seed = 1, .state = &state});
  const rp::dropout_mask mask(0.5, 1, 0, 0);
  for (index_t i = 0; i < size; ++i) CHECK(std::isnan(y[static_cast<std::size_t>(i)]) == mask.keeps(i));
}
