// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include <ridgepoint/core/config.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The op an argument type belongs to, as messages say it: "dense<float>" for dense_args<float>.
template <class Args>
[[nodiscard]] std::string op_name() {
  std::string_view text = __PRETTY_FUNCTION__;  // … [with Args = a::b_args<float>; …] or … [Args = …]
  text.remove_prefix(text.find("Args = ") + 7);
  text = text.substr(0, text.find_first_of(";]"));
  const std::size_t parameters = text.find('<');
  const std::string_view suffix = parameters == std::string_view::npos ? std::string_view() : text.substr(parameters);
  std::string_view name = text.substr(0, parameters);
  if (const std::size_t scope = name.rfind("::"); scope != std::string_view::npos) name.remove_prefix(scope + 2);
  if (name.ends_with("_args")) name.remove_suffix(5);
  return std::string(name) + std::string(suffix);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
