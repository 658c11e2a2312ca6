// SPDX-License-Identifier: MIT
// Checks the op of docs/add_an_op.md: its receipt, its CPU kernels, its messages.
#include <doctest/doctest.h>

#include "docs/toy/cpu/softsign.hpp"
#include "docs/toy/reference/softsign.hpp"
#include "support/counting.hpp"
#include "support/cpu_sizes.hpp"

namespace rp = ridgepoint;
using agreement::agree, agreement::agree_on_nan, agreement::output, agreement::random_values;

namespace {

const auto forward = [](rp::index_t size) {
  return [=](const auto& on, const auto& p, rp::step_state*) {
    execute(on, toy::softsign_args<agreement::element_t<decltype(p)>>{.size = size, .x = p[0], .y = p[1]});
  };
};
const auto backward = [](rp::index_t size) {
  return [=](const auto& on, const auto& p, rp::step_state*) {
    execute(on, toy::softsign_backward_args<agreement::element_t<decltype(p)>>{
                    .size = size, .y = p[0], .dy = p[1], .dx = p[2]});
  };
};

}  // namespace

TEST_CASE("the receipts of softsign match the work of its definition") {
  for (const rp::index_t size : {0, 1, 17, 200}) {
    witness::store x(1);
    const toy::softsign_args<witness::counting> args{.size = size, .x = x.add(size), .y = x.add(size)};
    execute(rp::reference, args);
    CHECK(receipt(args) == witness::ledger::current().executed());

    witness::store y(2);
    const toy::softsign_backward_args<witness::counting> back{
        .size = size, .y = y.add(size), .dy = y.add(size), .dx = y.add(size)};
    execute(rp::reference, back);
    CHECK(receipt(back) == witness::ledger::current().executed());
  }
}

TEST_CASE_TEMPLATE("softsign agrees with its definition", T, float, double) {
  for (const rp::index_t size : cpu_sizes<T>()) {
    agree<T>(on_cpu, {random_values<T>(size, 1), output(size)}, forward(size));
    agree<T>(on_cpu, {random_values<T>(size, 1, -1, 1), random_values<T>(size, 2), output(size)}, backward(size));
  }
  const rp::index_t size = body_and_tail<T>();
  agree_on_nan<T>(on_cpu, {random_values<T>(size, 1), output(size)}, 0, forward(size));
}

TEST_CASE("softsign reports invalid arguments") {
  const float x[2] = {};
  float y[3] = {};
  CHECK_THROWS_WITH_AS(toy::softsign(rp::reference, x, std::span<float>(y)),
                       "softsign: x has 2 elements, y has 3; must be equal", rp::shape_error);
}
