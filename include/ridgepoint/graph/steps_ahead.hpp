// SPDX-License-Identifier: MIT
#pragma once

#include <utility>
#include <vector>

#include <ridgepoint/graph/network.hpp>
#include <ridgepoint/graph/program.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A copy of some regions of a program's memory, in the backend's memory.
/// Example:
///   rp::saved_regions before(program, {rp::memory_region::parameters});
///   program.run();
///   before.restore();
template <backend Backend>
class saved_regions {
 public:
  saved_regions(const program<Backend>& of, std::initializer_list<memory_region> regions) : of_(of), regions_(regions) {
    for (const memory_region r : regions) saved_.push_back(of.on().allocate(of.plan().bytes(r)));
    save();
  }
  /// Saves the current contents, replacing the previous copy.
  void save() {
    for (std::size_t r = 0; r < saved_.size(); ++r) of_.on().copy(saved_[r].data(), at(r), bytes(r));
  }
  void restore() const {
    for (std::size_t r = 0; r < saved_.size(); ++r) of_.on().copy(at(r), saved_[r].data(), bytes(r));
  }

 private:
  [[nodiscard]] void* at(std::size_t r) const { return of_.memory(regions_[r]); }
  [[nodiscard]] std::size_t bytes(std::size_t r) const { return of_.plan().bytes(regions_[r]); }
  const program<Backend>& of_;
  std::vector<memory_region> regions_;
  std::vector<typename Backend::buffer> saved_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Training steps that are launched one after another before the loss of the first is checked, so that a device does
/// not wait for the host between them. Empty on a backend that does not fetch later.
template <std::floating_point T, backend Backend>
class steps_ahead {
 public:
  /// `most`: the largest number of steps per run.
  steps_ahead(const network<T, Backend>&, index_t) {}

  /// Launches up to `count` steps, step i on the data of feed(i), then meanwhile() if all were launched, and waits for
  /// their losses. Returns the number of steps: a feed that throws ends them, and if it is the first, rethrows.
  template <class Feed, class Meanwhile>
  index_t run(index_t, const Feed&, const Meanwhile&) const noexcept {
    return 0;
  }
  /// Result of loss l in one of the steps.
  [[nodiscard]] judgement judged(index_t, std::size_t) const noexcept { return {}; }
  /// Restores the state from before the steps.
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
        break;  // its error is reported when it is the first
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
  std::size_t states_each_ = 0;      // of all losses, one per micro-batch each
  std::vector<step_state> fetched_;  // of each step
  std::vector<ticket> tickets_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
