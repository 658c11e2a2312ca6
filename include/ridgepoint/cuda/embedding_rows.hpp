// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/embedding.hpp>
#include <ridgepoint/ops/embedding_rows.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// The tokens in the order of their ids, and where in it the rows begin.
template <class T>
[[nodiscard]] std::size_t workspace_bytes(const cuda_context&, const embedding_rows_args<T>& e) {
  pieces from(nullptr);
  static_cast<void>(sorted_tokens(e.tokens, from));
  static_cast<void>(from.take<std::int32_t>(e.tokens));
  return from.bytes();
}
/// The sums of embedding_backward(), bit for bit, of the rows that one block lists.
template <class T>
void execute(cuda_context& on, const embedding_rows_args<T>& e, void* workspace) {
  if (e.tokens == 0) return;
  pieces from(workspace);
  sorted_tokens sorted(e.tokens, from);
  auto* const begins = from.take<std::int32_t>(e.tokens);
  sorted.sort(on, e.vocabulary, e.ids);
  on.launch(untyped_sequence_kernels::embedding_listed_rows, {.threads = block_threads}, e.tokens, e.vocabulary,
            sorted.keys(), e.rows, begins);
  if (e.width != 0)
    on.launch(sequence_kernels<T>::embedding_sums, on.loop(e.tokens * e.width), e.tokens, e.width, sorted.keys(),
              begins, e.dy, e.sums);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
