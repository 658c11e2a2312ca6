// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>

#include <ridgepoint/core/config.hpp>
#include <ridgepoint/core/float16.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

struct native_cpu;
class dispatched_cpu;

/// A backend of code above the watershed: native_cpu calls the kernels of the including file, dispatched_cpu calls
/// those in a table. Both have thread_count(), vectors() and call<Kernel>(arguments…).
template <class On>
concept cpu_backend = std::same_as<On, dispatched_cpu> || std::derived_from<On, native_cpu>;

/// Element types of the CPU's kernels: those it computes in, and bfloat16, which it computes in float.
template <class T>
concept cpu_element = std::floating_point<T> || std::same_as<T, bfloat16>;

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if RIDGEPOINT_WITH_KERNELS
#include <ridgepoint/cpu/native_cpu.hpp>
#endif
