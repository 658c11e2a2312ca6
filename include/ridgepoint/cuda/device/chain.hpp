// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/device/elementwise.hpp>
#include <ridgepoint/cuda/device/threads.hpp>

/// \file
/// Consecutive element-wise ops as one kernel, compiled for the sequence: intermediate results stay in registers.
namespace ridgepoint_device {

/// Operation of a step on its inputs a and b; "column k" is columns[k] at the element's channel.
enum class chained : int {
  activate,            // f(a)
  activate_backward,   // f'·b from a
  add,                 // a + b
  add_bias,            // f(a + column 0)
  dropout,             // kept ? a·number : 0
  convert,             // a
  scale,               // a·loss_scale
  unscale,             // a/loss_scale
  normalise,           // ((a − column 1) − column 2)·column 3 + column 0
  normalise_by,        // (a − column 2)·column 0/√(column 3 + number) + column 1
  normalise_backward,  // of a with gradient b: columns are gamma, mean, inverse, dgamma, dbeta
};
__device__ constexpr bool works_on_columns(chained what) {
  return what == chained::add_bias || what >= chained::normalise;
}

/// Arguments of a step.
struct chain_step {
  const void *a, *b;       // inputs from memory
  void* y;                 // its result, if it is stored
  const void* columns[5];  // one value per channel
  divisor channels;        // number of channels
  double number;           // the slope of f; dropout's scale; ε; 1/rows
  const step_state* state;
  dropout_choice mask;
};
struct chain_arguments {
  index_t size, packed;  // all elements; the first of them, which are accessed in packs
  chain_step steps[8];
};

/// Sources of an input that no step computes.
constexpr int from_memory = -1, from_nowhere = -2;

/// A step of a chain: its inputs are stored as In, its result as Out; A and B are the steps whose results it reads.
/// Results stay in registers in the type they are computed in, rounded to their stored type.
template <chained What, activation F, class In, class Out, int A, int B, bool Kept>
struct step {
  using computed = number<Out>;
  static constexpr int widest_bytes = sizeof(In) < sizeof(Out) ? sizeof(Out) : sizeof(In);

  /// Returns the result for element i, in column j.
  template <class T>
  __device__ static T value(const chain_step& s, index_t i, index_t j, T a, T b) {
    const T given = static_cast<T>(s.number);
    const auto column = [&](int c) { return static_cast<const In*>(s.columns[c]); };
    if constexpr (What == chained::activate) return activated(F, a, given);
    else if constexpr (What == chained::activate_backward) return activated_backward(F, a, b, given);
    else if constexpr (What == chained::add) return a + b;
    else if constexpr (What == chained::add_bias) return with_bias<In>(F, a, column(0), j);
    else if constexpr (What == chained::dropout)
      return s.mask.keeps(i, static_cast<unsigned>(s.state->step)) ? a * given : T(0);
    else if constexpr (What == chained::convert) return a;
    else if constexpr (What == chained::scale) return a * static_cast<T>(s.state->loss_scale);
    else if constexpr (What == chained::unscale) return a * unscaling<T>(s.state);
    else if constexpr (What == chained::normalise)
      return normalised(a, column(1)[j], column(2)[j], column(3)[j], column(0)[j]);
    else if constexpr (What == chained::normalise_by)
      return normalised_by(a, column(0)[j], column(1)[j], column(2)[j], column(3)[j], given);
    else return normalised_backward(a, b, column(0)[j], column(1)[j], column(2)[j], column(3)[j], column(4)[j], given);
  }

  template <int From, class T, int Width>
  __device__ static pack<T, Width> input(const void* memory, index_t first, const pack<T, Width>* results) {
    pack<T, Width> read{};
    if constexpr (From >= 0) read = results[From];
    else if constexpr (From == from_memory) {
      const auto lying = *reinterpret_cast<const pack<In, Width>*>(static_cast<const In*>(memory) + first);
      for (int i = 0; i < Width; ++i) read.of[i] = lying.of[i];
    }
    return read;
  }
  /// Computes elements first, first + 1, … of step N.
  template <int N, class T, int Width>
  __device__ static void compute(const chain_step& s, index_t first, pack<T, Width>* results) {
    const pack<T, Width> a = input<A>(s.a, first, results), b = input<B>(s.b, first, results);
    pack<Out, Width> stored;
    index_t j = 0;
    if constexpr (works_on_columns(What)) j = first % s.channels;
    for (int i = 0; i < Width; ++i) {
      stored.of[i] = value(s, first + i, j, a.of[i], b.of[i]);
      results[N].of[i] = stored.of[i];
      if constexpr (works_on_columns(What)) j = j + 1 == s.channels.value ? 0 : j + 1;
    }
    if constexpr (Kept) *reinterpret_cast<pack<Out, Width>*>(static_cast<Out*>(s.y) + first) = stored;
  }
};

/// Computes steps N, N + 1, … on elements first, first + 1, …
template <int N, class T, int Width, class Step, class... Rest>
__device__ void compute_steps(const chain_arguments& all, index_t first, pack<T, Width>* results) {
  Step::template compute<N>(all.steps[N], first, results);
  if constexpr (sizeof...(Rest) > 0) compute_steps<N + 1, T, Width, Rest...>(all, first, results);
}

/// Returns the number of elements accessed at a time: 16 bytes of the widest type.
template <class... Steps>
__device__ constexpr int elements_at_a_time() {
  int widest = 1;
  ((widest = widest < Steps::widest_bytes ? Steps::widest_bytes : widest), ...);
  return 16 / widest;
}

/// Applies every step to its elements, pack by pack, then to the remaining elements one by one.
template <class First, class... Rest>
__global__ void chain(chain_arguments all) {
  using T = typename First::computed;
  constexpr int width = elements_at_a_time<First, Rest...>(), count = 1 + sizeof...(Rest);
  for (index_t i = first_element() * width; i < all.packed; i += element_stride() * width) {
    pack<T, width> results[count];
    compute_steps<0, T, width, First, Rest...>(all, i, results);
  }
  for (index_t i = all.packed + first_element(); i < all.size; i += element_stride()) {
    pack<T, 1> results[count];
    compute_steps<0, T, 1, First, Rest...>(all, i, results);
  }
}

}  // namespace ridgepoint_device
