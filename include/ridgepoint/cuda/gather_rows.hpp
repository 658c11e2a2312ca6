// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/runtime/context.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Row i of dst ← row rows(i) of src, all in the memory of the device, of an even number of bytes.
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
