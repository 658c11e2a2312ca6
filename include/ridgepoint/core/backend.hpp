// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>

#include <ridgepoint/core/tensor.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A device that runs ops. It owns its memory: a pointer in a view belongs to the backend the op is called with, and
/// only upload(), download() and copy() move data between backends and the host. A backend has an op iff the overload
/// `void execute(const Backend&, const some_op_args<T>&)` is declared with the backend. Calls take effect in order,
/// possibly later: but upload() has read its source when it returns, download() waits for earlier calls, and a buffer
/// frees its memory only after the calls before have finished.
template <class B>
concept backend = requires(const B& on, void* dst, const void* src, std::size_t bytes) {
  typename B::buffer;                                          // movable owner of backend memory: data(), size_bytes()
  { on.allocate(bytes) } -> std::same_as<typename B::buffer>;  // 64-byte aligned, contents undefined
  on.upload(dst, src, bytes);                                  // host src → backend dst
  on.download(dst, src, bytes);                                // backend src → host dst
  on.copy(dst, src, bytes);                                    // backend → backend, may not overlap
  on.synchronize();                                            // returns when all calls so far have finished
  { on.name() } -> std::same_as<std::string>;                  // as it appears in reports: "ridgepoint.avx2"
};

/// True if Backend has the op with arguments Args.
template <class Backend, class Args>
concept executes = requires(const Backend& on, const Args& args) {
  { execute(on, args) } -> std::same_as<void>;
};

/// True if Backend can record the calls of body() without running them, and replay them all with one call, any number
/// of times: a CUDA graph. The addresses used by the calls, and the memory there, must stay valid.
template <class Backend>
concept records = requires(const Backend& on, void (*body)()) {
  on.replay(on.record(body));
};

/// True if Backend copies to the host asynchronously: fetch() copies the state after all calls so far, and dst holds it
/// once wait() has returned for its ticket. dst must stay valid until then.
template <class Backend>
concept fetches_later = requires(const Backend& on, void* dst, const void* src, std::size_t bytes) {
  on.wait(on.fetch(dst, src, bytes));
};

/// A part of a staging buffer: `bytes` bytes at `offset`, which take() copies to `to` in the backend's memory.
struct staged_part {
  void* to;
  std::size_t offset, bytes;
};

/// True if Backend uploads while it computes. stage() returns a staging buffer for all parts, on the host and on the
/// backend. open() returns the host buffer for writing, once the previous send has read it. send() starts the upload,
/// which arrives after the previous data has been taken. take() copies the parts to their destinations, in order with
/// all calls, once they have arrived. finish() waits for all sends. None of these allocates.
template <class Backend>
concept stages_ahead = requires(const Backend& on, std::span<const staged_part> parts) {
  { on.stage(parts).open() } -> std::same_as<void*>;
  on.stage(parts).send();
  on.stage(parts).take();
  on.stage(parts).finish();
};

/// True if Backend gathers rows in its memory: row i of dst ← row rows[i] of src, each of `row_bytes` bytes, in order
/// with all calls.
template <class Backend>
concept gathers_rows = requires(const Backend& on, void* dst, const void* src, std::size_t row_bytes,
                                const index_t* rows, index_t count) {
  on.gather_rows(dst, src, row_bytes, rows, count);
};

/// True if Backend trains while the host prepares the next batches and reads earlier losses: a GPU.
template <class Backend>
concept trains_ahead = stages_ahead<Backend> && gathers_rows<Backend> && fetches_later<Backend>;

/// Base class of backends that compute in host memory: the memory functions.
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

/// True if the host can read a backend's memory; labels are then checked.
template <class Backend>
inline constexpr bool in_host_memory = std::derived_from<Backend, host_memory>;

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
