// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <set>
#include <typeindex>
#include <vector>

#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/ops/all.hpp>
#include <ridgepoint/reference/reference.hpp>

#include "support/counting.hpp"

/// Proofs of receipts on random shapes: an op's receipt against its executed witness, the definition run with a scalar
/// that counts.
namespace witness {

/// A random shape and a random choice for one proof.
struct draw {
  ridgepoint::random_stream random;
  explicit draw(int number) : random(static_cast<std::uint64_t>(number) + 1000) {}
  ridgepoint::index_t extent(ridgepoint::index_t low, ridgepoint::index_t high) {
    return low + static_cast<ridgepoint::index_t>(random.below(static_cast<std::uint32_t>(high - low + 1)));
  }
  bool coin() { return random.below(2) == 0; }
  ridgepoint::activation activation(int kinds) {
    return static_cast<ridgepoint::activation>(random.below(static_cast<std::uint32_t>(kinds)));
  }
};

/// Bytes of operands that are no counting scalars.
struct uncounted {
  std::uint64_t inputs = 0, outputs = 0;
};

/// The operands an op lists, those of every problem of a batch.
template <class Args>
std::vector<ridgepoint::operand> listed(const Args& args) {
  const auto all = operands(args);
  return {all.begin(), all.end()};
}
inline std::vector<ridgepoint::operand> listed(const ridgepoint::gemm_batched_args<counting>& args) {
  std::vector<ridgepoint::operand> all;
  for (ridgepoint::index_t q = 0; q < args.count; ++q)
    for (const ridgepoint::operand& o : operands(args[q])) all.push_back(o);
  return all;
}

/// The ops that a proof ran.
inline std::set<std::type_index>& proven() {
  static std::set<std::type_index> ops;
  return ops;
}
/// Whether there was a proof of each of these ops.
template <class... Args>
bool all_proven(ridgepoint::type_list<Args...>) {
  return (true && ... && proven().contains(typeid(Args)));
}

template <class Args>
void prove(const Args& args, uncounted beside = {}) {
  if constexpr (requires { check(args); }) check(args);  // packed operands are checked where they are made
  execute(ridgepoint::reference, args);
  ridgepoint::work executed = ledger::current().executed();
  executed.bytes.inputs += beside.inputs;
  executed.bytes.outputs += beside.outputs;
  const ridgepoint::work promised = receipt(args);
  CHECK(promised.flop == executed.flop);
  CHECK(promised.matrix_flop == executed.matrix_flop);
  CHECK(promised.special == executed.special);
  CHECK(promised.bytes.inputs == executed.bytes.inputs);
  CHECK(promised.bytes.weights == executed.bytes.weights);
  CHECK(promised.bytes.outputs == executed.bytes.outputs);
  CHECK(promised.bytes == ridgepoint::traffic_of(operands(args)));
  CHECK(ledger::current().beside(listed(args)) == 0);
  using products = ridgepoint::product_ops<counting>;
  CHECK((promised.matrix_flop == 0 || products::template contains<Args>));
  proven().insert(typeid(Args));
}

/// Runs the proofs on `shapes` random shapes each.
template <class... Proofs>
void prove_all(int first, int shapes, Proofs... proofs) {
  for (int number = first; number < first + shapes; ++number) {
    CAPTURE(number);
    (proofs(draw(number)), ...);
  }
}

}  // namespace witness
