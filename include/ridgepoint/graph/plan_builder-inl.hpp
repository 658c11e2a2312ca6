// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <optional>
#include <queue>
#include <set>
#include <span>

#include <ridgepoint/graph/chains-inl.hpp>
#include <ridgepoint/graph/plan_builder.hpp>
#include <ridgepoint/ops/chain.hpp>
#include <ridgepoint/ops/convert.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

RIDGEPOINT_DEFINITION void placeholder_addresses::add(std::size_t bytes, element type) {
  const std::size_t widen = is_number(type) ? sizeof(double) / bytes_of(type) : 1;
  const std::uintptr_t room = (bytes / (stride / widen) + 2) * stride;
  require<shape_error>(room <= (std::numeric_limits<std::uintptr_t>::max)() - next_, "plan: a slot of ", bytes,
                       " bytes exceeds the address space; must fit");
  at_.add(reinterpret_cast<void*>(next_));
  begins_.push_back(next_);
  next_ += room;
}
RIDGEPOINT_DEFINITION slot placeholder_addresses::slot_at(const planned_call& call, const operand& o) const {
  const auto after = std::upper_bound(begins_.begin(), begins_.end(), reinterpret_cast<std::uintptr_t>(o.data));
  require<shape_error>(after != begins_.begin(), call.info.layer, ": ", *call.op, " has its ", o.name,
                       " outside every plan slot; must be in one");
  return {static_cast<int>(after - begins_.begin()) - 1};
}
RIDGEPOINT_DEFINITION slot placeholder_addresses::slot_of(const planned_call& call, const operand& o,
                                                          const std::vector<planned_slot>& planned_slots) const {
  const slot found = slot_at(call, o);
  index_t low = 0, high = 0;  // elements from `data`
  for (std::size_t i = 0; i < o.rank && !o.empty(); ++i)
    (o.strides[i] < 0 ? low : high) += (o.extents[i] - 1) * o.strides[i];
  const auto number = static_cast<std::size_t>(found.index);
  const planned_slot& held = planned_slots[number];
  const auto bytes = static_cast<index_t>(o.element_bytes);
  const auto offset = static_cast<index_t>(reinterpret_cast<std::uintptr_t>(o.data) - begins_[number]);
  const index_t first = offset + low * bytes, end = offset + (o.empty() ? 0 : (high + 1) * bytes);
  require<shape_error>(first >= 0 && end <= static_cast<index_t>(held.bytes), call.info.layer, ": ", *call.op,
                       " has its ", o.name, " at bytes ", first, " to ", end, " of ", held.name, "; must lie within ",
                       held.bytes);
  return found;
}

RIDGEPOINT_DEFINITION element stored_type(const planned_call& call, std::span<const operand> operands,
                                          const placeholder_addresses& memory,
                                          const std::vector<planned_slot>& planned_slots) {
  element type = element::stored;
  for (const operand& o : operands) {
    if (o.data == nullptr) continue;
    const planned_slot& held = planned_slots[static_cast<std::size_t>(memory.slot_at(call, o).index)];
    if (o.type == element::stored && type == element::stored && is_number(held.type)) type = held.type;
    const element wanted = o.type == element::stored ? type : o.type;
    require<value_error>(held.type == wanted, call.info.layer, ": ", *call.op, " has its ", o.name, " in ", held.name,
                         ", which holds ", held.type, "; must hold ",
                         wanted == element::stored ? "f32, f64, bf16 or f16" : to_string(wanted));
  }
  return type;
}

RIDGEPOINT_DEFINITION void list_slots(planned_call& call, std::span<const operand> operands,
                                      const placeholder_addresses& memory,
                                      const std::vector<planned_slot>& planned_slots) {
  for (const operand& o : operands) {
    if (o.data == nullptr) continue;
    const slot at = memory.slot_of(call, o, planned_slots);
    if (reads(o.role)) call.reads.push_back(at);
    if (!writes(o.role)) continue;
    call.writes.push_back(at);
    const auto from = std::find_if(operands.begin(), operands.end(), [&](const operand& other) {
      return other.may_be_overwritten && other.data != nullptr && detail::lie_alike(other, o);
    });
    if (from == operands.end() || call.result.exists()) continue;
    const slot taken = memory.slot_of(call, *from, planned_slots);
    const auto whole = [&](slot s, const operand& x) { return static_cast<const void*>(memory.at()(s)) == x.data; };
    if (whole(at, o) && whole(taken, *from)) call.overwrites = taken, call.result = at;
  }
}

RIDGEPOINT_DEFINITION bool plan_builder::adjacent(slot before, slot next) const {
  const planned_slot &a = plan_[before], &b = plan_[next];
  const auto end = static_cast<index_t>(a.offset + a.bytes);
  return a.where == b.where && a.where != memory_region::arena && a.type == b.type &&
         round_up(end, static_cast<index_t>(alignment_bytes)) == static_cast<index_t>(b.offset);
}
RIDGEPOINT_DEFINITION slot plan_builder::joined(slot first, slot last, std::string name) {
  const planned_slot &a = plan_[first], &b = plan_[last];
  return append({std::move(name), a.type, a.where, b.offset + b.bytes - a.offset, a.offset});
}
RIDGEPOINT_DEFINITION slot plan_builder::part_of_bytes(slot whole, index_t first, index_t count, std::size_t each,
                                                       std::string name) {
  const planned_slot& of = plan_[whole];
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
  std::vector<int> owner(plan_.planned_slots.size());  // the slot whose memory it uses: its own or one it overwrites
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
  placeholders_.add(added.bytes, added.type);
  plan_.planned_slots.push_back(std::move(added));
  return {static_cast<int>(plan_.planned_slots.size()) - 1};
}
RIDGEPOINT_DEFINITION void plan_builder::append(const call_info& info, const planned_op& op, argument_maker make) {
  planned_call call{.info = info, .planned = op, .make = std::move(make), .op = op.over(element::stored)};
  placeholder_arguments_.resize(call.make.args_bytes / sizeof(std::max_align_t) + 1);
  void* const args = placeholder_arguments_.data();
  call.make(placeholders_.at(), args);
  call.info.receipt = op.checked_receipt(args);
  std::vector<operand> operands = op.operands(args);
  const element held = stored_type(call, operands, placeholders_, plan_.planned_slots);
  for (operand& o : operands) o = o.stored_as(held);
  call.op = op.over(held);
  if (held != element::stored) call.info.receipt.bytes = traffic_of(operands);
  list_slots(call, operands, placeholders_, plan_.planned_slots);
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
      require<value_error>(written, call.info.layer, ": ", *call.op, " reads ", plan_[s].name,
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
    return is_chain_op(calls[c].op) && maps_of_head(calls[c].op) == 0 && detail::widenings_before_head(calls, c) == 0 &&
           is_forward(c) == is_forward(first) &&
           std::ranges::any_of(calls[c].reads, [&](slot s) { return is_written(s, c); });
  };
  if (!is_chain_op(calls[first].op)) return first + 1;
  std::size_t end = first + detail::widenings_before_head(calls, first) + 1;
  while (end < calls.size() && end - first < most_chain_links && follows(end)) ++end;
  return end;
}
RIDGEPOINT_DEFINITION void plan_builder::outlive_conversions(std::vector<interval>& merged,
                                                             const std::vector<int>& owner) const {
  for (std::size_t first = 0, end = 0; first < plan_.calls.size(); first = end) {
    end = end_of_chain(first);
    const std::span chain(&plan_.calls[first], end - first);
    if (std::ranges::none_of(
            chain, [](const planned_call& call) { return call.op->name == convert_args<bfloat16, float>::name; }))
      continue;
    for (const planned_call& call : chain)
      for (const slot s : call.reads) {
        int& last = merged[static_cast<std::size_t>(owner[static_cast<std::size_t>(s.index)])].last;
        last = (std::max)(last, static_cast<int>(end) - 1);
      }
  }
}

namespace detail {

/// Free bytes of an arena from call `first` to call `last`.
struct free_box {
  int first = 0, last = 0;
  std::size_t offset = 0, bytes = 0;
};

/// Free boxes, indexed by the calls they are free for; every operation takes O(log n).
class free_boxes {
 public:
  /// For boxes whose first call is 0 to calls - 1.
  explicit free_boxes(int calls)
      : leaves_(std::bit_ceil(static_cast<std::size_t>(calls))), last_(2 * leaves_, -1), starting_(leaves_) {}

  void add(const free_box& b) {
    const auto first = static_cast<std::size_t>(b.first);
    starting_[first].insert(b);
    refresh(first);
  }
  /// Removes the box that begins last among all that are free from `first` to `last`; ties: the one that ends first.
  [[nodiscard]] std::optional<free_box> take(int first, int last) {
    std::size_t i = leaves_ + static_cast<std::size_t>(first);
    while (last_[i] < last) {  // up and to the left, to a subtree that has one
      while (i % 2 == 0) i /= 2;
      if (i == 1) return std::nullopt;
      --i;
    }
    while (i < leaves_) i = last_[2 * i + 1] >= last ? 2 * i + 1 : 2 * i;
    auto& boxes = starting_[i - leaves_];
    const auto found = boxes.lower_bound(free_box{.last = last});
    const free_box taken = *found;
    boxes.erase(found);
    refresh(i - leaves_);
    return taken;
  }

 private:
  struct ends_before {
    bool operator()(const free_box& a, const free_box& b) const noexcept {
      return a.last != b.last ? a.last < b.last : a.offset < b.offset;
    }
  };
  void refresh(std::size_t first) {
    std::size_t i = leaves_ + first;
    last_[i] = starting_[first].empty() ? -1 : starting_[first].rbegin()->last;
    while (i /= 2) last_[i] = (std::max)(last_[2 * i], last_[2 * i + 1]);
  }

  std::size_t leaves_;
  std::vector<int> last_;                                  // maximum of each subtree, over the first calls
  std::vector<std::set<free_box, ends_before>> starting_;  // by first call
};

}  // namespace detail

RIDGEPOINT_DEFINITION arrangement arrange(std::span<const interval> lives) {
  arrangement result{.offsets = std::vector<std::size_t>(lives.size())};
  if (lives.empty()) return result;
  const auto rounded = [](std::size_t bytes) {
    return (bytes + alignment_bytes - 1) / alignment_bytes * alignment_bytes;
  };
  std::vector<std::size_t> order(lives.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return lives[a].bytes > lives[b].bytes; });
  int begin = lives[0].first, end = lives[0].last;
  for (const interval& i : lives) begin = (std::min)(begin, i.first), end = (std::max)(end, i.last);
  const int calls = end - begin + 1;

  detail::free_boxes usable(calls);  // at least as high as any interval still to place
  const auto lower = [](const detail::free_box& a, const detail::free_box& b) { return a.bytes < b.bytes; };
  std::priority_queue<detail::free_box, std::vector<detail::free_box>, decltype(lower)> too_low(lower);
  for (const std::size_t i : order) {
    const std::size_t bytes = rounded(lives[i].bytes);
    if (bytes == 0) break;
    for (; !too_low.empty() && too_low.top().bytes >= bytes; too_low.pop()) usable.add(too_low.top());

    const int first = lives[i].first - begin, last = lives[i].last - begin;
    std::optional<detail::free_box> box = usable.take(first, last);
    if (!box) {
      box = {.first = 0, .last = calls - 1, .offset = result.bytes, .bytes = bytes};
      result.bytes += bytes;
    }
    result.offsets[i] = box->offset;
    if (box->first < first) usable.add({box->first, first - 1, box->offset, bytes});
    if (last < box->last) usable.add({last + 1, box->last, box->offset, bytes});
    if (bytes < box->bytes) too_low.push({box->first, box->last, box->offset + bytes, box->bytes - bytes});
  }
  return result;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

RIDGEPOINT_DEFINITION void emit_conversion(plan_builder& builder, slot from, slot to, call_info info, when run,
                                           slot scale_state) {
  const auto size = static_cast<index_t>(builder.bytes(from) / bytes_of(builder.type(from)));
  info.shape = concat(size, ' ', builder.type(from), " to ", builder.type(to));
  const auto add_call = [&]<class To, class From>(To, From) {
    const auto make = [=](const addresses& at) {
      return convert_args<To, From>{.size = size, .x = at(from), .y = at(to), .scale_state = at(scale_state)};
    };
    if (run == when::every_step) builder.add_call(info, make);
    else builder.add_parameter_call(info, make);
  };
  const auto between = [&](auto narrow) {
    if (bytes_of(builder.type(to)) < sizeof(float)) add_call(narrow, float());
    else add_call(float(), narrow);
  };
  if (builder.type(to) == element::f16 || builder.type(from) == element::f16) between(float16());
  else between(bfloat16());
}

RIDGEPOINT_DEFINITION slot converted(plan_builder& builder, slot from, element type, const call_info& info,
                                     slot scale_state) {
  const element held = from.exists() ? builder.type(from) : type;
  if (held == type || !is_number(held)) return from;
  const auto count = static_cast<index_t>(builder.bytes(from) / bytes_of(held));
  const slot to = builder.reserve(memory_region::arena, type, count, concat(info.layer, '.', type));
  emit_conversion(builder, from, to, info, when::every_step, scale_state);
  return to;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
