// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/device/threads.hpp>

namespace ridgepoint_device {

/// Row i of dst ← row rows(i) of src, of so many words each.
template <class Word>
__global__ void gather_rows(index_t count, index_t words, const index_t* rows, const Word* src, Word* dst) {
  for (index_t e = first_element(); e < count * words; e += element_stride())
    dst[e] = src[rows[e / words] * words + e % words];
}

}  // namespace ridgepoint_device
