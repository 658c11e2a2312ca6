// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include <ridgepoint/graph/chains.hpp>
#include <ridgepoint/ops/chain.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// Counts the calls from `first` on that widen all maps read by the chain head after them; 0 if they do not.
[[nodiscard]] inline std::size_t widenings_before_head(std::span<const planned_call> calls, std::size_t first) {
  const auto is_similar = [&](const planned_call& call) {
    return call.op == calls[first].op && call.info.pass == calls[first].info.pass;
  };
  if (!is_widening(calls[first].op)) return 0;
  const auto head = std::find_if_not(calls.begin() + static_cast<std::ptrdiff_t>(first), calls.end(), is_similar);
  if (head == calls.end() || head->info.pass != calls[first].info.pass) return 0;
  const auto count = static_cast<std::size_t>(head - calls.begin()) - first;
  const auto is_read = [&](const planned_call& call) {
    return std::ranges::count(head->reads, call.writes.front()) > 0;
  };
  return count == maps_of_head(head->op) && std::ranges::all_of(calls.subspan(first, count), is_read) ? count : 0;
}

template <class... Args>
[[nodiscard]] index_t element_count(type_list<Args...>, op_id op, const void* args) {
  index_t count = 0;
  static_cast<void>(
      ((op == op_id_of<Args> ? (count = element_count(*static_cast<const Args*>(args)), true) : false) || ...));
  return count;
}

/// Finds the chains of a plan; operands are compared by their addresses in its regions.
class chain_finder {
 public:
  explicit chain_finder(const ridgepoint::plan& steps)
      : steps_(steps), at_(addresses_in_regions(steps)), last_read_(steps.planned_slots.size(), none) {
    for (std::size_t c = 0; c < steps.calls.size(); ++c) {
      for (const slot s : steps.calls[c].reads) last_read_[index(s)] = c;
      calls_.push_back(looked_at(steps.calls[c]));
    }
    for (const slot s : steps.kept) last_read_[index(s)] = steps.calls.size();
  }

  /// Returns the longest chain that begins with a call; it has length 1 if there is no longer one.
  [[nodiscard]] call_chain from(std::size_t first) const {
    call_chain made{.first = first, .end = first + 1};
    const std::size_t forward = steps_.forward_calls(), limit = first < forward ? forward : calls_.size();
    if (const std::size_t end = first + leads_to_head(first) + 1; keeps_separate({.first = first, .end = end}))
      made.end = end;
    while (made.end < limit && made.end - first < most_chain_links && follows(made, made.end) &&
           keeps_separate({.first = first, .end = made.end + 1}))
      ++made.end;
    if (made.end - first == 1) return made;
    for (std::size_t c = first; c < made.end; ++c) made.kept.push_back(kept(made, c));
    count_bytes(made);
    return made;
  }

 private:
  static constexpr std::size_t none = (std::numeric_limits<std::size_t>::max)();

  /// A call as a candidate for a chain; ops that cannot join have 0 elements.
  struct candidate {
    index_t elements = 0;
    bool only_begins = false;
    std::vector<operand> operands = {};
    operand result = {};  // which is element-wise
    slot result_slot = {};
  };

  [[nodiscard]] static std::size_t index(slot s) { return static_cast<std::size_t>(s.index); }
  [[nodiscard]] candidate looked_at(const planned_call& call) const {
    if (!is_chain_op(call.op)) return {};
    candidate c{.elements = element_count(all_chain_ops{}, call.op, call.arguments(at_).get())};
    if (c.elements == 0) return c;
    c.only_begins = maps_of_head(call.op) > 0;
    for (const operand& o : call.operands(at_))
      if (!o.absent() && !o.empty()) c.operands.push_back(o);
    const auto is_result = [&](const operand& o) { return writes(o.role) && extent_of(o) == c.elements; };
    c.result = *std::find_if(c.operands.begin(), c.operands.end(), is_result);
    for (const slot s : call.writes)
      if (static_cast<const void*>(at_(s)) == c.result.data) c.result_slot = s;
    if (!c.result_slot.exists()) c.elements = 0;
    return c;
  }
  [[nodiscard]] static index_t extent_of(const operand& o) {
    index_t all = 1;
    for (std::size_t i = 0; i < o.rank; ++i) all *= o.extents[i];
    return all;
  }
  [[nodiscard]] static bool contains(const std::vector<slot>& found_slots, slot s) {
    return std::find(found_slots.begin(), found_slots.end(), s) != found_slots.end();
  }

  /// Counts the calls from `first` on that widen the inputs of a chain head; the chain begins with them.
  [[nodiscard]] std::size_t leads_to_head(std::size_t first) const {
    const std::size_t count = widenings_before_head(steps_.calls, first);
    for (std::size_t c = first; c < first + count; ++c)
      if (calls_[c].elements == 0 || calls_[c].elements != calls_[first + count].elements) return 0;
    return count;
  }
  /// Returns true if call c has the same number of elements and reads an output of the chain, so both compute in one
  /// type.
  [[nodiscard]] bool follows(const call_chain& chain, std::size_t c) const {
    const candidate &begin = calls_[chain.first], &next = calls_[c];
    if (begin.elements == 0 || next.elements != begin.elements || next.only_begins) return false;
    if (widenings_before_head(steps_.calls, c) > 0) return false;
    for (std::size_t before = chain.first; before < c; ++before)
      if (contains(steps_.calls[c].reads, calls_[before].result_slot)) return true;
    return false;
  }
  /// Returns true if the result of call c of a chain has to be written.
  [[nodiscard]] bool kept(const call_chain& chain, std::size_t c) const {
    const slot s = calls_[c].result_slot;
    const std::size_t last = last_read_[index(s)];
    return c + 1 == chain.end || steps_[s].where != memory_region::arena || (last != none && last >= chain.end);
  }
  /// Returns true if operand x of call c is the result of an earlier call of the chain, not memory.
  [[nodiscard]] bool is_computed(const call_chain& chain, std::size_t c, const operand& x) const {
    for (std::size_t before = chain.first; before < c; ++before)
      if (calls_[before].result.data == x.data) return true;
    return false;
  }

  /// Returns true if every thread of a chain can process its own elements: it reads only the same element of a result,
  /// and no result overwrites what another thread still reads (including results of the head's first passes), nor do
  /// those passes overwrite inputs of the calls before the head.
  [[nodiscard]] bool keeps_separate(const call_chain& chain) const {
    for (std::size_t head = chain.first; head < chain.end; ++head)
      for (const operand& found : calls_[head].operands) {
        if (!calls_[head].only_begins || !writes(found.role) || found.data == calls_[head].result.data) continue;
        for (std::size_t r = chain.first; r < head; ++r)
          for (const operand& x : calls_[r].operands)
            if (reads(x.role) && !are_disjoint(x, found)) return false;
      }
    for (std::size_t w = chain.first; w < chain.end; ++w)
      for (std::size_t r = chain.first; r < chain.end; ++r)
        for (const operand& x : calls_[r].operands) {
          const bool is_result = !reads(x.role) && x.data == calls_[r].result.data;
          if (is_result || are_disjoint_or_same(x, calls_[w].result)) continue;
          if (r > w || (kept(chain, w) && !is_computed(chain, r, x))) return false;
        }
    return true;
  }
  [[nodiscard]] static bool are_disjoint(const operand& x, const operand& y) {
    const operand_memory a = check_operand("chain", x), b = check_operand("chain", y);
    const auto begin = [](const operand_memory& m) { return reinterpret_cast<std::uintptr_t>(m.first); };
    const auto end = [&](const operand_memory& m) { return begin(m) + static_cast<std::uintptr_t>(m.bytes); };
    return end(a) <= begin(b) || end(b) <= begin(a);
  }
  [[nodiscard]] static bool are_disjoint_or_same(const operand& x, const operand& y) {
    const operand_memory read = check_operand("chain", x), written = check_operand("chain", y);
    const bool same = read.first == written.first && read.bytes == written.bytes;
    return are_disjoint(x, y) || (x.role == operand_role::input && same);
  }

  void count_bytes(call_chain& chain) const {
    std::vector<operand> touched;
    std::vector<slot> found_slots, computed;
    const auto touch = [&](const operand& o) {
      const auto same = [&](const operand& t) { return t.data == o.data && reads(t.role) == reads(o.role); };
      if (std::none_of(touched.begin(), touched.end(), same)) touched.push_back(o);
    };
    const auto touch_slot = [&](slot s) {
      if (contains(found_slots, s)) return;
      found_slots.push_back(s);
      chain.footprint_bytes += steps_[s].bytes;
    };
    for (std::size_t c = chain.first; c < chain.end; ++c) {
      const candidate& call = calls_[c];
      const bool is_kept = chain.kept[c - chain.first];
      for (const operand& o : call.operands)
        if (writes(o.role) ? is_kept || o.data != call.result.data : !is_computed(chain, c, o)) touch(o);
      for (const slot s : steps_.calls[c].reads)
        if (!contains(computed, s)) touch_slot(s);
      for (const slot s : steps_.calls[c].writes)
        if (is_kept || s != call.result_slot) touch_slot(s);
      computed.push_back(call.result_slot);
    }
    chain.bytes = traffic_of(touched);
  }

  const ridgepoint::plan& steps_;
  addresses at_;
  std::vector<candidate> calls_;
  std::vector<std::size_t> last_read_;  // by slot: the last call that reads it
};

}  // namespace detail

RIDGEPOINT_DEFINITION std::vector<call_chain> chains_of(const plan& steps) {
  const detail::chain_finder finder(steps);
  std::vector<call_chain> found;
  for (std::size_t c = 0; c < steps.calls.size();) {
    call_chain chain = finder.from(c);
    c = chain.end;
    if (chain.end - chain.first > 1) found.push_back(std::move(chain));
  }
  return found;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
