// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include <ridgepoint/cuda/device/chain.hpp>
#include <ridgepoint/cuda/runtime/chain_kernel.hpp>

#include "emulator.hpp"

/// The chains that tests run, in full: a chain is compiled for its steps, so that one which is not here is not known.
namespace emulated_chains {

namespace device = ridgepoint_device;
namespace host = ridgepoint::detail;

static_assert(offsetof(device::dropout_choice, threshold) == offsetof(host::dropout_choice_argument, threshold));
static_assert(sizeof(device::chain_step) == sizeof(host::chain_step_argument));
static_assert(offsetof(device::chain_step, channels) == offsetof(host::chain_step_argument, channels));
static_assert(offsetof(device::chain_step, mask) == offsetof(host::chain_step_argument, mask));
static_assert(sizeof(device::chain_arguments) == sizeof(host::chain_argument));
static_assert(offsetof(device::chain_arguments, steps) == offsetof(host::chain_argument, steps));
static_assert(device::from_memory == host::from_memory && device::from_nowhere == host::from_nowhere);

using device::activation;
using device::chained;
inline constexpr int memory = device::from_memory, nowhere = device::from_nowhere;

template <activation F, int Of, bool Kept = true>
using activate = device::step<chained::activate, F, Of, nowhere, Kept>;
template <activation F, int Y, int Dy, bool Kept = true>
using activate_backward = device::step<chained::activate_backward, F, Y, Dy, Kept>;
template <int A, int B, bool Kept = true>
using add = device::step<chained::add, activation::none, A, B, Kept>;
template <activation F, int Of, bool Kept = true>
using add_bias = device::step<chained::add_bias, F, Of, nowhere, Kept>;
template <int Of, bool Kept = true>
using dropout = device::step<chained::dropout, activation::none, Of, nowhere, Kept>;

template <int Of, bool Kept = true>
using normalise = device::step<chained::normalise, activation::none, Of, nowhere, Kept>;

template <chained What, activation F, int A, int B, bool Kept>
host::chain_step_form form_of(device::step<What, F, A, B, Kept>) {
  return {.what = static_cast<host::chained>(What),
          .f = static_cast<ridgepoint::activation>(F),
          .a = A,
          .b = B,
          .kept = Kept};
}

/// What the arguments of a chain must be: pointers to its elements, all of which are of one type; and what is read and
/// written 16 bytes at a time lies where that can be.
inline void add_rules(emulator::kernel& chain, const std::string& expression) {
  const std::size_t element = expression.starts_with("ridgepoint_device::chain<float") ? sizeof(float) : sizeof(double);
  constexpr std::size_t first = offsetof(device::chain_arguments, steps);
  for (std::size_t s = 0; s < ridgepoint::most_chain_links; ++s) {
    const std::size_t at = first + s * sizeof(device::chain_step);
    for (const std::size_t member :
         {offsetof(device::chain_step, a), offsetof(device::chain_step, b), offsetof(device::chain_step, y),
          offsetof(device::chain_step, column), offsetof(device::chain_step, scales)})
      chain.pointers.push_back({0, at + member, element});
    chain.pointers.push_back({0, at + offsetof(device::chain_step, state), alignof(device::step_state)});
  }
  chain.suits = [](void** args) {
    const auto& all = *static_cast<const device::chain_arguments*>(args[0]);
    const auto lies_well = [](const void* at) { return reinterpret_cast<std::uintptr_t>(at) % 16 == 0; };
    return all.packed == 0 || std::all_of(std::begin(all.steps), std::end(all.steps), [&](const device::chain_step& s) {
             return lies_well(s.a) && lies_well(s.b) && lies_well(s.y);
           });
  };
}

/// add(kernel of the host, that of the device) for a chain of both types.
template <class... Steps, class Add>
void add_chain(const Add& to) {
  const std::vector<host::chain_step_form> steps{form_of(Steps{})...};
  to(host::chain_kernel(host::chain_parameters<float>(steps)), device::chain<float, Steps...>);
  to(host::chain_kernel(host::chain_parameters<double>(steps)), device::chain<double, Steps...>);
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
  // Of the networks.
  add_chain<normalise<memory, false>, activate<relu, 0>>(to);
  add_chain<add<memory, memory, false>, activate_backward<relu, memory, 0>>(to);
  add_chain<dropout<memory, false>, activate_backward<relu, memory, 0>>(to);
  add_chain<dropout<memory, false>, add<memory, 0>>(to);
}

}  // namespace emulated_chains
