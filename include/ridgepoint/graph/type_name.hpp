// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include <ridgepoint/core/concat.hpp>
#include <ridgepoint/core/element.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {
/// "ridgepoint::dense_args<float>"
template <class Args>
[[nodiscard]] consteval std::string_view args_name() noexcept {
  std::string_view text = __PRETTY_FUNCTION__;  // … [with Args = a::b_args<float>; …] or … [Args = …]
  text.remove_prefix(text.find("Args = ") + 7);
  return text.substr(0, text.find_first_of(";]"));
}
}  // namespace detail

/// The op an argument type belongs to: "dense" for dense_args<float>.
template <class Args>
[[nodiscard]] consteval std::string_view op_stem() noexcept {
  std::string_view name = detail::args_name<Args>();
  name = name.substr(0, name.find('<'));
  if (const std::size_t scope = name.rfind("::"); scope != std::string_view::npos) name.remove_prefix(scope + 2);
  if (name.ends_with("_args")) name.remove_suffix(5);
  return name;
}
/// The same with its element type, as messages say it: "dense<float>".
template <class Args>
[[nodiscard]] std::string op_name() {
  constexpr std::string_view name = detail::args_name<Args>();
  constexpr std::size_t parameters = name.find('<');
  return concat(op_stem<Args>(), parameters == std::string_view::npos ? "" : name.substr(parameters));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
