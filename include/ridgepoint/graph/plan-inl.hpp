// SPDX-License-Identifier: MIT
#pragma once

#include <cstring>

#include <ridgepoint/core/concat.hpp>
#include <ridgepoint/graph/plan.hpp>
#include <ridgepoint/roofline/format.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace detail {

RIDGEPOINT_DEFINITION std::shared_ptr<void> memory_of(std::size_t bytes) {
  return {::operator new(bytes), [](void* at) { ::operator delete(at); }};
}

}  // namespace detail

RIDGEPOINT_DEFINITION std::string to_string(const plan_memory& m) {
  const auto in_bytes = [](std::size_t bytes) { return quantity(static_cast<double>(bytes), "B"); };
  std::string text = concat(in_bytes(m.bytes()), ':');
  const auto add = [&](std::string_view what, std::size_t bytes) {
    if (bytes != 0) text += concat(' ', what, ' ', in_bytes(bytes), ',');
  };
  for (std::size_t r = 0; r < region_count; ++r) add(to_string(static_cast<memory_region>(r)), m.region_bytes[r]);
  add("workspace", m.workspace_bytes);
  add("constants", m.constant_bytes);
  add("batches ahead", m.ahead_bytes);
  text.pop_back();
  if (m.saved_bytes != 0)
    text += concat("; ", figures(static_cast<double>(m.bytes()) / static_cast<double>(m.kept_bytes())),
                   " times parameters, gradients, moments and ", in_bytes(m.saved_bytes), " of saved activations");
  return text;
}

RIDGEPOINT_DEFINITION std::shared_ptr<const void> planned_call::bind(const addresses& at) const {
  const auto args = made_at(at);
  check_operands(op->name, operands_of(args.get()));
  return typed(args.get());
}
RIDGEPOINT_DEFINITION std::shared_ptr<const void> planned_call::arguments(const addresses& at) const {
  return typed(made_at(at).get());
}
RIDGEPOINT_DEFINITION std::vector<operand> planned_call::operands(const addresses& at) const {
  return operands_of(made_at(at).get());
}
RIDGEPOINT_DEFINITION std::shared_ptr<const void> planned_call::made_at(const addresses& at) const {
  std::shared_ptr<void> args = detail::memory_of(make.args_bytes);
  make(at, args.get());
  return args;
}
RIDGEPOINT_DEFINITION std::shared_ptr<const void> planned_call::typed(const void* args) const {
  std::shared_ptr<void> copy = detail::memory_of(make.args_bytes);
  std::memcpy(copy.get(), args, make.args_bytes);  // the same members over another element type have the same bytes
  return copy;
}
RIDGEPOINT_DEFINITION std::vector<operand> planned_call::operands_of(const void* args) const {
  std::vector<operand> all = planned.operands(args);
  for (operand& o : all) o = o.stored_as(op->elements[0]);
  return all;
}

RIDGEPOINT_DEFINITION plan_memory plan::memory() const {
  plan_memory made{.region_bytes = region_bytes};
  for (std::size_t c = 1; c < calls.size(); ++c)
    if (calls[c - 1].info.pass == pass::forward && calls[c].info.pass != pass::forward)
      made.saved_bytes = (std::max)(made.saved_bytes, arena_bytes_across(c));
  return made;
}
RIDGEPOINT_DEFINITION std::size_t plan::arena_bytes_across(std::size_t c) const {
  std::vector<bool> written(planned_slots.size()), read(planned_slots.size());
  for (std::size_t before = 0; before < c; ++before)
    for (const slot s : calls[before].writes) written[static_cast<std::size_t>(s.index)] = true;
  for (std::size_t after = c; after < calls.size(); ++after)
    for (const slot s : calls[after].reads) read[static_cast<std::size_t>(s.index)] = true;
  std::size_t sum = 0;
  for (std::size_t s = 0; s < planned_slots.size(); ++s)
    if (planned_slots[s].where == memory_region::arena && written[s] && read[s]) sum += planned_slots[s].bytes;
  return sum;
}

RIDGEPOINT_DEFINITION addresses addresses_in_regions(const plan& steps) {
  constexpr std::uintptr_t between_regions = std::uintptr_t{1} << 48;
  addresses at;
  for (const planned_slot& s : steps.planned_slots)
    at.add(reinterpret_cast<void*>((static_cast<std::uintptr_t>(s.where) + 1) * between_regions + s.offset));
  return at;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
