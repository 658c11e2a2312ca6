// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstring>
#include <string>

#include <ridgepoint/core/buffer.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A place where ops run. It owns its memory: a pointer inside a view belongs to the backend the op is called with, and
/// only upload(), download() and copy() cross the border. An op runs there iff there is an overload
/// `void execute(const Backend&, const some_op_args<T>&)` beside the backend. What is called takes effect in order. It
/// may do so later, but upload() has read its source when it returns, download() comes after synchronize(), and a
/// buffer gives its memory back only when what was called before is done with it.
template <class B>
concept backend = requires(const B& on, void* dst, const void* src, std::size_t bytes) {
  typename B::buffer;                                          // movable owner of backend memory: data(), size_bytes()
  { on.allocate(bytes) } -> std::same_as<typename B::buffer>;  // 64-byte aligned, contents undefined
  on.upload(dst, src, bytes);                                  // host src → backend dst
  on.download(dst, src, bytes);                                // backend src → host dst
  on.copy(dst, src, bytes);                                    // backend → backend, may not overlap
  on.synchronize();                                            // returns when everything called so far is done
  { on.name() } -> std::same_as<std::string>;                  // as it appears in reports: "ridgepoint.avx2"
};

/// Whether Backend has the op whose arguments are Args.
template <class Backend, class Args>
concept executes = requires(const Backend& on, const Args& args) {
  { execute(on, args) } -> std::same_as<void>;
};

/// Whether Backend takes down what body() calls, without running it, and runs it all with one call, as often as wanted:
/// a CUDA graph. The addresses of the calls, and what lies there, must stay.
template <class Backend>
concept records = requires(const Backend& on, void (*body)()) {
  on.replay(on.record(body));
};

/// Whether Backend copies to the host while the host goes on: what fetch() copies is as all calls so far leave it, and
/// is in dst when wait() has returned that is given its ticket. dst must stay until then.
template <class Backend>
concept fetches_later = requires(const Backend& on, void* dst, const void* src, std::size_t bytes) {
  on.wait(on.fetch(dst, src, bytes));
};

/// The memory half of a backend that computes in ordinary host memory: derive from it.
struct host_memory {
  using buffer = host_buffer;
  [[nodiscard]] buffer allocate(std::size_t bytes) const { return buffer(bytes); }
  void upload(void* dst, const void* src, std::size_t bytes) const noexcept { copy(dst, src, bytes); }
  void download(void* dst, const void* src, std::size_t bytes) const noexcept { copy(dst, src, bytes); }
  void copy(void* dst, const void* src, std::size_t bytes) const noexcept {
    if (bytes != 0) std::memcpy(dst, src, bytes);
  }
  void synchronize() const noexcept {}
};

/// Whether what lies in a backend's memory can be read here: labels are then checked.
template <class Backend>
inline constexpr bool in_host_memory = std::derived_from<Backend, host_memory>;

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
