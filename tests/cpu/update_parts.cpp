// SPDX-License-Identifier: MIT
#include <ridgepoint/cpu/update_parts.hpp>

#include <ridgepoint/cpu/all.hpp>

#include "support/cpu_sizes.hpp"

namespace rp = ridgepoint;
using namespace agreement;

namespace {

/// Each part of a rule alone, and all together; the norm of agreement's start, √2.5, above and below its limit.
constexpr rp::update_rule rules[] = {
    {.rate_factor = 0.5},
    {.weight_decay = 0.1},
    {.decoupled_weight_decay = 0.3},
    {.clip_value = 0.75},
    {.clip_norm = 1},
    {.clip_norm = 2},
    {.rate_factor = 3, .weight_decay = 0.2, .decoupled_weight_decay = 0.1, .clip_value = 1.25, .clip_norm = 1.5}};

/// update(pointers, args): calls the op of an optimiser whose vectors are w, g and up to two of its own.
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
    agree<T>(on_cpu, operands(body_and_tail<T>), run(body_and_tail<T>));
    if (!rule.clips_value())  // many elements that are clipped to one value are rounded one way
      agree<T>(on_cpu, operands(rp::part_elements + 1), run(rp::part_elements + 1));
    agree_on_nan<T>(on_cpu, operands(body_and_tail<T>), 1, run(body_and_tail<T>));
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

TEST_CASE("a rule that asks for nothing changes no bit") {
  const index_t size = 1000;
  const operand g = random_values<float>(size, 1);
  std::vector<float> gradient(g.values.begin(), g.values.end()), plain(size, 1), ruled(size, 1), m(size), v(size),
      m2(size), v2(size);
  rp::step_state state{.learning_rate = 0.01, .gradient_squares = 1e9};
  rp::adam_update_args<float> args{
      .size = size, .w = plain.data(), .g = gradient.data(), .m = m.data(), .v = v.data(), .state = &state};
  rp::adam_update(on_cpu(1), args);
  args.w = ruled.data(), args.m = m2.data(), args.v = v2.data();
  args.rule = {.clip_norm = 1e9};  // executed, and multiplies by 1
  rp::adam_update(on_cpu(1), args);
  CHECK(plain == ruled);
  CHECK(v == v2);
}
