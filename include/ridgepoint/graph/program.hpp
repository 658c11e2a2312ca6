// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include <ridgepoint/core/backend.hpp>
#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/graph/plan.hpp>
#include <ridgepoint/ops/all.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Runs an op on a backend from a pointer to its arguments.
template <backend Backend>
using op_runner = void (*)(const Backend&, const void* args);

/// The runner of the op with these arguments, or null where the backend does not have it.
template <backend Backend, class Args>
[[nodiscard]] constexpr op_runner<Backend> runner_of() noexcept {
  if constexpr (executes<Backend, Args>)
    return [](const Backend& on, const void* args) { execute(on, *static_cast<const Args*>(args)); };
  else return nullptr;
}

/// The runner of the listed op whose arguments have this type; null if it is not listed or the backend lacks it.
template <backend Backend, class... Args>
[[nodiscard]] op_runner<Backend> find_runner(type_list<Args...>, std::type_index type) {
  op_runner<Backend> found = nullptr;
  static_cast<void>(((type == typeid(Args) ? (found = runner_of<Backend, Args>(), true) : false) || ...));
  return found;
}

/// The memory of one region of a plan, shared by the programs of one network.
template <backend Backend>
using shared_buffer = std::shared_ptr<typename Backend::buffer>;

/// A plan bound to a backend: its memory, and a step as a list of (function, arguments).
///
/// Nothing here looks into the memory: it may be a device's.
template <backend Backend>
class program {
 public:
  /// Ops: type_list of argument types the plan may use. `parameters`: memory to share; null allocates it.
  /// Throws: unsupported if the backend lacks an op, before anything is allocated; std::bad_alloc.
  template <class Ops>
  program(const Backend& on, ridgepoint::plan bound, Ops ops, shared_buffer<Backend> parameters = nullptr)
      : on_(on), plan_(std::move(bound)) {
    calls_ = runners(plan_.calls, ops);
    preparation_ = runners(plan_.preparation, ops);
    for (std::size_t r = 0; r < region_count; ++r) {
      const bool shared = parameters != nullptr && static_cast<memory_region>(r) == memory_region::parameters;
      memory_[r] =
          shared ? parameters : std::make_shared<typename Backend::buffer>(on_.allocate(plan_.region_bytes[r]));
    }
    for (const planned_slot& s : plan_.slots) at_.add(static_cast<std::byte*>(memory(s.where)) + s.offset);
    bind(plan_.calls, calls_);
    bind(plan_.preparation, preparation_);
  }

  program(program&&) = default;
  program& operator=(program&&) = default;
  program(const program&) = delete;  // its calls point into its memory
  program& operator=(const program&) = delete;
  ~program() = default;

  [[nodiscard]] const Backend& on() const noexcept { return on_; }
  [[nodiscard]] const ridgepoint::plan& plan() const noexcept { return plan_; }
  [[nodiscard]] const addresses& at() const noexcept { return at_; }
  [[nodiscard]] shared_buffer<Backend> parameters() const {
    return memory_[static_cast<std::size_t>(memory_region::parameters)];
  }
  [[nodiscard]] void* memory(memory_region r) const { return memory_[static_cast<std::size_t>(r)]->data(); }

  [[nodiscard]] std::size_t call_count() const noexcept { return calls_.size(); }
  void run(std::size_t call) const { calls_[call].run(on_, calls_[call].args); }
  /// What depends on the parameters alone; to be called before the next step when they have changed.
  void prepare() const {
    for (const bound_call& call : preparation_) call.run(on_, call.args);
  }
  /// Calls first … last - 1.
  void run(std::size_t first, std::size_t last) const {
    for (std::size_t c = first; c < last; ++c) run(c);
  }
  /// One step.
  void run() const { run(0, calls_.size()); }

 private:
  struct bound_call {
    op_runner<Backend> run;
    const void* args;
  };
  template <class Ops>
  [[nodiscard]] std::vector<bound_call> runners(const std::vector<planned_call>& calls, Ops ops) const {
    std::vector<bound_call> found;
    for (const planned_call& call : calls) {
      found.push_back({find_runner<Backend>(ops, call.type), nullptr});
      require<unsupported>(found.back().run != nullptr, on_.name(), " has no ", call.op, " (layer ", call.info.layer,
                           ')');
    }
    return found;
  }
  void bind(const std::vector<planned_call>& planned, std::vector<bound_call>& calls) {
    for (std::size_t c = 0; c < calls.size(); ++c) {
      owned_.push_back(planned[c].bind(at_));
      calls[c].args = owned_.back().get();
    }
  }

  Backend on_;
  ridgepoint::plan plan_;
  std::array<shared_buffer<Backend>, region_count> memory_;
  addresses at_;
  std::vector<std::shared_ptr<const void>> owned_;
  std::vector<bound_call> calls_, preparation_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
