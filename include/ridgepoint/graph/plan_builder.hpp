// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <type_traits>

#include <ridgepoint/graph/arena.hpp>
#include <ridgepoint/graph/plan.hpp>
#include <ridgepoint/graph/stand_ins.hpp>
#include <ridgepoint/graph/type_name.hpp>
#include <ridgepoint/ops/check_operands.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Collects slots and calls, then lays the slots out.
class plan_builder {
 public:
  /// A slot of `count` values of T. Slots outside the arena follow one another in order of reservation.
  /// Throws: shape_error if its size or the region's does not fit.
  template <class T>
  [[nodiscard]] slot<T> reserve(memory_region where, index_t count, std::string name) {
    const index_t bytes = checked_mul(count, static_cast<index_t>(sizeof(T)));
    index_t offset = 0;
    if (where != memory_region::arena) {
      auto& end = plan_.region_bytes[static_cast<std::size_t>(where)];
      offset = round_up(static_cast<index_t>(end), static_cast<index_t>(alignment_bytes));
      end = static_cast<std::size_t>(checked_add(offset, bytes));
    }
    return append<T>(
        {std::move(name), typeid(T), where, static_cast<std::size_t>(bytes), static_cast<std::size_t>(offset)});
  }
  /// The `count` values from `first` on of a slot outside the arena, as a slot of their own.
  template <class T>
  [[nodiscard]] slot<T> part(slot<T> whole, index_t first, index_t count, std::string name) {
    const planned_slot& of = plan_[whole];
    return append<T>({std::move(name), typeid(T), of.where, static_cast<std::size_t>(count) * sizeof(T),
                      of.offset + static_cast<std::size_t>(first) * sizeof(T)});
  }

  [[nodiscard]] std::size_t bytes(slot_id s) const { return plan_[s].bytes; }

  /// Appends a call whose arguments are make(addresses). What it reads and writes follows from operands(arguments), its
  /// receipt is receipt(arguments) where the op has one.
  /// Throws: what check(arguments) throws; shape_error where an operand reaches beyond its slot.
  template <class Make>
  void emit(const call_info& info, const Make& make) {
    constexpr bool listed = lists_operands<std::invoke_result_t<const Make&, const addresses&>>;
    static_assert(listed, "a planned op lists its operands: operands(const its_args&) beside its arguments");
    if constexpr (listed) plan_.calls.push_back(call_of(info, make));
  }
  /// The slot keeps its contents to the end of the step.
  void keep(slot_id s) { kept_.push_back(s); }

  /// Lays out the arena and gives the plan away.
  /// Throws: value_error if a call reads an arena slot before any call has written it.
  [[nodiscard]] plan finish() {
    const std::vector<interval> lives = liveness();
    std::vector<int> owner(plan_.slots.size());  // whose memory a slot uses: its own or one it overwrites
    for (std::size_t s = 0; s < owner.size(); ++s) owner[s] = static_cast<int>(s);
    std::vector<interval> merged = lives;
    for (int c = 0; c < static_cast<int>(plan_.calls.size()); ++c) share(c, lives, merged, owner);

    std::vector<interval> blocks;
    std::vector<std::size_t> block_of(plan_.slots.size());
    for (std::size_t s = 0; s < plan_.slots.size(); ++s) {
      if (plan_.slots[s].where != memory_region::arena) continue;
      plan_.arena_sum_bytes += plan_.slots[s].bytes;
      if (owner[s] != static_cast<int>(s)) continue;
      block_of[s] = blocks.size();
      blocks.push_back(merged[s]);
    }
    const arrangement arranged = arrange(blocks);
    plan_.region_bytes[static_cast<std::size_t>(memory_region::arena)] = arranged.bytes;
    for (std::size_t s = 0; s < plan_.slots.size(); ++s)
      if (plan_.slots[s].where == memory_region::arena)
        plan_.slots[s].offset = arranged.offsets[block_of[static_cast<std::size_t>(owner[s])]];
    return std::move(plan_);
  }

 private:
  template <class T>
  [[nodiscard]] slot<T> append(planned_slot added) {
    stand_ins_.add(added.bytes);
    plan_.slots.push_back(std::move(added));
    slot<T> reserved;
    reserved.index = static_cast<int>(plan_.slots.size()) - 1;
    return reserved;
  }

  /// An op without a check of its own is checked by its operands.
  template <class Args>
  static void check_planned(const Args& args) {
    if constexpr (requires { check(args); }) check(args);
    else check_operands(op_name<Args>(), operands(args));
  }

  template <class Make>
  [[nodiscard]] planned_call call_of(const call_info& info, const Make& make) const {
    using args = std::invoke_result_t<const Make&, const addresses&>;
    planned_call call{.info = info,
                      .op = op_name<args>(),
                      .type = typeid(args),
                      .reads = {},
                      .writes = {},
                      .overwrites = {},
                      .result = {},
                      .bind = [make](const addresses& at) -> std::shared_ptr<const void> {
                        auto made = std::make_shared<const args>(make(at));
                        check_planned(*made);
                        return made;
                      }};
    const args made = make(stand_ins_.at());
    check_planned(made);
    list_slots(call, operands(made), stand_ins_, plan_.slots);
    if constexpr (requires { receipt(made); }) call.info.receipt = receipt(made);
    return call;
  }

  /// First write and last use of every slot, as calls.
  [[nodiscard]] std::vector<interval> liveness() const {
    std::vector<interval> lives(plan_.slots.size(), interval{-1, -1, 0});
    for (std::size_t s = 0; s < lives.size(); ++s) lives[s].bytes = plan_.slots[s].bytes;
    for (int c = 0; c < static_cast<int>(plan_.calls.size()); ++c) {
      const planned_call& call = plan_.calls[static_cast<std::size_t>(c)];
      for (const slot_id s : call.reads) {
        interval& life = lives[static_cast<std::size_t>(s.index)];
        const bool written = life.first >= 0 || plan_[s].where != memory_region::arena;
        require<value_error>(written, call.info.layer, ": ", call.op, " reads ", plan_[s].name,
                             " before anything has written it; must be written by an earlier call");
        life.last = c;
      }
      for (const slot_id s : call.writes) {
        interval& life = lives[static_cast<std::size_t>(s.index)];
        if (life.first < 0) life.first = c;
        life.last = c;
      }
    }
    for (const slot_id s : kept_) lives[static_cast<std::size_t>(s.index)].last = static_cast<int>(plan_.calls.size());
    return lives;
  }

  /// Lets the result of call c take the memory of the slot it may overwrite, if that one dies in this call.
  void share(int c, const std::vector<interval>& lives, std::vector<interval>& merged, std::vector<int>& owner) const {
    const planned_call& call = plan_.calls[static_cast<std::size_t>(c)];
    if (!call.overwrites.exists()) return;
    const auto src = static_cast<std::size_t>(call.overwrites.index), dst = static_cast<std::size_t>(call.result.index);
    const bool in_arena =
        plan_.slots[src].where == memory_region::arena && plan_.slots[dst].where == memory_region::arena;
    if (!in_arena || src == dst || lives[src].last != c || lives[dst].first != c) return;
    if (plan_.slots[dst].bytes > merged[static_cast<std::size_t>(owner[src])].bytes) return;
    owner[dst] = owner[src];
    interval& shared = merged[static_cast<std::size_t>(owner[src])];
    shared.last = std::max(shared.last, lives[dst].last);
  }

  plan plan_;
  stand_ins stand_ins_;  // arguments can be made before there is memory
  std::vector<slot_id> kept_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
