// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include <ridgepoint/core/backend.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Whether arguments hold data in a form of one backend's own, such as a packed matrix: no other may be asked.
template <class Args>
concept in_own_form = Args::in_own_form;

/// An op runs on Primary where that has it, else on Rest. Both work in the same memory; what is in a form of a
/// backend's own is Primary's alone. It is called what Primary is called; the rows of a profile name who ran them. It
/// records nothing, fetches at once, and is timed by the host's clock.
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

/// Of two backends the one that an op with these arguments runs on.
template <class Args, backend Primary, backend Rest>
  requires(executes<Primary, Args> || (executes<Rest, Args> && !in_own_form<Args>))
[[nodiscard]] const auto& executor_of(const either<Primary, Rest>& on) noexcept {
  if constexpr (executes<Primary, Args>) return on.primary();
  else return on.rest();
}

template <backend Primary, backend Rest, class Args>
  requires(executes<Primary, Args> || (executes<Rest, Args> && !in_own_form<Args>))
void execute(const either<Primary, Rest>& on, const Args& args) { execute(executor_of<Args>(on), args); }

/// Whether a backend hands its ops to others.
template <class Backend>
inline constexpr bool composed = false;
template <backend Primary, backend Rest>
inline constexpr bool composed<either<Primary, Rest>> = true;
template <backend Primary, backend Rest>
inline constexpr bool in_host_memory<either<Primary, Rest>> = in_host_memory<Primary>;

/// The name of the backend that runs the op of these arguments: its own, or that of the one an `either` asks.
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
