// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/device/elementwise.hpp>
#include <ridgepoint/cuda/device/moments.hpp>

/// \file
/// Element-wise ops that follow from one another as one kernel, compiled for just these: what a step hands to a later
/// one stays in registers.
namespace ridgepoint_device {

/// What a step computes of its inputs a and b; column and scales are of the column that the element is in.
enum class chained : int {
  activate,           // f(a)
  activate_backward,  // f'·b from a
  add,                // a + b
  add_bias,           // f(a + column)
  dropout,            // kept ? a·number : 0
  normalise           // ((a − scales(0)) − scales(1))·scales(2) + column
};
__device__ constexpr bool works_on_columns(chained what) {
  return what == chained::add_bias || what == chained::normalise;
}

/// What a step is given.
struct chain_step {
  const void *a, *b;  // where its inputs lie that no step computes
  void* y;            // where its result goes, if it is kept
  const void *column, *scales;
  index_t channels;  // columns
  double number;     // the slope of f; dropout's scale
  const step_state* state;
  dropout_choice mask;
};
struct chain_arguments {
  index_t size, packed;  // all elements; the first of them, that are read and written 16 bytes at a time
  chain_step steps[8];
};

/// Where an input comes from that no step computes.
constexpr int from_memory = -1, from_nowhere = -2;

/// A step of a chain: A and B are the steps whose results it takes.
template <chained What, activation F, int A, int B, bool Kept>
struct step {
  /// Of element i, in column j.
  template <class T>
  __device__ static T value(const chain_step& s, index_t i, index_t j, T a, T b) {
    const T number = static_cast<T>(s.number);
    if constexpr (What == chained::activate) return activated(F, a, number);
    else if constexpr (What == chained::activate_backward) return activated_backward(F, a, b, number);
    else if constexpr (What == chained::add) return a + b;
    else if constexpr (What == chained::add_bias) return with_bias<T>(F, a, static_cast<const T*>(s.column), j);
    else if constexpr (What == chained::dropout)
      return s.mask.keeps(i, static_cast<unsigned>(s.state->step)) ? a * number : T(0);
    else {
      const T* const scales = static_cast<const T*>(s.scales);
      const T shift = static_cast<const T*>(s.column)[j];
      return normalised(a, scales[j], scales[s.channels + j], scales[2 * s.channels + j], shift);
    }
  }

  template <int From, class T, int Width>
  __device__ static pack<T, Width> input(const void* memory, index_t first, const pack<T, Width>* results) {
    if constexpr (From >= 0) return results[From];
    else if constexpr (From == from_memory)
      return *reinterpret_cast<const pack<T, Width>*>(static_cast<const T*>(memory) + first);
    else return {};
  }
  /// Computes elements first, first + 1, … of step N.
  template <int N, class T, int Width>
  __device__ static void compute(const chain_step& s, index_t first, pack<T, Width>* results) {
    const pack<T, Width> a = input<A>(s.a, first, results), b = input<B>(s.b, first, results);
    index_t j = 0;
    if constexpr (works_on_columns(What)) j = first % s.channels;
    for (int i = 0; i < Width; ++i) {
      results[N].of[i] = value(s, first + i, j, a.of[i], b.of[i]);
      if constexpr (works_on_columns(What)) j = j + 1 == s.channels ? 0 : j + 1;
    }
    if constexpr (Kept) *reinterpret_cast<pack<T, Width>*>(static_cast<T*>(s.y) + first) = results[N];
  }
};

/// Steps N, N + 1, … on elements first, first + 1, …
template <int N, class T, int Width, class Step, class... Rest>
__device__ void compute_steps(const chain_arguments& all, index_t first, pack<T, Width>* results) {
  Step::template compute<N>(all.steps[N], first, results);
  if constexpr (sizeof...(Rest) > 0) compute_steps<N + 1, T, Width, Rest...>(all, first, results);
}

/// Every step for one element after the other.
template <class T, class... Steps>
__global__ void chain(chain_arguments all) {
  constexpr int width = 16 / sizeof(T);
  for (index_t i = first_element() * width; i < all.packed; i += element_stride() * width) {
    pack<T, width> results[sizeof...(Steps)];
    compute_steps<0, T, width, Steps...>(all, i, results);
  }
  for (index_t i = all.packed + first_element(); i < all.size; i += element_stride()) {
    pack<T, 1> results[sizeof...(Steps)];
    compute_steps<0, T, 1, Steps...>(all, i, results);
  }
}

}  // namespace ridgepoint_device
