// SPDX-License-Identifier: MIT
#pragma once

#include <bit>

#include <ridgepoint/onednn/eltwise.hpp>
#include <ridgepoint/onednn/onednn.hpp>
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
    then(from_output(a.f, a.slope), x);
  }
  return r;
}

/// dx ← f'(y)·dy; the hard sigmoid's 0.2·dy where 0 < y < 1.
inline recipe activate_backward_recipe(const dnnl::engine& engine, const activate_backward_args<float>& a) {
  const auto data = layout(a.size);
  recipe r(engine);
  const dnnl::memory y = r.operand(data), dy = r.operand(data), dx = r.operand(data);
  const bool hard = a.f == activation::hard_sigmoid;
  const eltwise e =
      hard ? eltwise{dnnl::algorithm::eltwise_clip_v2_use_dst_for_bwd, 0.0F, 1.0F} : from_output(a.f, a.slope);
  r.then(dnnl::eltwise_backward(describe_eltwise_backward(engine, e.f, data, e.alpha, e.beta)),
         {{DNNL_ARG_DST, y}, {DNNL_ARG_DIFF_DST, dy}, {DNNL_ARG_DIFF_SRC, dx}});
  if (hard)
    r.then(dnnl::eltwise_forward(describe_eltwise(engine, dnnl::algorithm::eltwise_linear, data, 0.2F, 0.0F)),
           {{DNNL_ARG_SRC, dx}, {DNNL_ARG_DST, dx}});
  return r;
}

template <class Args>
recipe_key activate_key(index_t pass, const Args& a) {
  return {{pass, a.size, static_cast<index_t>(a.f),
           a.f == activation::leaky_relu ? std::bit_cast<std::int32_t>(a.slope) : 0}};
}

}  // namespace onednn_detail

/// y ← f(x). What becomes of NaN is the library's choice.
/// Throws: backend_error.
inline void execute(const onednn& on, const activate_args<float>& a) {
  if (a.size == 0) return;
  if (a.f == activation::none) {
    if (a.x != a.y) on.copy(a.y, a.x, static_cast<std::size_t>(a.size) * sizeof(float));
    return;
  }
  on.run(onednn_detail::activate_key(4, a), {a.x, a.y},
         [&](const dnnl::engine& engine) { return std::vector{onednn_detail::activate_recipe(engine, a)}; });
}
/// dx ← f'(x)·dy from y = f(x).
/// Throws: backend_error.
inline void execute(const onednn& on, const activate_backward_args<float>& a) {
  if (a.size == 0) return;
  if (a.f == activation::none) {
    if (a.dy != a.dx) on.copy(a.dx, a.dy, static_cast<std::size_t>(a.size) * sizeof(float));
    return;
  }
  on.run(onednn_detail::activate_key(5, a), {a.y, a.dy, a.dx},
         [&](const dnnl::engine& engine) { return std::vector{onednn_detail::activate_backward_recipe(engine, a)}; });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
