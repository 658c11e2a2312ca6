// SPDX-License-Identifier: MIT
#pragma once

#include <bit>

#include <ridgepoint/onednn/eltwise.hpp>
#include <ridgepoint/onednn/library_call.hpp>
#include <ridgepoint/ops/activate.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace onednn_detail {

/// y ← f(x); the hard sigmoid as min(max(0.2·x + 0.5, 0), 1) in two steps, which every version has.
inline recipe activate_recipe(const dnnl::engine& engine, const activate_args<float>& a) {
  const auto data = layout(a.size);
  recipe r(engine);
  const dnnl::memory x = r.operand(data), y = r.operand(data);
  const auto then = [&](eltwise e, const dnnl::memory& from) {
    r.then(dnnl::eltwise_forward(describe_eltwise(engine, e.f, data, e.alpha, e.beta)),
           {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, y}});
  };
  if (a.f == activation::hard_sigmoid) {
    then({dnnl::algorithm::eltwise_linear, 0.2F, 0.5F}, x);
    then({dnnl::algorithm::eltwise_clip, 0.0F, 1.0F}, y);
  } else {
    then(from_output(a.f, static_cast<float>(a.slope)), x);
  }
  return r;
}

/// dx ← f'(y)·dy; the hard sigmoid's 0.2·dy where 0 < y < 1.
inline recipe activate_backward_recipe(const dnnl::engine& engine, const activate_backward_args<float>& a) {
  const auto data = layout(a.size);
  recipe r(engine);
  const dnnl::memory y = r.operand(data), dy = r.operand(data), dx = r.operand(data);
  const bool hard = a.f == activation::hard_sigmoid;
  const eltwise e = hard ? eltwise{dnnl::algorithm::eltwise_clip_v2_use_dst_for_bwd, 0.0F, 1.0F}
                         : from_output(a.f, static_cast<float>(a.slope));
  r.then(
      dnnl::eltwise_backward(describe_eltwise_backward(engine, e.f, data, e.alpha, e.beta)),
      {{derives_from_input(a.f) ? DNNL_ARG_SRC : DNNL_ARG_DST, y}, {DNNL_ARG_DIFF_DST, dy}, {DNNL_ARG_DIFF_SRC, dx}});
  if (hard)
    r.then(dnnl::eltwise_forward(describe_eltwise(engine, dnnl::algorithm::eltwise_linear, data, 0.2F, 0.0F)),
           {{DNNL_ARG_SRC, dx}, {DNNL_ARG_DST, dx}});
  return r;
}

template <class Args>
struct activate_call {
  static bool asks(const Args& a) { return a.size != 0 && a.f != activation::none; }
  static recipe_key key(index_t pass, const Args& a) {
    return {{pass, a.size, static_cast<index_t>(a.f),
             a.f == activation::leaky_relu ? std::bit_cast<std::int32_t>(static_cast<float>(a.slope)) : 0}};
  }
  static void copy(const onednn& on, float* to, const float* from, index_t size) {
    if (size != 0 && to != from) on.copy(to, from, static_cast<std::size_t>(size) * sizeof(float));
  }
};

/// y ← f(x). What becomes of NaN is the library's choice.
/// Throws: backend_error.
template <>
struct library_call<activate_args<float>> : activate_call<activate_args<float>> {
  using args = activate_args<float>;
  static void otherwise(const onednn& on, const args& a) { copy(on, a.y, a.x, a.size); }
  static recipe_key key(const args& a) { return activate_call::key(4, a); }
  static std::vector<recipe> recipes(const dnnl::engine& engine, const args& a) { return {activate_recipe(engine, a)}; }
  static std::array<const void*, 2> pointers(const args& a) { return {a.x, a.y}; }
};
/// dx ← f'(x)·dy from y = f(x).
/// Throws: backend_error.
template <>
struct library_call<activate_backward_args<float>> : activate_call<activate_backward_args<float>> {
  using args = activate_backward_args<float>;
  static void otherwise(const onednn& on, const args& a) { copy(on, a.dx, a.dy, a.size); }
  static recipe_key key(const args& a) { return activate_call::key(5, a); }
  static std::vector<recipe> recipes(const dnnl::engine& engine, const args& a) {
    return {activate_backward_recipe(engine, a)};
  }
  static std::array<const void*, 3> pointers(const args& a) { return {a.y, a.dy, a.dx}; }
};

}  // namespace onednn_detail

template <onednn_detail::one_of<activate_args<float>, activate_backward_args<float>> Args>
void execute(const onednn& on, const Args& args) {
  onednn_detail::execute_call(on, args);
}
template <onednn_detail::one_of<activate_args<float>, activate_backward_args<float>> Args>
[[nodiscard]] onednn_prepared prepare(const onednn& on, const Args& args, const prepare_options& = {}) {
  return onednn_detail::prepare_call(on, args);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
