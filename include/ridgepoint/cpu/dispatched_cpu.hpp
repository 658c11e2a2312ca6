// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include <ridgepoint/core/backend.hpp>
#include <ridgepoint/core/float_control.hpp>
#include <ridgepoint/core/team.hpp>
#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/cpu_backend.hpp>
#include <ridgepoint/cpu/dispatch_entry.hpp>
#include <ridgepoint/cpu/dispatch_table.hpp>
#include <ridgepoint/cpu/dispatched_ops.hpp>
#include <ridgepoint/kernels/kernel.hpp>

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

/// The SIMD CPU for code above the watershed in the archive: calls the kernels of a table. Include it after the ops.
class dispatched_cpu : public host_memory {
 public:
  explicit dispatched_cpu(const ridgepoint_dispatch_backend& on) noexcept
      : subnormals(static_cast<ridgepoint::subnormals>(on.subnormals)), threads_(on.threads), kernels_(on.kernels) {}
  [[nodiscard]] int thread_count() const noexcept { return threads_ > 0 ? threads_ : available_threads(); }
  /// Returns this backend on one thread.
  [[nodiscard]] dispatched_cpu on_one_thread() const noexcept {
    dispatched_cpu one = *this;
    one.threads_ = 1;
    return one;
  }
  [[nodiscard]] kernels::vector_unit vectors() const noexcept {
    return {kernels_->width_bytes, kernels_->registers, kernels_->fma != 0};
  }
  /// Runs a kernel of the table.
  template <kernels::kernel K, class... Args>
  RIDGEPOINT_CALLS_ANOTHER_COPY decltype(auto) call(Args&&... args) const noexcept {
    static_assert(dispatched_kernels::contains<K>, "list the kernel in kernels_of() of the op");
    const auto run = reinterpret_cast<decltype(&K::run)>(kernels_->entries[dispatched_kernels::index_of<K>].run);
    return run(std::forward<Args>(args)...);
  }

  ridgepoint::subnormals subnormals;

 private:
  int threads_;
  const ridgepoint_kernel_table* kernels_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
