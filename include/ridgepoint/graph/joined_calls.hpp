// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include <ridgepoint/core/backend.hpp>
#include <ridgepoint/graph/chains.hpp>
#include <ridgepoint/ops/chain.hpp>

/// \file
/// Calls of a program that a backend runs as one: recorded and replayed, or as a chain.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Parts of a step that a backend recorded. Empty for one that records none.
template <backend Backend>
class recorded_calls {};

template <backend Backend>
  requires records<Backend>
class recorded_calls<Backend> {
 public:
  /// Runs body(), the calls first … last - 1: the first time recording them, later by replaying the recording.
  template <class Body>
  void run(const Backend& on, std::size_t first, std::size_t last, const Body& body) {
    const auto same = [&](const part& p) { return p.first == first && p.last == last; };
    auto found = std::find_if(parts_.begin(), parts_.end(), same);
    if (found == parts_.end()) found = parts_.insert(found, part{first, last, on.record(body)});
    on.replay(found->calls);
  }

 private:
  struct part {
    std::size_t first, last;
    decltype(std::declval<const Backend&>().record(static_cast<void (*)()>(nullptr))) calls;
  };
  std::vector<part> parts_;  // the forward pass, the rest of a step
};

/// The chains of a plan, prepared on a backend. None, unless it runs chains.
template <backend Backend>
class chained_calls {
 public:
  /// link(c): call c of the plan; whether it is kept is filled in here.
  template <class Link>
  void prepare(const Backend&, const ridgepoint::plan&, const Link& /*link*/) const noexcept {}
  [[nodiscard]] const std::vector<call_chain>& all() const noexcept { return chains_; }
  /// Runs the chain that begins with a call if it ends by `last`. Returns it or null.
  [[nodiscard]] const call_chain* run(const Backend&, std::size_t /*call*/, std::size_t /*last*/) const noexcept {
    return nullptr;
  }

 private:
  std::vector<call_chain> chains_;
};

template <backend Backend>
  requires runs_chains<Backend>
class chained_calls<Backend> {
 public:
  template <class Link>
  void prepare(const Backend& on, const ridgepoint::plan& steps, const Link& link) {
    if (!on.wants_chains()) return;
    chains_ = chains_of(steps);
    for (const call_chain& chain : chains_) {
      std::vector<chain_link> links;
      for (std::size_t c = chain.first; c < chain.end; ++c) {
        links.push_back(link(c));
        links.back().kept = chain.kept[c - chain.first];
      }
      prepared_.push_back(on.prepare_chain(links));
    }
  }
  [[nodiscard]] const std::vector<call_chain>& all() const noexcept { return chains_; }
  [[nodiscard]] const call_chain* run(const Backend& on, std::size_t call, std::size_t last) const {
    const auto begins_before = [](const call_chain& chain, std::size_t c) { return chain.first < c; };
    const auto found = std::lower_bound(chains_.begin(), chains_.end(), call, begins_before);
    if (found == chains_.end() || found->first != call || found->end > last) return nullptr;
    on.run_chain(prepared_[static_cast<std::size_t>(found - chains_.begin())]);
    return &*found;
  }

 private:
  std::vector<call_chain> chains_;
  std::vector<std::remove_cvref_t<decltype(std::declval<const Backend&>().prepare_chain({}))>> prepared_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
