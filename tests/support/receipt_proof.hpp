// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <deque>
#include <set>
#include <span>
#include <typeindex>
#include <vector>

#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/ops/all.hpp>
#include <ridgepoint/reference/reference.hpp>

#include "support/any_op.hpp"
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

/// Bytes of operands that are not counting scalars.
struct uncounted {
  std::uint64_t inputs = 0, outputs = 0;
};

/// The operands that an op lists, for every problem of a batch.
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

/// The ops for which a specific proof has run.
inline std::set<std::type_index>& proven() {
  static std::set<std::type_index> ops;
  return ops;
}

/// A receipt and the operands of the same arguments, their type erased: the checks are compiled once for all ops.
struct claim {
  ridgepoint::work promised;
  ridgepoint::traffic traffic;
  std::vector<ridgepoint::operand> operands;
  bool is_product;
};
inline void check_claim(const claim& c, uncounted rest) {
  ridgepoint::work executed = ledger::current().executed();
  executed.bytes.inputs += rest.inputs;
  executed.bytes.outputs += rest.outputs;
  CHECK(c.promised.flop == executed.flop);
  CHECK(c.promised.matrix_flop == executed.matrix_flop);
  CHECK(c.promised.special == executed.special);
  CHECK(c.promised.bytes.inputs == executed.bytes.inputs);
  CHECK(c.promised.bytes.weights == executed.bytes.weights);
  CHECK(c.promised.bytes.outputs == executed.bytes.outputs);
  CHECK(c.promised.bytes == c.traffic);
  CHECK(ledger::current().unlisted(c.operands) == 0);
  CHECK((c.promised.matrix_flop == 0 || c.is_product));
}
template <class Args>
void prove_once(const Args& args, uncounted rest = {}) {
  if constexpr (requires { check(args); }) check(args);  // packed operands are checked when packed
  execute(ridgepoint::reference, args);
  check_claim({.promised = receipt(args),
               .traffic = ridgepoint::traffic_of(operands(args)),
               .operands = listed(args),
               .is_product = ridgepoint::product_of<Args> != ridgepoint::product_kind::none},
              rest);
}
/// Proves an op that accepts only some arguments, chosen by the caller.
template <class Args>
void prove(const Args& args, uncounted rest = {}) {
  prove_once(args, rest);
  proven().insert(typeid(Args));
}
/// Points drawn arguments, which are plain data, to their own memory. Returns the bytes that do not count.
inline uncounted give_memory(std::span<std::byte> args, std::span<const ridgepoint::operand> drawn, store& counted,
                             std::deque<std::vector<ridgepoint::step_state>>& others) {
  uncounted rest;
  const auto sizes = any_op::sizes_of(drawn);
  for (const ridgepoint::operand& o : drawn) {
    if (!any_op::somewhere(o)) continue;
    const std::size_t size = sizes.at(o.data);
    if (o.element_bytes == sizeof(counting) && o.receipt_bytes == counting_bytes) {
      const bool weight = o.role == ridgepoint::operand_role::weight || o.role == ridgepoint::operand_role::update;
      const auto elements = static_cast<std::ptrdiff_t>(size / sizeof(counting));
      any_op::redirect(args, o.data, counted.add(elements, weight ? role::weights : role::inputs));
    } else {
      (reads(o.role) ? rest.inputs : rest.outputs) += o.counted * o.receipt_bytes;
      any_op::redirect(args, o.data, others.emplace_back(size / sizeof(ridgepoint::step_state) + 1).data());
    }
  }
  return rest;
}
/// Proves an op that accepts any arguments: draws them from their type, with disjoint operands and 0 for numbers that
/// select an item.
template <class Args>
void prove_drawn(int number) {
  any_op::drawing drawn(static_cast<std::uint64_t>(number), any_op::sharing::nothing);
  Args args = drawn.template draw<Args>();
  store counted(static_cast<std::uint64_t>(number));
  std::deque<std::vector<ridgepoint::step_state>> others;  // zeros, as large as necessary
  const uncounted rest = give_memory(std::as_writable_bytes(std::span(&args, 1)), operands(args), counted, others);
  prove_once(args, rest);
}
/// Proves every op of a list that has no specific proof.
template <class... Args>
void prove_others(int first, int shapes, ridgepoint::type_list<Args...>) {
  const auto one = [&]<class A>(std::type_identity<A>) {
    if constexpr (!ridgepoint::in_own_form<A>) {
      if (proven().contains(typeid(A))) return;
      CAPTURE(to_string(ridgepoint::op_record_of<A>));
      for (int number = first; number < first + shapes; ++number) prove_drawn<A>(number);
    } else CHECK(proven().contains(typeid(A)));
  };
  (one(std::type_identity<Args>{}), ...);
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
