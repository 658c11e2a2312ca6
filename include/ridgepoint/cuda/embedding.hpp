// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/runtime/context.hpp>
#include <ridgepoint/cuda/runtime/kernel.hpp>
#include <ridgepoint/ops/embedding.hpp>
#include <ridgepoint/ops/embedding_rows.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// y(i, ·) ← table(ids(i), ·), one thread per element.
template <class T>
void execute(cuda_context& on, const embedding_args<T>& e, void*) {
  if (e.tokens * e.width != 0)
    on.launch(sequence_kernels<T>::embedding, on.loop(e.tokens * e.width), e.tokens, e.vocabulary, e.width, e.ids,
              e.table, e.y);
}

/// A stable sort of tokens by id: sorts tiles, then merges them pairwise until one remains, alternating between the two
/// halves of the memory.
class sorted_tokens {
 public:
  static constexpr index_t tile = 1024;  // must match device/sequences.hpp

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

/// Returns the bytes of the sorted tokens.
template <class T>
[[nodiscard]] std::size_t workspace_bytes(const cuda_context&, const embedding_backward_args<T>& e) {
  pieces from(nullptr);
  static_cast<void>(sorted_tokens(e.tokens, from));
  return from.bytes();
}
/// Writes zeros, then the sum of each row with tokens. After sorting, the tokens of a row are adjacent and in order;
/// one thread sums each element of the row. No two threads write the same element.
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

/// Returns the bytes of the sorted tokens and of the index where each row begins.
template <class T>
[[nodiscard]] std::size_t workspace_bytes(const cuda_context&, const embedding_rows_args<T>& e) {
  pieces from(nullptr);
  static_cast<void>(sorted_tokens(e.tokens, from));
  static_cast<void>(from.take<std::int32_t>(e.tokens));
  return from.bytes();
}
/// Computes the sums of embedding_backward(), bit for bit, for the rows that one block lists.
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

/// Row i of dst ← row rows(i) of src, all in device memory, each of an even number of bytes.
inline void gather_rows(cuda_context& on, void* dst, const void* src, std::size_t row_bytes, const index_t* rows,
                        index_t count) {
  const auto launch = [&]<class Word>(const row_kernels::gather<Word>& by) {
    const auto words = static_cast<index_t>(row_bytes / sizeof(Word));
    if (count * words != 0)
      on.launch(by, on.loop(count * words), count, words, rows, static_cast<const Word*>(src), static_cast<Word*>(dst));
  };
  if (row_bytes % sizeof(std::uint32_t) == 0) launch(row_kernels::gather_words);
  else launch(row_kernels::gather_halves);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
