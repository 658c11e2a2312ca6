// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/runtime/context.hpp>
#include <ridgepoint/cuda/runtime/pieces.hpp>
#include <ridgepoint/ops/embedding.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// y(i, ·) ← table(ids(i), ·), an element by a thread.
template <class T>
void execute(cuda_context& on, const embedding_args<T>& e, void*) {
  if (e.tokens * e.width != 0)
    on.launch(sequence_kernels<T>::embedding, on.loop(e.tokens * e.width), e.tokens, e.vocabulary, e.width, e.ids,
              e.table, e.y);
}

/// Tokens that are sorted by their ids, equal ones in their order: in tiles, of which then two become one until there
/// is one, from one half of the memory into the other.
class sorted_tokens {
 public:
  static constexpr index_t tile = 1024;  // as device/sequences.hpp has it

  sorted_tokens(index_t tokens, pieces& from)
      : tokens_(tokens), keys_{from.take<std::uint64_t>(tokens), from.take<std::uint64_t>(is_tile() ? 0 : tokens)} {}

  [[nodiscard]] const std::uint64_t* keys() const noexcept { return keys_[0]; }

  void sort(cuda_context& on, index_t vocabulary, const std::int32_t* ids) {
    using kernels = untyped_sequence_kernels;
    launch_shape tiles = on.loop(tokens_);
    tiles.blocks = static_cast<unsigned>(std::min<index_t>(ceil_div(tokens_, tile), tiles.blocks));
    on.launch(kernels::sort_tokens, tiles, tokens_, vocabulary, ids, keys_[0]);
    for (index_t length = tile; length < tokens_; length *= 2) {
      on.launch(kernels::merge_tokens, on.loop(tokens_), tokens_, length, keys_[0], keys_[1]);
      std::swap(keys_[0], keys_[1]);
    }
  }

 private:
  [[nodiscard]] bool is_tile() const noexcept { return tokens_ <= tile; }

  index_t tokens_;
  std::array<std::uint64_t*, 2> keys_;
};

/// The tokens in the order of their ids.
template <class T>
[[nodiscard]] std::size_t workspace_bytes(const cuda_context&, const embedding_backward_args<T>& e) {
  pieces from(nullptr);
  static_cast<void>(sorted_tokens(e.tokens, from));
  return from.bytes();
}
/// Zeros, then the sum of each row that tokens point to: once these are sorted, a row's lie side by side, in their
/// order, and each element of the row is summed by one thread. No two threads write one element.
template <class T>
void execute(cuda_context& on, const embedding_backward_args<T>& e, void* workspace) {
  pieces from(workspace);
  sorted_tokens sorted(e.tokens, from);
  if (e.width == 0) return;
  on.launch(sequence_kernels<T>::zeros, on.loop(e.vocabulary * e.width), e.vocabulary * e.width, e.dtable);
  if (e.tokens == 0) return;
  sorted.sort(on, e.vocabulary, e.ids);
  on.launch(sequence_kernels<T>::embedding_backward, on.loop(e.tokens * e.width), e.tokens, e.vocabulary, e.width,
            sorted.keys(), e.dy, e.dtable);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
