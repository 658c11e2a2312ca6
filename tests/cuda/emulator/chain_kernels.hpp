// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <ridgepoint/cuda/device/chain.hpp>
#include <ridgepoint/cuda/runtime/chain_kernel.hpp>

#include "emulator.hpp"

/// Every chain that tests run. A chain is compiled for its steps, so the emulator does not know other chains.
namespace emulated_chains {

namespace device = ridgepoint_device;
namespace host = ridgepoint::detail;

static_assert(offsetof(device::dropout_choice, threshold) == offsetof(host::dropout_choice_argument, threshold));
static_assert(sizeof(device::chain_step) == sizeof(host::chain_step_argument));
static_assert(offsetof(device::chain_step, columns) == offsetof(host::chain_step_argument, columns));
static_assert(offsetof(device::chain_step, channels) == offsetof(host::chain_step_argument, channels));
static_assert(offsetof(device::chain_step, mask) == offsetof(host::chain_step_argument, mask));
static_assert(sizeof(device::chain_arguments) == sizeof(host::chain_argument));
static_assert(offsetof(device::chain_arguments, steps) == offsetof(host::chain_argument, steps));
static_assert(device::from_memory == host::from_memory && device::from_nowhere == host::from_nowhere);

using device::activation;
using device::chained;
inline constexpr int memory = device::from_memory, nowhere = device::from_nowhere;

/// Placeholder for the element type of a chain, which is instantiated for several types.
struct any;

template <activation F, int Of, bool Kept = true, class T = any>
using activate = device::step<chained::activate, F, T, T, Of, nowhere, Kept>;
template <activation F, int Y, int Dy, bool Kept = true, class T = any>
using activate_backward = device::step<chained::activate_backward, F, T, T, Y, Dy, Kept>;
template <int A, int B, bool Kept = true, class T = any>
using add = device::step<chained::add, activation::none, T, T, A, B, Kept>;
template <activation F, int Of, bool Kept = true, class T = any>
using add_bias = device::step<chained::add_bias, F, T, T, Of, nowhere, Kept>;
template <int Of, bool Kept = true, class T = any>
using dropout = device::step<chained::dropout, activation::none, T, T, Of, nowhere, Kept>;
template <class From, class To, int Of, bool Kept = true>
using convert = device::step<chained::convert, activation::none, From, To, Of, nowhere, Kept>;
template <class From, class To, int Of, bool Kept = true>
using scale = device::step<sizeof(To) < sizeof(From) ? chained::scale : chained::unscale, activation::none, From, To,
                           Of, nowhere, Kept>;
template <int Of, bool Kept = true, class T = any>
using normalise = device::step<chained::normalise, activation::none, T, T, Of, nowhere, Kept>;
template <int Of, bool Kept = true, class T = any>
using normalise_by = device::step<chained::normalise_by, activation::none, T, T, Of, nowhere, Kept>;
template <int X, int Dy, bool Kept = true, class T = any>
using normalise_backward = device::step<chained::normalise_backward, activation::none, T, T, X, Dy, Kept>;

/// A step with `any` replaced by T.
template <class T, class Step>
struct made_for {
  using type = Step;
};
template <class T, chained What, activation F, int A, int B, bool Kept>
struct made_for<T, device::step<What, F, any, any, A, B, Kept>> {
  using type = device::step<What, F, T, T, A, B, Kept>;
};

/// Returns the step's form as the host writes it.
template <class T>
constexpr const char* word_of = host::element_word<T>;
template <>
inline constexpr const char* word_of<device::bfloat16> = host::element_word<ridgepoint::bfloat16>;
template <>
inline constexpr const char* word_of<device::float16> = host::element_word<ridgepoint::float16>;

template <chained What, activation F, class In, class Out, int A, int B, bool Kept>
host::chain_step_form form_of(const device::step<What, F, In, Out, A, B, Kept>*) {
  return {.what = static_cast<host::chained>(What),
          .f = static_cast<ridgepoint::activation>(F),
          .in = word_of<In>,
          .out = word_of<Out>,
          .a = A,
          .b = B,
          .kept = Kept};
}

/// Bytes per element of the inputs and the result of each step, parsed from a chain's name.
struct stored_bytes {
  std::size_t in, out;
};
inline std::vector<stored_bytes> steps_of(const std::string& expression) {
  constexpr std::string_view begins = "::step<";
  const auto bytes_of = [](std::string_view word) {
    return word == host::element_word<float> ? sizeof(float) : word == host::element_word<double> ? sizeof(double) : 2;
  };
  std::vector<stored_bytes> all;
  for (std::size_t at = 0; (at = expression.find(begins, at)) != std::string::npos;) {
    std::vector<std::string> words;  // operation, activation, and types
    for (at += begins.size(); words.size() < 4; at = expression.find(", ", at) + 2)
      words.push_back(expression.substr(at, expression.find(", ", at) - at));
    all.push_back({bytes_of(words[2]), bytes_of(words[3])});
  }
  return all;
}

/// Adds the rules for a chain's arguments: pointers are aligned for their stored elements, and for 16 bytes if elements
/// are accessed in packs.
inline void add_rules(emulator::kernel& chain, const std::string& expression) {
  std::size_t step = offsetof(device::chain_arguments, steps);
  for (const stored_bytes& bytes : steps_of(expression)) {
    const auto add = [&](std::size_t member, std::size_t alignment) {
      chain.pointers.push_back({0, step + member, alignment});
    };
    add(offsetof(device::chain_step, a), bytes.in);
    add(offsetof(device::chain_step, b), bytes.in);
    add(offsetof(device::chain_step, y), bytes.out);
    for (std::size_t c = 0; c < std::size(device::chain_step{}.columns); ++c)
      add(offsetof(device::chain_step, columns) + c * sizeof(void*), bytes.in);
    add(offsetof(device::chain_step, state), alignof(device::step_state));
    step += sizeof(device::chain_step);
  }
  chain.suits = [](void** args) {
    const auto& all = *static_cast<const device::chain_arguments*>(args[0]);
    const auto lies_well = [](const void* at) { return reinterpret_cast<std::uintptr_t>(at) % 16 == 0; };
    return all.packed == 0 || std::all_of(std::begin(all.steps), std::end(all.steps), [&](const device::chain_step& s) {
             return lies_well(s.a) && lies_well(s.b) && lies_well(s.y);
           });
  };
}

/// Calls add(host kernel, device kernel) for a chain of each type.
template <class... Steps, class Add>
void add_one(const Add& to) {
  const std::vector<host::chain_step_form> steps{form_of(static_cast<const Steps*>(nullptr))...};
  to(host::chain_kernel(host::chain_parameters(steps)), device::chain<Steps...>);
}
template <class T, class... Steps, class Add>
void add_of(const Add& to) {
  add_one<typename made_for<T, Steps>::type...>(to);
}
template <class... Steps, class Add>
void add_chain(const Add& to) {
  add_of<float, Steps...>(to);
  add_of<double, Steps...>(to);
}

/// Adds chains in which some steps store elements T, which is shorter than float, and others float.
template <class T, class Add>
void add_across(const Add& to) {
  constexpr auto relu = activation::relu;
  using normalised = normalise<memory, false, float>;
  using from_float = convert<float, T, 0, false>;
  using to_float = convert<T, float, memory, false>;
  using widened = normalise<0, false, float>;
  using gradient = normalise_backward<1, 0, false, float>;
  using inferred = normalise_by<0, false, float>;
  add_of<T, add<memory, memory, false>, activate<relu, 0>>(to);
  add_of<T, normalised, from_float, add<memory, 1, false>, activate<relu, 2>>(to);
  add_of<T, normalise_backward<memory, memory, false, float>, convert<float, T, 0>, add<memory, 1>>(to);
  add_of<T, add<memory, memory, false>, activate_backward<relu, memory, 0, false>, convert<T, float, 1>>(to);
  add_of<T, to_float, inferred, convert<float, T, 1, false>, activate<relu, 2>>(to);
  add_of<T, to_float, widened, convert<float, T, 1, false>, add<memory, 2, false>, activate<relu, 3>>(to);
  add_of<T, to_float, to_float, gradient, convert<float, T, 2>, add<memory, 3>>(to);
  // From the networks.
  add_of<T, to_float, widened, convert<float, T, 1, false>, activate<relu, 2>>(to);
  add_of<T, to_float, to_float, gradient, convert<float, T, 2>>(to);
  add_of<T, activate_backward<relu, memory, memory, false>, convert<T, float, 0>>(to);
  add_of<T, activate_backward<relu, memory, memory>, convert<T, float, 0>>(to);
  add_of<T, add<memory, memory, false>, activate_backward<relu, memory, 0>>(to);
  add_of<T, dropout<memory, false>, add<memory, 0>, convert<T, float, 1>>(to);
  add_of<T, dropout<memory, false>, activate_backward<relu, memory, 0>>(to);
  add_of<T, convert<float, T, memory>, dropout<0>>(to);
  add_of<T, to_float, inferred, convert<float, T, 1, false>, add<memory, 2, false>, activate<relu, 3>>(to);
  add_of<T, add<memory, memory, false>, convert<T, float, 0>>(to);
}

/// Adds chains with gradients that are scaled to elements T and back.
template <class T, class Add>
void add_scaled(const Add& to) {
  constexpr auto relu = activation::relu;
  using to_float = convert<T, float, memory, false>;
  using unscaled = scale<T, float, memory, false>;
  using gradient = normalise_backward<1, 0, false, float>;
  add_of<T, add<memory, memory, false>, activate_backward<relu, memory, 0, false>, scale<T, float, 1>>(to);
  add_of<T, normalise_backward<memory, memory, false, float>, scale<float, T, 0>, add<memory, 1>>(to);
  add_of<T, unscaled, to_float, gradient, scale<float, T, 2>, add<memory, 3>>(to);
  // From the networks.
  add_of<T, unscaled, to_float, gradient, scale<float, T, 2>>(to);
  add_of<T, activate_backward<relu, memory, memory, false>, scale<T, float, 0>>(to);
  add_of<T, activate_backward<relu, memory, memory>, scale<T, float, 0>>(to);
  add_of<T, dropout<memory, false>, add<memory, 0>, scale<T, float, 1>>(to);
  add_of<T, scale<float, T, memory>, dropout<0>>(to);
  add_of<T, add<memory, memory, false>, scale<T, float, 0>>(to);
}

template <class Add>
void add_all(const Add& to) {
  constexpr auto relu = activation::relu;
  add_chain<add<memory, memory, false>, activate<relu, 0>>(to);
  add_chain<add<memory, memory>, activate<relu, 0>>(to);
  add_chain<add_bias<relu, memory, false>, dropout<0, false>, add<memory, 1>, activate<activation::gelu, 2, false>,
            activate_backward<activation::sigmoid, 3, memory, false>, add<4, 2>>(to);
  add_chain<activate<activation::leaky_relu, memory, false>, activate_backward<activation::none, nowhere, 0>>(to);
  add_chain<normalise<memory, false>, add<memory, 0, false>, activate<relu, 1>>(to);
  add_chain<normalise<memory>, activate<relu, 0>>(to);
  add_chain<normalise_backward<memory, memory, false>, add<memory, 0>>(to);
  add_chain<normalise_by<memory, false>, activate<relu, 0>>(to);
  add_across<device::bfloat16>(to);
  add_across<device::float16>(to);
  add_scaled<device::float16>(to);
  // From the networks.
  add_chain<normalise<memory, false>, activate<relu, 0>>(to);
  add_chain<add<memory, memory, false>, activate_backward<relu, memory, 0>>(to);
  add_chain<dropout<memory, false>, activate_backward<relu, memory, 0>>(to);
  add_chain<dropout<memory, false>, add<memory, 0>>(to);
  add_chain<normalise_by<memory, false>, add<memory, 0, false>, activate<relu, 1>>(to);
}

}  // namespace emulated_chains
