// SPDX-License-Identifier: MIT
#pragma once

#include <bit>

#include <ridgepoint/onednn/library_call.hpp>
#include <ridgepoint/onednn/primitive.hpp>
#include <ridgepoint/ops/activate.hpp>
#include <ridgepoint/ops/activation.hpp>
#include <ridgepoint/ops/add.hpp>
#include <ridgepoint/ops/softmax.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::onednn_detail {

/// An activation in the library's terms: f with α and β.
struct eltwise {
  dnnl::algorithm f;
  float alpha = 0, beta = 0;
};

/// Returns an activation whose library derivative uses the same value as ours: relu and leaky relu (x < 0: α·x), relu6,
/// sigmoid, tanh, gelu.
[[nodiscard]] inline eltwise from_output(activation f, float slope) {
  switch (f) {
    case activation::sigmoid:
      return {dnnl::algorithm::eltwise_logistic_use_dst_for_bwd};
    case activation::tanh:
      return {dnnl::algorithm::eltwise_tanh_use_dst_for_bwd};
    case activation::gelu:
      return {dnnl::algorithm::eltwise_gelu_erf};
    case activation::relu6:
      return {dnnl::algorithm::eltwise_clip_v2_use_dst_for_bwd, 0.0F, 6.0F};
    case activation::none:
    case activation::relu:
    case activation::leaky_relu:
    case activation::hard_sigmoid:
    default:
      return {dnnl::algorithm::eltwise_relu_use_dst_for_bwd, f == activation::leaky_relu ? slope : 0.0F};
  }
}

/// Appends an activation to a product's post-ops; f is fusable() or leaky relu, and not none.
inline void append_activation(dnnl::post_ops& ops, activation f, float slope = 0) {
  if (f == activation::relu6) return append_eltwise(ops, dnnl::algorithm::eltwise_clip, 0, 6);
  const dnnl::algorithm algorithm = f == activation::sigmoid ? dnnl::algorithm::eltwise_logistic
                                    : f == activation::tanh  ? dnnl::algorithm::eltwise_tanh
                                                             : dnnl::algorithm::eltwise_relu;
  append_eltwise(ops, algorithm, f == activation::leaky_relu ? slope : 0, 0);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::onednn_detail

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace onednn_detail {

/// y ← f(x); the hard sigmoid is min(max(0.2·x + 0.5, 0), 1) in two steps, which every version supports.
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

/// y ← f(x). The result for NaN is up to the library.
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
  /// The library may overwrite only its first operand.
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

namespace onednn_detail {
/// y(i, ·) ← softmax(x(i, ·)).
/// Throws: backend_error.
template <>
struct library_call<softmax_args<float>> {
  using args = softmax_args<float>;
  static bool asks(const args& s) { return s.x.rows != 0; }
  static void otherwise(const onednn&, const args&) {}
  static recipe_key key(const args& s) { return {{6, s.x.rows, s.x.cols, s.x.row_stride, s.y.row_stride}}; }
  static std::vector<recipe> recipes(const dnnl::engine& engine, const args& s) {
    recipe r(engine);
    const auto x_layout = layout(s.x), y_layout = layout(s.y);
    const dnnl::memory x = r.operand(x_layout), y = r.operand(y_layout);
    const auto chosen = describe<softmax_forward>(engine, {}, dnnl::prop_kind::forward_inference,
                                                  dnnl::algorithm::softmax_accurate, x_layout, y_layout, 1);
    r.then(softmax_forward(chosen), {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}});
    return {std::move(r)};
  }
  static std::array<const void*, 2> pointers(const args& s) { return {s.x.data, s.y.data}; }
};
}  // namespace onednn_detail

inline void execute(const onednn& on, const softmax_args<float>& args) { onednn_detail::execute_call(on, args); }
[[nodiscard]] inline onednn_prepared prepare(const onednn& on, const softmax_args<float>& args,
                                             const prepare_options& = {}) {
  return onednn_detail::prepare_call(on, args);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
