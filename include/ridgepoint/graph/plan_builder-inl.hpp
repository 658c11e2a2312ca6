// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <span>

#include <ridgepoint/graph/arena.hpp>
#include <ridgepoint/graph/chains-inl.hpp>
#include <ridgepoint/graph/plan_builder.hpp>
#include <ridgepoint/ops/chain.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

RIDGEPOINT_DEFINITION slot plan_builder::part(slot whole, index_t first, index_t count, std::string name) {
  const planned_slot& of = plan_[whole];
  const std::size_t each = bytes_of(of.type);
  return append({std::move(name), of.type, of.where, static_cast<std::size_t>(count) * each,
                 of.offset + static_cast<std::size_t>(first) * each});
}
RIDGEPOINT_DEFINITION void plan_builder::drop_calls(std::size_t first, std::span<const slot> unread) {
  const auto only_unread = [&](const planned_call& call) {
    return std::all_of(call.writes.begin(), call.writes.end(),
                       [&](slot s) { return std::find(unread.begin(), unread.end(), s) != unread.end(); });
  };
  const auto from = plan_.calls.begin() + static_cast<std::ptrdiff_t>(first);
  plan_.calls.erase(std::remove_if(from, plan_.calls.end(), only_unread), plan_.calls.end());
}
RIDGEPOINT_DEFINITION plan plan_builder::finish() {
  const std::vector<interval> lives = liveness();
  std::vector<int> owner(plan_.planned_slots.size());  // whose memory a slot uses: its own or one it overwrites
  for (std::size_t s = 0; s < owner.size(); ++s) owner[s] = static_cast<int>(s);
  std::vector<interval> merged = lives;
  for (int c = 0; c < static_cast<int>(plan_.calls.size()); ++c) share(c, lives, merged, owner);
  outlive_conversions(merged, owner);

  std::vector<interval> blocks;
  std::vector<std::size_t> block_of(plan_.planned_slots.size());
  for (std::size_t s = 0; s < plan_.planned_slots.size(); ++s) {
    if (plan_.planned_slots[s].where != memory_region::arena) continue;
    plan_.arena_sum_bytes += plan_.planned_slots[s].bytes;
    if (owner[s] != static_cast<int>(s)) continue;
    block_of[s] = blocks.size();
    blocks.push_back(merged[s]);
    if (merged[s].first < 0) blocks.back().bytes = 0;  // nothing writes it
  }
  const arrangement arranged = arrange(blocks);
  plan_.region_bytes[static_cast<std::size_t>(memory_region::arena)] = arranged.bytes;
  for (std::size_t s = 0; s < plan_.planned_slots.size(); ++s)
    if (plan_.planned_slots[s].where == memory_region::arena)
      plan_.planned_slots[s].offset = arranged.offsets[block_of[static_cast<std::size_t>(owner[s])]];
  return std::move(plan_);
}
RIDGEPOINT_DEFINITION slot plan_builder::reserve_bytes(memory_region where, element type, index_t bytes,
                                                       std::string name) {
  index_t offset = 0;
  if (where != memory_region::arena) {
    auto& end = plan_.region_bytes[static_cast<std::size_t>(where)];
    offset = round_up(static_cast<index_t>(end), static_cast<index_t>(alignment_bytes));
    end = static_cast<std::size_t>(checked_add(offset, bytes));
  }
  return append({std::move(name), type, where, static_cast<std::size_t>(bytes), static_cast<std::size_t>(offset)});
}
RIDGEPOINT_DEFINITION slot plan_builder::append(planned_slot added) {
  stand_ins_.add(added.bytes, added.type);
  plan_.planned_slots.push_back(std::move(added));
  return {static_cast<int>(plan_.planned_slots.size()) - 1};
}
RIDGEPOINT_DEFINITION void plan_builder::append(const call_info& info, const planned_op& op,
                                                planned_arguments arguments) {
  stand_in_arguments_.resize(op.bytes / sizeof(std::max_align_t) + 1);
  void* const args = stand_in_arguments_.data();
  arguments.make_at(arguments.make.get(), stand_ins_.at(), args);
  planned_call call{.info = info, .what = op, .arguments = std::move(arguments)};
  call.info.receipt = op.checked_receipt(args);
  std::vector<operand> operands = op.operands(args);
  call.op = op.stem;
  call.held = stored_type(call, operands, stand_ins_, plan_.planned_slots);
  for (operand& o : operands) o = o.stored_as(call.held);
  call.op = op.name(call.held);
  call.type = op.type(call.held);
  if (call.held != element::stored) call.info.receipt.bytes = traffic_of(operands);
  list_slots(call, operands, stand_ins_, plan_.planned_slots);
  plan_.calls.push_back(std::move(call));
}
RIDGEPOINT_DEFINITION std::vector<interval> plan_builder::liveness() const {
  std::vector<interval> lives(plan_.planned_slots.size(), interval{-1, -1, 0});
  for (std::size_t s = 0; s < lives.size(); ++s) lives[s].bytes = plan_.planned_slots[s].bytes;
  for (int c = 0; c < static_cast<int>(plan_.calls.size()); ++c) {
    const planned_call& call = plan_.calls[static_cast<std::size_t>(c)];
    for (const slot s : call.reads) {
      interval& life = lives[static_cast<std::size_t>(s.index)];
      const bool written = life.first >= 0 || plan_[s].where != memory_region::arena;
      require<value_error>(written, call.info.layer, ": ", call.op, " reads ", plan_[s].name,
                           " before anything has written it; must be written by an earlier call");
      life.last = c;
    }
    for (const slot s : call.writes) {
      interval& life = lives[static_cast<std::size_t>(s.index)];
      if (life.first < 0) life.first = c;
      life.last = c;
    }
  }
  for (const slot s : plan_.kept) lives[static_cast<std::size_t>(s.index)].last = static_cast<int>(plan_.calls.size());
  return lives;
}
RIDGEPOINT_DEFINITION void plan_builder::share(int c, const std::vector<interval>& lives, std::vector<interval>& merged,
                                               std::vector<int>& owner) const {
  const planned_call& call = plan_.calls[static_cast<std::size_t>(c)];
  if (!call.overwrites.exists()) return;
  const auto src = static_cast<std::size_t>(call.overwrites.index), dst = static_cast<std::size_t>(call.result.index);
  const bool in_arena =
      plan_.planned_slots[src].where == memory_region::arena && plan_.planned_slots[dst].where == memory_region::arena;
  if (!in_arena || src == dst || lives[src].last != c || lives[dst].first != c) return;
  if (plan_.planned_slots[dst].bytes > merged[static_cast<std::size_t>(owner[src])].bytes) return;
  owner[dst] = owner[src];
  interval& shared = merged[static_cast<std::size_t>(owner[src])];
  shared.last = (std::max)(shared.last, lives[dst].last);
}
RIDGEPOINT_DEFINITION std::size_t plan_builder::end_of_chain(std::size_t first) const {
  const std::vector<planned_call>& calls = plan_.calls;
  const auto is_forward = [&](std::size_t c) { return calls[c].info.pass == pass::forward; };
  const auto is_written = [&](slot s, std::size_t end) {
    for (std::size_t c = first; c < end; ++c)
      if (std::ranges::count(calls[c].writes, s) > 0) return true;
    return false;
  };
  const auto follows = [&](std::size_t c) {
    return is_chain_op(calls[c].type) && maps_of_head(calls[c].type) == 0 &&
           detail::widenings_before_head(calls, c) == 0 && is_forward(c) == is_forward(first) &&
           std::ranges::any_of(calls[c].reads, [&](slot s) { return is_written(s, c); });
  };
  if (!is_chain_op(calls[first].type)) return first + 1;
  std::size_t end = first + detail::widenings_before_head(calls, first) + 1;
  while (end < calls.size() && end - first < most_chain_links && follows(end)) ++end;
  return end;
}
RIDGEPOINT_DEFINITION void plan_builder::outlive_conversions(std::vector<interval>& merged,
                                                             const std::vector<int>& owner) const {
  for (std::size_t first = 0, end = 0; first < plan_.calls.size(); first = end) {
    end = end_of_chain(first);
    const std::span chain(&plan_.calls[first], end - first);
    if (std::ranges::none_of(chain, [](const planned_call& call) { return call.what.stem == "convert"; })) continue;
    for (const planned_call& call : chain)
      for (const slot s : call.reads) {
        int& last = merged[static_cast<std::size_t>(owner[static_cast<std::size_t>(s.index)])].last;
        last = (std::max)(last, static_cast<int>(end) - 1);
      }
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
