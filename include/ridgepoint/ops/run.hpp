// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/arguments.hpp>
#include <ridgepoint/core/backend.hpp>
#include <ridgepoint/roofline/work.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Whether an op of these arguments can run. An op that deduces its element type says it: `refused` stands for an
/// output that is none, which is another sentence.
template <class Backend, class Args, class T = void>
inline constexpr bool runs = backend<Backend> && (std::same_as<T, refused> || executes<Backend, Args>);
/// Whether an op has an output of element type T, or misses its backend, which comes first.
template <class Backend, class T>
inline constexpr bool has_output = !backend<Backend> || !std::same_as<T, refused>;

/// What an op's product is like. It decides which unit of a matrix machine computes the op.
enum class product_kind {
  none,
  dense,      // it multiplies matrices, or brings one into form for that
  by_channel  // each channel by itself: most of an array would stand empty
};
/// The kind that an op's arguments say, as in `static constexpr product_kind product = product_kind::dense;`, or none.
template <class Args>
inline constexpr product_kind product_of = [] {
  if constexpr (requires { Args::product; }) return Args::product;
  else return product_kind::none;
}();

namespace detail {
/// run() after the sentences about its types: nothing where one of them was said.
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

/// Runs any op from its arguments: check(args), execute(on, args), receipt(args), each found beside the op or the
/// backend.
/// Inlined, so that a receipt nobody reads is not computed.
/// Throws: what check(args) throws; nothing is written then.
/// Example:
///   rp::run(on, rp::adam_update_args<float>{.size = n, .w = w, .g = g, .m = m, .v = v, .state = state});
template <class Backend, class Args>
RIDGEPOINT_INLINE work run(const Backend& on, const Args& args) {
  static_assert(runs<Backend, Args>, "run: the first argument must be a backend that has the op of the second");
  return detail::run_checked(on, args);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
