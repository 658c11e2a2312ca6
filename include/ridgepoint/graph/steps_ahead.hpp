// SPDX-License-Identifier: MIT
#pragma once

#include <utility>
#include <vector>

#include <ridgepoint/graph/network.hpp>
#include <ridgepoint/graph/saved_regions.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Steps of a network that learns, called one behind the other before the loss of the first is looked at, so that a
/// device never waits for the host between two of them. On a backend that does not fetch later: none.
template <std::floating_point T, backend Backend>
class steps_ahead {
 public:
  /// At most `most` at a time.
  steps_ahead(const network<T, Backend>&, index_t) {}

  /// Calls up to `count` steps, step i on what feed(i) puts into the network, then meanwhile() if all were, and waits
  /// for what their losses say. Returns how many: a feed that throws ends them, and if it is the first, throws.
  template <class Feed, class Meanwhile>
  index_t run(index_t, const Feed&, const Meanwhile&) const noexcept {
    return 0;
  }
  /// What loss number l said in one of them.
  [[nodiscard]] judgement judged(index_t, std::size_t) const noexcept { return {}; }
  /// All is again as it was before them.
  void undo() const noexcept {}
};

template <std::floating_point T, backend Backend>
  requires fetches_later<Backend>
class steps_ahead<T, Backend> {
 public:
  steps_ahead(const network<T, Backend>& of, index_t most)
      : of_(of), before_(of.program(), {memory_region::batch, memory_region::parameters, memory_region::moments}) {
    for (const planned_loss& l : of.made().losses) states_each_ += l.states.size();
    fetched_.resize(states_each_ * static_cast<std::size_t>(most));
    tickets_.reserve(fetched_.size());
  }
  steps_ahead(const steps_ahead&) = delete;
  steps_ahead& operator=(const steps_ahead&) = delete;
  ~steps_ahead() {
    try {
      wait();  // fetched_ must outlast the copies
    } catch (...) {
    }
  }

  template <class Feed, class Meanwhile>
  index_t run(index_t count, const Feed& feed, const Meanwhile& meanwhile) {
    const program<Backend>& steps = of_.program();
    const std::size_t up_to_losses = steps.plan().forward_calls();
    before_.save();
    index_t called = 0;
    for (; called < count; ++called) {
      try {
        feed(called);
      } catch (const backend_error&) {
        throw;
      } catch (...) {
        if (called == 0) throw;
        break;  // what is wrong with it is said when it is the first
      }
      steps.run(0, up_to_losses);
      steps.run(up_to_losses, steps.call_count());
      fetch_states(called);
    }
    if (called == count) meanwhile();
    wait();
    return called;
  }
  [[nodiscard]] judgement judged(index_t step, std::size_t l) const {
    const std::size_t first = first_state(step) + l * of_.made().losses[l].states.size();
    return of_.judged(l, [&](std::size_t part) { return fetched_[first + part]; });
  }
  void undo() const { before_.restore(); }

 private:
  using ticket = decltype(std::declval<const Backend&>().fetch(nullptr, nullptr, 0));

  [[nodiscard]] std::size_t first_state(index_t step) const noexcept {
    return static_cast<std::size_t>(step) * states_each_;
  }
  void fetch_states(index_t step) {
    std::size_t to = first_state(step);
    for (const planned_loss& l : of_.made().losses)
      for (const slot s : l.states)
        tickets_.push_back(of_.program().on().fetch(&fetched_[to++], of_.program().at()(s), sizeof(step_state)));
  }
  void wait() {
    while (!tickets_.empty()) {
      ticket latest = std::move(tickets_.back());
      tickets_.pop_back();  // each is waited for once, whatever wait() throws
      of_.program().on().wait(std::move(latest));
    }
  }

  const network<T, Backend>& of_;
  saved_regions<Backend> before_;
  std::size_t states_each_ = 0;      // those of all losses, each with one for each micro-batch
  std::vector<step_state> fetched_;  // of each step
  std::vector<ticket> tickets_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
