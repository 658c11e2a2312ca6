// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/arguments.hpp>
#include <ridgepoint/core/backend.hpp>
#include <ridgepoint/roofline/work.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// True if an op with these arguments can run. An op that deduces its element type passes it as T: for `refused`, an
/// invalid output, another assertion reports the error.
template <class Backend, class Args, class T = void>
inline constexpr bool runs = backend<Backend> && (std::same_as<T, refused> || executes<Backend, Args>);
/// True if an op has a valid output of element type T, or lacks its backend, which is reported first.
template <class Backend, class T>
inline constexpr bool has_output = !backend<Backend> || !std::same_as<T, refused>;

/// Kind of an op's product. Selects the unit of a matrix machine that computes the op.
enum class product_kind {
  none,
  dense,      // multiplies matrices, or converts one to a format for that
  by_channel  // each channel separately: most of an array would be unused
};
/// The kind declared by the arguments, as in `static constexpr product_kind product = product_kind::dense;`, or none.
template <class Args>
inline constexpr product_kind product_of = [] {
  if constexpr (requires { Args::product; }) return Args::product;
  else return product_kind::none;
}();

namespace detail {
/// Calls run() after the assertions about its types; does nothing if one of them failed.
template <class T = void, class Backend, class Args>
RIDGEPOINT_INLINE work run_checked(const Backend& on, const Args& args) {
  if constexpr (backend<Backend> && executes<Backend, Args> && !std::same_as<T, refused>) {
    check(args);
    execute(on, args);
    return receipt(args);
  } else {
    return {};
  }
}
}  // namespace detail

/// Runs any op from its arguments: check(args), execute(on, args), receipt(args), each found by argument-dependent
/// lookup.
/// Inlined, so that an unused receipt is not computed.
/// Throws: as check(args); nothing is written then.
/// Example:
///   rp::run(on, rp::adam_update_args<float>{.size = n, .w = w, .g = g, .m = m, .v = v, .state = state});
template <class Backend, class Args>
RIDGEPOINT_INLINE work run(const Backend& on, const Args& args) {
  static_assert(runs<Backend, Args>, "run: the first argument must be a backend that has the op of the second");
  return detail::run_checked(on, args);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
