// SPDX-License-Identifier: MIT
#include <cmath>
#include <limits>

#include <ridgepoint/cpu/optimisers.hpp>

#include <ridgepoint/cpu/all.hpp>

#include "support/close.hpp"
#include "support/cpu_sizes.hpp"

namespace rp = ridgepoint;
using namespace agreement;

namespace {

/// Each part of a rule alone, and all combined. The norm of agreement's start, √2.5, is above or below clip_norm.
constexpr rp::update_rule rules[] = {
    {.rate_factor = 0.5},
    {.weight_decay = 0.1},
    {.decoupled_weight_decay = 0.3},
    {.clip_value = 0.75},
    {.clip_norm = 1},
    {.clip_norm = 2},
    {.rate_factor = 3, .weight_decay = 0.2, .decoupled_weight_decay = 0.1, .clip_value = 1.25, .clip_norm = 1.5}};

/// Checks the optimiser whose args update(pointers) returns. Its vectors are w, g and up to two others.
template <class T, class Update>
void agree_ruled(const Update& update) {
  const auto operands = [](index_t size) {
    return std::vector<operand>{random_values<T>(size, 1), random_values<T>(size, 2),
                                random_values<T>(size, 3, 0.25, 1), random_values<T>(size, 4, 0.25, 1)};
  };
  for (const rp::update_rule& rule : rules) {
    const auto run = [&](index_t size) {
      return [&, size](const auto& on, const auto& p, rp::step_state* state) {
        auto args = update(p);
        args.size = size, args.w = p[0], args.g = p[1], args.state = state, args.rule = rule;
        execute(on, args);
      };
    };
    agree<T>(on_cpu, operands(body_and_tail<T>()), run(body_and_tail<T>()));
    if (!rule.clips_value())  // many elements clipped to one value accumulate rounding in one direction
      agree<T>(on_cpu, operands(rp::part_elements + 1), run(rp::part_elements + 1));
    agree_on_nan<T>(on_cpu, operands(body_and_tail<T>()), 1, run(body_and_tail<T>()));
  }
}

}  // namespace

TEST_CASE_TEMPLATE("every optimiser agrees with its definition under a rule", T, float, double) {
  agree_ruled<T>([](const auto& p) { return rp::sgd_update_args<element_t<decltype(p)>>{}; });
  agree_ruled<T>([](const auto& p) { return rp::momentum_update_args<element_t<decltype(p)>>{.a = p[2]}; });
  agree_ruled<T>([](const auto& p) { return rp::rmsprop_keras_update_args<element_t<decltype(p)>>{.a = p[2]}; });
  agree_ruled<T>(
      [](const auto& p) { return rp::rmsprop_tf1_update_args<element_t<decltype(p)>>{.ms = p[2], .mom = p[3]}; });
  agree_ruled<T>([](const auto& p) { return rp::adam_update_args<element_t<decltype(p)>>{.m = p[2], .v = p[3]}; });
  agree_ruled<T>([](const auto& p) { return rp::adadelta_update_args<element_t<decltype(p)>>{.a = p[2], .d = p[3]}; });
}

namespace {

/// Row lists: rows at both ends, adjacent and distant, in any order, with invalid entries; and more rows than one part.
std::vector<std::vector<std::int32_t>> row_lists() {
  std::vector<std::int32_t> odd;
  for (std::int32_t row = 1; row < 1000; row += 2) odd.push_back(row);
  return {{}, {0}, {999}, {-1}, {1000}, {0, 1, 2, 999, -1, -1}, {500, 3, 7, 1 << 30, 8, 0}, odd};
}
/// Runs the check of agree_ruled() on listed rows out of 1000; sets args.listed.
template <class T, class Update>
void agree_listed(const Update& update) {
  for (const index_t width : {1, 7, 50})
    for (const std::vector<std::int32_t>& rows : row_lists())
      for (const rp::update_rule& rule : {rp::update_rule{}, rules[6]}) {
        CAPTURE(width);
        const index_t size = 1000 * width, count = static_cast<index_t>(rows.size());
        CAPTURE(count);
        agree<T>(on_cpu,
                 {random_values<T>(size, 1), random_values<T>(count * width, 2), random_values<T>(size, 3, 0.25, 1),
                  random_values<T>(size, 4, 0.25, 1)},
                 [&](const auto& on, const auto& p, rp::step_state* state) {
                   auto args = update(p);
                   args.size = size, args.w = p[0], args.g = p[1], args.state = state, args.rule = rule;
                   args.listed = {.rows = rows.data(), .count = count, .width = width};
                   execute(on, args);
                 });
      }
}

}  // namespace

TEST_CASE_TEMPLATE("optimisers with zero, one and two state vectors agree with their definitions on listed rows", T,
                   float, double) {
  agree_listed<T>([](const auto& p) { return rp::sgd_update_args<element_t<decltype(p)>>{}; });
  agree_listed<T>([](const auto& p) { return rp::momentum_update_args<element_t<decltype(p)>>{.a = p[2]}; });
  agree_listed<T>([](const auto& p) { return rp::adam_update_args<element_t<decltype(p)>>{.m = p[2], .v = p[3]}; });
}

TEST_CASE("listed rows get the bits of a full update, and no other rows change") {
  const index_t rows = 40, width = 19, size = rows * width;
  const auto vector_of = [&](std::uint64_t seed, double low) {
    const operand drawn = random_values<float>(size, seed, low, 1);
    return std::vector<float>(drawn.values.begin(), drawn.values.end());
  };
  const std::vector<float> g = vector_of(1, -1);
  const rp::step_state state{.step = 3, .learning_rate = 0.01, .gradient_squares = 100};
  std::vector<std::int32_t> every, third;
  for (std::int32_t row = 0; row < rows; ++row) {
    every.push_back(rows - 1 - row);
    if (row % 3 == 0) third.push_back(row);
  }
  for (const std::vector<std::int32_t>& listed : {every, third}) {
    std::vector<float> w = vector_of(2, -1), m = vector_of(3, -1), v = vector_of(4, 0), w_all = w, m_all = m, v_all = v,
                       gradient;
    const std::vector<float> before = w;
    for (const std::int32_t row : listed)
      gradient.insert(gradient.end(), g.data() + row * width, g.data() + (row + 1) * width);
    rp::adam_update_args<float> args{
        .size = size, .w = w_all.data(), .g = g.data(), .m = m_all.data(), .v = v_all.data(), .state = &state};
    args.rule = {.weight_decay = 0.1, .clip_value = 0.5, .clip_norm = 5};
    rp::adam_update(on_cpu(1), args);
    args.w = w.data(), args.g = gradient.data(), args.m = m.data(), args.v = v.data();
    args.listed = {.rows = listed.data(), .count = static_cast<index_t>(listed.size()), .width = width};
    rp::adam_update(on_cpu(2), args);
    for (index_t i = 0; i < size; ++i) {
      const bool named = std::find(listed.begin(), listed.end(), i / width) != listed.end();
      const auto at = static_cast<std::size_t>(i);
      REQUIRE(w[at] == (named ? w_all[at] : before[at]));
    }
    if (listed.size() == static_cast<std::size_t>(rows)) CHECK((m == m_all && v == v_all));
  }
}

TEST_CASE("an empty rule changes no bit") {
  const index_t size = 1000;
  const operand g = random_values<float>(size, 1);
  std::vector<float> gradient(g.values.begin(), g.values.end()), plain(size, 1), ruled(size, 1), m(size), v(size),
      m2(size), v2(size);
  rp::step_state state{.learning_rate = 0.01, .gradient_squares = 1e9};
  rp::adam_update_args<float> args{
      .size = size, .w = plain.data(), .g = gradient.data(), .m = m.data(), .v = v.data(), .state = &state};
  rp::adam_update(on_cpu(1), args);
  args.w = ruled.data(), args.m = m2.data(), args.v = v2.data();
  args.rule = {.clip_norm = 1e9};  // runs, and multiplies by 1
  rp::adam_update(on_cpu(1), args);
  CHECK(plain == ruled);
  CHECK(v == v2);
}

TEST_CASE("if the rule says so, a step with non-finite gradients changes nothing, moments included") {
  const index_t size = 1000;
  const std::int32_t rows[] = {3, 1};
  std::vector<float> g(size, 0.5F), w(size, 1), m(size), v(size);
  rp::step_state state{.learning_rate = 0.01, .gradient_squares = std::numeric_limits<double>::infinity()};
  rp::adam_update_args<float> args{
      .size = size, .w = w.data(), .g = g.data(), .m = m.data(), .v = v.data(), .state = &state};
  args.rule = {.clip_norm = 1, .skips_non_finite = true};
  const auto unchanged = [&] { return w == std::vector<float>(size, 1) && m == v && m == std::vector<float>(size); };
  rp::adam_update(on_cpu(2), args);
  args.listed = {.rows = rows, .count = 2, .width = 10};
  rp::adam_update(on_cpu(2), args);
  state.gradient_squares = std::nan("");
  rp::adam_update(on_cpu(2), args);
  CHECK(unchanged());
  state.gradient_squares = 1;
  rp::adam_update(on_cpu(2), args);
  CHECK_FALSE(unchanged());
}

TEST_CASE("gradients whose squares overflow float update weights as in the definition") {
  const auto size = static_cast<std::size_t>(body_and_tail<float>());
  const auto steps = [&](const auto& on, const auto& update, double clip_norm) {
    std::array<std::vector<float>, 3> of;  // w, and up to two vectors of the optimiser
    for (auto& values : of) values.resize(size);
    for (const float at : {1.0F, 1e20F, -3e38F, 3e38F, 1e-20F, 2.0F}) {
      std::vector<float> g(size, 0.5F);
      for (std::size_t i = 0; i < size; i += 3) g[i] = at;
      rp::step_state state{.learning_rate = 0.25};
      execute(on, rp::sum_of_squares_args<float>{.size = static_cast<index_t>(size), .x = g.data(), .state = &state});
      update(on, of[0].data(), g.data(), of[1].data(), of[2].data(), &state, rp::update_rule{.clip_norm = clip_norm});
    }
    return of;
  };
  const auto same = [&](const char* name, const auto& update) {
    for (const double clip_norm : {0.0, 1.0}) {
      const auto got = steps(on_cpu(1), update, clip_norm), want = steps(rp::reference, update, clip_norm);
      CAPTURE(name);
      CAPTURE(clip_norm);
      for (std::size_t v = 0; v < 3; ++v) check_close(got[v], want[v], 1e-5, 1e-6);
    }
  };
  const auto n = static_cast<index_t>(size);
  same("sgd", [=](const auto& on, float* w, const float* g, float*, float*, rp::step_state* s, const auto& rule) {
    execute(on, rp::sgd_update_args<float>{.size = n, .w = w, .g = g, .state = s, .rule = rule});
  });
  same("momentum",
       [=](const auto& on, float* w, const float* g, float* a, float*, rp::step_state* s, const auto& rule) {
         execute(on, rp::momentum_update_args<float>{.size = n, .w = w, .g = g, .a = a, .state = s, .rule = rule});
       });
  same("rmsprop_keras",
       [=](const auto& on, float* w, const float* g, float* a, float*, rp::step_state* s, const auto& rule) {
         execute(on, rp::rmsprop_keras_update_args<float>{.size = n, .w = w, .g = g, .a = a, .state = s, .rule = rule});
       });
  same("rmsprop_tf1",
       [=](const auto& on, float* w, const float* g, float* ms, float* mom, rp::step_state* s, const auto& rule) {
         execute(on, rp::rmsprop_tf1_update_args<float>{
                         .size = n, .w = w, .g = g, .ms = ms, .mom = mom, .state = s, .rule = rule});
       });
  same("adam", [=](const auto& on, float* w, const float* g, float* m, float* v, rp::step_state* s, const auto& rule) {
    execute(on, rp::adam_update_args<float>{.size = n, .w = w, .g = g, .m = m, .v = v, .state = s, .rule = rule});
  });
  same("adadelta", [=](const auto& on, float* w, const float* g, float* a, float* d, rp::step_state* s,
                       const auto& rule) {
    execute(on, rp::adadelta_update_args<float>{.size = n, .w = w, .g = g, .a = a, .d = d, .state = s, .rule = rule});
  });
}
