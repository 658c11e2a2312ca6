// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/device/threads.hpp>

namespace ridgepoint_device {

/// Sixteen bytes, which a thread moves in one instruction.
struct alignas(16) word {
  unsigned parts[4];
};

/// Executes sixteen FLOP per round and thread in eight chains, all in registers; out has one element per thread.
template <class T>
__global__ void multiply_add_chains(index_t rounds, T factor, T* out) {
  T c[8];
  for (int i = 0; i < 8; ++i) c[i] = static_cast<T>(threadIdx.x + static_cast<unsigned>(i));
  for (index_t r = 0; r < rounds; ++r)
    for (int i = 0; i < 8; ++i) c[i] = c[i] * factor + T(1);
  T sum = 0;
  for (int i = 0; i < 8; ++i) sum += c[i];
  out[first_element()] = sum;
}

/// to ← from, `passes` times.
__global__ void copy_words(index_t passes, index_t words, const word* from, word* to) {
  for (index_t pass = 0; pass < passes; ++pass)
    for (index_t i = first_element(); i < words; i += element_stride()) to[i] = from[i];
}
/// Reads everything, `passes` times; sums has one element per thread.
__global__ void read_words(index_t passes, index_t words, const word* from, unsigned* sums) {
  unsigned sum = 0;
  for (index_t pass = 0; pass < passes; ++pass)
    for (index_t i = first_element(); i < words; i += element_stride()) {
      const word w = from[i];
      sum = sum * 3 + (w.parts[0] ^ w.parts[1] ^ w.parts[2] ^ w.parts[3]);
    }
  sums[first_element()] = sum;
}
/// to ← the number of the pass, `passes` times.
__global__ void write_words(index_t passes, index_t words, word* to) {
  for (index_t pass = 0; pass < passes; ++pass) {
    const auto number = static_cast<unsigned>(pass);
    for (index_t i = first_element(); i < words; i += element_stride()) to[i] = {{number, number, number, number}};
  }
}

/// An empty kernel, to measure launch time.
__global__ void nothing() {}

}  // namespace ridgepoint_device
