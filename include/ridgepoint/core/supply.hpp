// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <span>

#include <ridgepoint/core/types.hpp>

/// \file
/// What a backend may have beside core/backend.hpp to be given one batch after another while it computes.
namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A part of what is staged: so many bytes, from there on, which calls read in the backend's memory at `to`.
struct staged_part {
  void* to;
  std::size_t offset, bytes;
};

/// Whether Backend brings bytes into its memory beside what it computes. What stage() returns has room for all parts at
/// both ends: open() gives the host's to be written, once what was sent before has left it; send() lets it go, to
/// arrive when what was sent before has been taken; take() copies the parts to where calls read them, in order with all
/// calls, once they are there; finish() waits for what was sent. None of these allocates.
template <class Backend>
concept stages_ahead = requires(const Backend& on, std::span<const staged_part> parts) {
  { on.stage(parts).open() } -> std::same_as<void*>;
  on.stage(parts).send();
  on.stage(parts).take();
  on.stage(parts).finish();
};

/// Whether Backend picks rows in its memory: row i of dst ← row rows[i] of src, all of `row_bytes` bytes, in order with
/// all calls.
template <class Backend>
concept gathers_rows = requires(const Backend& on, void* dst, const void* src, std::size_t row_bytes,
                                const index_t* rows, index_t count) {
  on.gather_rows(dst, src, row_bytes, rows, count);
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
