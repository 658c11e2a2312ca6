// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/device/threads.hpp>

namespace ridgepoint_device {

/// Row i of dst ← row rows(i) of src; rows consist of words of type Word.
template <class Word>
__global__ void gather_rows(index_t count, divisor words, const index_t* rows, const Word* src, Word* dst) {
  for (index_t e = first_element(); e < count * words; e += element_stride()) {
    const auto [i, j] = divide(e, words);
    dst[e] = src[rows[i] * words + j];
  }
}

}  // namespace ridgepoint_device
