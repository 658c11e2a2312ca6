// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include <ridgepoint/core/backend.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// True if the arguments hold data in a backend-specific format, such as a packed matrix; other backends cannot run it.
template <class Args>
concept in_own_form = Args::in_own_form;

/// A backend that runs an op on Primary if Primary has it, else on Rest. Both work in the same memory; data in a
/// backend-specific format goes to Primary only. Its name is Primary's; the rows of a profile name the backend that ran
/// them. It does not record, fetches synchronously, and is timed by the host's clock.
/// Example:
///   const rp::either on(rp::onednn(1), rp::cpu(1));           // oneDNN, and what it lacks on our kernels
template <backend Primary, backend Rest>
class either {
  static_assert(std::is_same_v<typename Primary::buffer, typename Rest::buffer>,
                "either: both backends must have the same type of buffer, since they share the memory");

 public:
  using buffer = typename Primary::buffer;

  explicit either(Primary primary = {}, Rest rest = {}) : primary_(std::move(primary)), rest_(std::move(rest)) {}

  [[nodiscard]] buffer allocate(std::size_t bytes) const { return primary_.allocate(bytes); }
  void upload(void* dst, const void* src, std::size_t bytes) const { primary_.upload(dst, src, bytes); }
  void download(void* dst, const void* src, std::size_t bytes) const { primary_.download(dst, src, bytes); }
  void copy(void* dst, const void* src, std::size_t bytes) const { primary_.copy(dst, src, bytes); }
  void synchronize() const {
    primary_.synchronize();
    rest_.synchronize();
  }
  [[nodiscard]] std::string name() const { return primary_.name(); }
  [[nodiscard]] int thread_count() const requires requires(const Primary& p) { p.thread_count(); }
  { return primary_.thread_count(); }

  [[nodiscard]] const Primary& primary() const noexcept { return primary_; }
  [[nodiscard]] const Rest& rest() const noexcept { return rest_; }

 private:
  Primary primary_;
  Rest rest_;
};

/// Returns the backend of the two that runs an op with these arguments.
template <class Args, backend Primary, backend Rest>
  requires(executes<Primary, Args> || (executes<Rest, Args> && !in_own_form<Args>))
[[nodiscard]] const auto& executor_of(const either<Primary, Rest>& on) noexcept {
  if constexpr (executes<Primary, Args>) return on.primary();
  else return on.rest();
}

template <backend Primary, backend Rest, class Args>
  requires(executes<Primary, Args> || (executes<Rest, Args> && !in_own_form<Args>))
void execute(const either<Primary, Rest>& on, const Args& args) { execute(executor_of<Args>(on), args); }

/// True if a backend forwards its ops to others.
template <class Backend>
inline constexpr bool composed = false;
template <backend Primary, backend Rest>
inline constexpr bool composed<either<Primary, Rest>> = true;
template <backend Primary, backend Rest>
inline constexpr bool in_host_memory<either<Primary, Rest>> = in_host_memory<Primary>;

/// Returns the name of the backend that runs the op with these arguments: `on` itself, or the one an `either` selects.
template <class Args, backend Backend>
[[nodiscard]] std::string executed_by(const Backend& on) {
  return on.name();
}
template <class Args, backend Primary, backend Rest>
  requires(executes<either<Primary, Rest>, Args>)
[[nodiscard]] std::string executed_by(const either<Primary, Rest>& on) {
  return executed_by<Args>(executor_of<Args>(on));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
