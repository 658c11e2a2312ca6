// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/dispatched_ops.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// True if an op is compiled once, above the watershed: its header in cpu/ then lists the kernels it calls, as
///   template <std::floating_point T>
///   type_list<kernels::name<T>, …> kernels_of(const op_args<T>&);
template <class Args>
concept above_watershed = requires(const Args& a) {
  kernels_of(a);
};

namespace detail {

template <class... Lists>
struct united {
  using type = type_list<>;
};
template <class Only>
struct united<Only> {
  using type = Only;
};
template <class First, class Second, class... Rest>
struct united<First, Second, Rest...> : united<decltype(First{} + (Second{} - First{})), Rest...> {};

template <class Args>
struct kernel_list {
  using type = type_list<>;
};
template <above_watershed Args>
struct kernel_list<Args> {
  using type = decltype(kernels_of(std::declval<const Args&>()));
};

template <class... Args>
auto kernels_of_ops(type_list<Args...>) -> typename united<typename kernel_list<Args>::type...>::type;

}  // namespace detail

/// All kernels of the ops whose headers are included before, in the order of an instruction set's table. Include it
/// last.
using dispatched_kernels = decltype(detail::kernels_of_ops(dispatched_ops{}));

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
