// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include <ridgepoint/core/either.hpp>
#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/distributed/distributed.hpp>
#include <ridgepoint/graph/joined_calls.hpp>
#include <ridgepoint/graph/plan.hpp>
#include <ridgepoint/ops/all.hpp>
#include <ridgepoint/ops/prepare.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// One op of a program: its arguments, prepared if the backend supports that.
template <backend Backend>
struct bound_call {
  const void* args = nullptr;
  std::shared_ptr<const void> state = {};  // what the backend's prepare() returned
  preparation info = {};
  call_memory memory = {};
  void* constants = nullptr;
  void (*run)(const Backend&, const bound_call&) = nullptr;           // called with this call
  void (*constants_of)(const Backend&, const bound_call&) = nullptr;  // likewise

  void make_constants(const Backend& on) const {
    if (constants != nullptr) constants_of(on, *this);
  }
};

/// Prepares an op on a backend from a pointer to its arguments, which must outlive the call.
template <backend Backend>
using op_binder = bound_call<Backend> (*)(const Backend&, const void* args, const prepare_options&);

namespace detail {
/// Functions that a bound call of an op calls: execute(), with the state of prepare() if it has one; make_constants().
template <backend Backend, class Args>
void execute_plain(const Backend& on, const bound_call<Backend>& c) {
  execute(on, *static_cast<const Args*>(c.args));
}
template <backend Backend, class Args, class State>
void execute_prepared(const Backend& on, const bound_call<Backend>& c) {
  execute(on, *static_cast<const State*>(c.state.get()), *static_cast<const Args*>(c.args), c.memory);
}
template <backend Backend, class Args, class State>
void make_constants_of(const Backend& on, const bound_call<Backend>& c) {
  make_constants(on, *static_cast<const State*>(c.state.get()), *static_cast<const Args*>(c.args), c.constants);
}
}  // namespace detail

/// Returns the binder of the op with these arguments, or null if the backend lacks it.
template <backend Backend, class Args>
[[nodiscard]] constexpr op_binder<Backend> binder_of() noexcept {
  if constexpr (prepares<Backend, Args>)
    return [](const Backend& on, const void* args, const prepare_options& options) {
      using state = decltype(prepare(on, *static_cast<const Args*>(args), options));
      const auto made = std::make_shared<const state>(prepare(on, *static_cast<const Args*>(args), options));
      bound_call<Backend> bound{.args = args, .state = made, .info = made->info};
      bound.run = detail::execute_prepared<Backend, Args, state>;
      bound.constants_of = detail::make_constants_of<Backend, Args, state>;
      return bound;
    };
  else if constexpr (executes<Backend, Args>)
    return [](const Backend&, const void* args, const prepare_options&) {
      bound_call<Backend> bound{.args = args};
      bound.run = detail::execute_plain<Backend, Args>;
      return bound;
    };
  else return nullptr;
}

/// An op of a backend's table.
template <backend Backend>
struct op_entry {
  op_id op = nullptr;
  op_binder<Backend> bind = nullptr;                  // null: the backend lacks it
  std::string (*executor)(const Backend&) = nullptr;  // its name; null: the backend itself
};

namespace detail {
template <backend Backend, class Args>
[[nodiscard]] constexpr op_entry<Backend> op_entry_of() noexcept {
  op_entry<Backend> entry{.op = op_id_of<Args>, .bind = binder_of<Backend, Args>()};
  if constexpr (composed<Backend> && executes<Backend, Args>)
    entry.executor = [](const Backend& on) { return executed_by<Args>(on); };
  return entry;
}
template <backend Backend, class... Args>
inline constexpr std::array<op_entry<Backend>, sizeof...(Args)> op_entries = {op_entry_of<Backend, Args>()...};
}  // namespace detail

/// The ops that plans may use on a backend.
/// Example:
///   const rp::op_table<rp::reference_backend> ops = rp::all_ops<float>{} + rp::untyped_ops{};
template <backend Backend>
struct op_table {
  std::span<const op_entry<Backend>> entries;

  template <class... Args>
  op_table(type_list<Args...>) : entries(detail::op_entries<Backend, Args...>) {}

  /// Returns the entry of an op; null if it is not listed or the backend lacks it.
  [[nodiscard]] const op_entry<Backend>* find(op_id op) const noexcept {
    for (const op_entry<Backend>& entry : entries)
      if (entry.op == op) return entry.bind != nullptr ? &entry : nullptr;
    return nullptr;
  }
};

namespace detail {
template <std::floating_point T, backend Backend>
[[nodiscard]] auto library_list() {
  const auto own = [] {
    if constexpr (requires { typename Backend::ops; }) return typename Backend::ops{};
    else return all_ops<T>{} + untyped_ops{};
  }();
  if constexpr (in_host_memory<Backend>) return own + exchange_ops{};
  else return own;
}
}  // namespace detail

/// Returns the library's ops for plans whose numbers are fed as T: the ops over T, or all that the backend was compiled
/// with if it names them (Backend::ops). Not inline, so that the archive can hold it; its parameters have no
/// constraints, because Clang 18 and later mangles these and GCC does not.
template <class T, class Backend>
[[nodiscard]] op_table<Backend> library_ops() {
  return detail::library_list<T, Backend>();
}

namespace detail {
/// Returns the library's ops together with user-defined ones.
template <std::floating_point T, backend Backend, class... Own>
[[nodiscard]] op_table<Backend> ops_with(type_list<Own...> own) {
  if constexpr (sizeof...(Own) == 0) return library_ops<T, Backend>();
  else return library_list<T, Backend>() + own;
}
}  // namespace detail

/// The memory of one region of a plan, shared by the programs of one network.
template <backend Backend>
using shared_buffer = std::shared_ptr<typename Backend::buffer>;

/// A plan bound to a backend: its memory, and a step as a list of prepared calls, so that running a step needs no
/// planning or lookup. Calls run in order and share one workspace, of the largest size needed. If the backend runs
/// chains, the plan's chains are prepared as such.
///
/// This class does not access the memory directly: it may be device memory.
template <backend Backend>
class program {
 public:
  /// `ops`: ops that the plan may use. `parameters`: memory to share; null allocates it.
  /// Throws: unsupported if the backend lacks an op, before anything is allocated; std::bad_alloc.
  program(const Backend& on, ridgepoint::plan bound, std::type_identity_t<op_table<Backend>> ops,
          shared_buffer<Backend> parameters = nullptr);

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
  /// Memory of the calls in addition to the plan's: bytes of the shared workspace, and of converted or packed operands.
  [[nodiscard]] std::size_t workspace_bytes() const noexcept { return workspace_bytes_; }
  [[nodiscard]] std::size_t constant_bytes() const noexcept { return constant_bytes_; }
  /// Total memory.
  [[nodiscard]] plan_memory memory() const {
    plan_memory all = plan_.memory();
    all.workspace_bytes = workspace_bytes_;
    all.constant_bytes = constant_bytes_;
    return all;
  }

  /// Returns the name of the backend that runs a call.
  [[nodiscard]] std::string executed_by(std::size_t call) const;
  [[nodiscard]] std::size_t call_count() const noexcept { return plan_.calls.size(); }
  /// Preparation info of a call, from the backend.
  [[nodiscard]] const preparation& info(std::size_t call) const { return calls_[call].info; }
  /// Runs one call alone; its output is always written.
  void run(std::size_t call) const { calls_[call].run(on_, calls_[call]); }
  /// The chains of calls.
  [[nodiscard]] const std::vector<call_chain>& chains() const noexcept { return chained_.all(); }
  /// Computes the constants derived from parameters; call before the next step after parameters have changed.
  void make_constants() const;
  /// Runs calls first … last - 1. A backend that records them does so the first time and replays them afterwards.
  void run(std::size_t first, std::size_t last) const;
  /// The same without recording; a chain among the calls runs as one.
  void run_unrecorded(std::size_t first, std::size_t last) const;
  /// Runs one step.
  void run() const { run(0, call_count()); }

 private:
  [[nodiscard]] const planned_call& planned(std::size_t c) const {
    return c < plan_.calls.size() ? plan_.calls[c] : plan_.parameter_calls[c - plan_.calls.size()];
  }
  [[nodiscard]] std::vector<const op_entry<Backend>*> entries_of(const op_table<Backend>& ops) const;
  [[nodiscard]] prepare_options given() const;
  /// Allocates part of the memory; on failure, a backend may report the total.
  [[nodiscard]] typename Backend::buffer allocate(std::size_t bytes) const {
    const auto all = [this] { return to_string(memory()); };
    if constexpr (requires { on_.allocate(bytes, all); }) return on_.allocate(bytes, all);
    else return on_.allocate(bytes);
  }
  void allocate_for_calls();

  Backend on_;
  ridgepoint::plan plan_;
  std::vector<const op_entry<Backend>*> entries_;  // of the step's calls, then of the parameters
  std::array<shared_buffer<Backend>, region_count> memory_;
  std::unique_ptr<typename Backend::buffer> workspace_, constants_;
  std::size_t workspace_bytes_ = 0, constant_bytes_ = 0;
  addresses at_;
  std::vector<std::shared_ptr<const void>> owned_;
  std::vector<bound_call<Backend>> calls_;  // of the step, then of the parameters
  detail::chained_calls<Backend> chained_;
  mutable detail::recorded_calls<Backend> recorded_;
};

template <backend Backend>
program<Backend>::program(const Backend& on, ridgepoint::plan bound, std::type_identity_t<op_table<Backend>> ops,
                          shared_buffer<Backend> parameters)
    : on_(on), plan_(std::move(bound)), entries_(entries_of(ops)) {
  for (std::size_t r = 0; r < region_count; ++r) {
    const bool shared = parameters != nullptr && static_cast<memory_region>(r) == memory_region::parameters;
    memory_[r] = shared ? parameters : std::make_shared<typename Backend::buffer>(allocate(plan_.region_bytes[r]));
  }
  for (const planned_slot& s : plan_.planned_slots) at_.add(static_cast<std::byte*>(memory(s.where)) + s.offset);
  // Shared memory can change without notice to this program.
  const prepare_options options = parameters == nullptr ? given() : prepare_options{};
  for (std::size_t c = 0; c < entries_.size(); ++c) {
    owned_.push_back(planned(c).bind(at_));
    calls_.push_back(entries_[c]->bind(on_, owned_.back().get(), options));
  }
  allocate_for_calls();
  chained_.prepare(on_, plan_, [&](std::size_t c) {
    return chain_link{.op = plan_.calls[c].op, .args = calls_[c].args, .workspace = calls_[c].memory.workspace};
  });
}

template <backend Backend>
std::string program<Backend>::executed_by(std::size_t call) const {
  const auto executor = entries_[call]->executor;
  return executor == nullptr ? on_.name() : executor(on_);
}

template <backend Backend>
void program<Backend>::make_constants() const {
  for (std::size_t c = call_count(); c < calls_.size(); ++c) run(c);
  for (const bound_call<Backend>& call : calls_) call.make_constants(on_);
}

template <backend Backend>
void program<Backend>::run(std::size_t first, std::size_t last) const {
  if constexpr (records<Backend>) recorded_.run(on_, first, last, [&] { run_unrecorded(first, last); });
  else run_unrecorded(first, last);
}

template <backend Backend>
void program<Backend>::run_unrecorded(std::size_t first, std::size_t last) const {
  for (std::size_t c = first; c < last;) {
    const call_chain* const ran = chained_.run(on_, c, last);
    if (ran == nullptr) calls_[c].run(on_, calls_[c]);
    c = ran == nullptr ? c + 1 : ran->end;
  }
}

template <backend Backend>
std::vector<const op_entry<Backend>*> program<Backend>::entries_of(const op_table<Backend>& ops) const {
  std::vector<const op_entry<Backend>*> found;
  for (std::size_t c = 0; c < plan_.calls.size() + plan_.parameter_calls.size(); ++c) {
    const planned_call& call = planned(c);
    found.push_back(ops.find(call.op));
    require<unsupported>(found.back() != nullptr, on_.name(), " has no ", *call.op, " (layer ", call.info.layer, ')');
  }
  return found;
}

template <backend Backend>
prepare_options program<Backend>::given() const {
  if (!plan_.constant_parameters) return {};
  return {.constant = memory(memory_region::parameters), .constant_bytes = plan_.bytes(memory_region::parameters)};
}

template <backend Backend>
void program<Backend>::allocate_for_calls() {
  std::vector<std::size_t> offsets;
  for (const bound_call<Backend>& call : calls_) {
    workspace_bytes_ = (std::max)(workspace_bytes_, call.info.workspace_bytes);
    offsets.push_back(constant_bytes_);
    constant_bytes_ += (call.info.constant_bytes + alignment_bytes - 1) / alignment_bytes * alignment_bytes;
  }
  workspace_ = std::make_unique<typename Backend::buffer>(allocate(workspace_bytes_));
  constants_ = std::make_unique<typename Backend::buffer>(allocate(constant_bytes_));
  for (std::size_t c = 0; c < calls_.size(); ++c) {
    if (calls_[c].info.constant_bytes != 0)
      calls_[c].constants = static_cast<std::byte*>(constants_->data()) + offsets[c];
    calls_[c].memory = {.workspace = workspace_->data(), .constants = calls_[c].constants};
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
