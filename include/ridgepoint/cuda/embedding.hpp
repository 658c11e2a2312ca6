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

/// order ← the tokens sorted by their ids, equal ones in their order.
inline void order_tokens(cuda_context& on, index_t tokens, index_t vocabulary, const std::int32_t* ids,
                         std::int32_t* order) {
  on.launch(untyped_sequence_kernels::embedding_order, on.loop(tokens), tokens, vocabulary, ids, order);
}

/// The tokens in the order of their ids.
template <class T>
[[nodiscard]] std::size_t workspace_bytes(const cuda_context&, const embedding_backward_args<T>& e) {
  pieces from(nullptr);
  static_cast<void>(from.take<std::int32_t>(e.tokens));
  return from.bytes();
}
/// Zeros, then the sum of each row that tokens point to: once these are sorted, a row's lie side by side, in their
/// order, and each element of the row is summed by one thread. No two threads write one element.
template <class T>
void execute(cuda_context& on, const embedding_backward_args<T>& e, void* workspace) {
  auto* const order = pieces(workspace).take<std::int32_t>(e.tokens);
  if (e.width == 0) return;
  on.launch(sequence_kernels<T>::zeros, on.loop(e.vocabulary * e.width), e.vocabulary * e.width, e.dtable);
  if (e.tokens == 0) return;
  order_tokens(on, e.tokens, e.vocabulary, e.ids, order);
  on.launch(sequence_kernels<T>::embedding_backward, on.loop(e.tokens * e.width), e.tokens, e.vocabulary, e.width,
            e.ids, order, e.dy, e.dtable);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
