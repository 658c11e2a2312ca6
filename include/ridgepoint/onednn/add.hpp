// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/onednn/library_call.hpp>
#include <ridgepoint/ops/add.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace onednn_detail {
/// y ← a + b.
/// Throws: backend_error.
template <>
struct library_call<add_args<float>> {
  using args = add_args<float>;
  static bool asks(const args& s) { return s.size != 0; }
  static void otherwise(const onednn&, const args&) {}
  static recipe_key key(const args& s) { return {{7, s.size}}; }
  static std::vector<recipe> recipes(const dnnl::engine& engine, const args& s) {
    const auto data = layout(s.size);
    recipe r(engine);
    const dnnl::memory a = r.operand(data), b = r.operand(data), y = r.operand(data);
    r.then(dnnl::binary(describe<dnnl::binary>(engine, {}, dnnl::algorithm::binary_add, data, data, data)),
           {{DNNL_ARG_SRC_0, a}, {DNNL_ARG_SRC_1, b}, {DNNL_ARG_DST, y}});
    return {std::move(r)};
  }
  /// The library may overwrite its first operand only.
  static std::array<const void*, 3> pointers(const args& s) {
    return s.y == s.b ? std::array<const void*, 3>{s.b, s.a, s.y} : std::array<const void*, 3>{s.a, s.b, s.y};
  }
};
}  // namespace onednn_detail

inline void execute(const onednn& on, const add_args<float>& args) { onednn_detail::execute_call(on, args); }
[[nodiscard]] inline onednn_prepared prepare(const onednn& on, const add_args<float>& args,
                                             const prepare_options& = {}) {
  return onednn_detail::prepare_call(on, args);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
