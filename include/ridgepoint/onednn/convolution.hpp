// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <string_view>

#include <ridgepoint/onednn/elementwise.hpp>
#include <ridgepoint/onednn/library_call.hpp>
#include <ridgepoint/ops/conv2d.hpp>
#include <ridgepoint/ops/depthwise_conv2d.hpp>
#include <ridgepoint/ops/geometry.hpp>

/// \file
/// The library's primitives for conv2d() and depthwise_conv2d(): the same three for both, because a depthwise
/// convolution has one group per channel.
namespace ridgepoint::inline RIDGEPOINT_ABI::onednn_detail {

/// A pass of a convolution as described to the library.
struct convolution {
  using dims = dnnl::memory::dims;
  dims x, w, y;                   // (n, c, h, w), ([groups,] f, c, kh, kw), (n, f, oh, ow)
  dnnl::memory::format_tag ours;  // of the filter: (kh, kw, c, [groups,] f)
  dims stride, dilation, begin, end;
  dnnl::algorithm algorithm = dnnl::algorithm::convolution_direct;
  bool biased = false, residual = false;
  activation act = activation::none;
  float slope = 0;
};

[[nodiscard]] inline convolution convolution_of(const conv2d_geometry& g) {
  const bool whole = g.groups == 1;
  return {.x = {g.n, g.c, g.h, g.w},
          .w = whole ? convolution::dims{g.f, g.c, g.kh, g.kw}
                     : convolution::dims{g.groups, g.group_f(), g.group_c(), g.kh, g.kw},
          .y = {g.n, g.f, g.oh(), g.ow()},
          .ours = whole ? dnnl::memory::format_tag::hwio : dnnl::memory::format_tag::hwigo,
          .stride = {g.stride.h, g.stride.w},
          .dilation = {g.dilation.h - 1, g.dilation.w - 1},
          .begin = {g.padding.top, g.padding.left},
          .end = {g.padding.bottom, g.padding.right}};
}
[[nodiscard]] inline convolution convolution_of(const depthwise_geometry& g) {
  convolution c = convolution_of(detail::with_channels(g, g.c, g.f()));
  c.w = {g.c, g.multiplier, 1, g.kh, g.kw};
  c.ours = dnnl::memory::format_tag::hwigo;
  return c;
}

/// Layouts of a convolution: ours; ours with the filter in the library's layout; the library's for all operands. Other
/// layouts than ours are converted at every call, also the filter, because it changes at every training step.
enum class layouts { ours, library_filter, library };

/// The operands of a convolution in one of the layouts.
struct convolution_operands {
  dnnl::memory::desc x, w, bias, y;

  convolution_operands(const convolution& c, layouts whose) {
    using tag = dnnl::memory::format_tag;
    const auto laid_out = [](const dnnl::memory::dims& extents, tag how) {
      return dnnl::memory::desc(extents, dnnl::memory::data_type::f32, how);
    };
    const tag image = whose == layouts::library ? tag::any : tag::nhwc;
    x = laid_out(c.x, image), y = laid_out(c.y, image);
    w = laid_out(c.w, whose == layouts::ours ? c.ours : tag::any);
    if (c.biased) bias = laid_out({c.y[1]}, tag::x);
  }
};

/// y ← f(x ∗ w + bias), or f(x ∗ w + bias + y) if there is a residual.
inline dnnl::convolution_forward::primitive_desc describe_convolution(const dnnl::engine& engine, const convolution& c,
                                                                      const convolution_operands& o) {
  dnnl::primitive_attr attributes;
  dnnl::post_ops after;
  if (c.residual) after.append_sum(1);
  if (c.act != activation::none) append_activation(after, c.act, c.slope);
  if (after.len() > 0) attributes.set_post_ops(after);
  return describe<dnnl::convolution_forward>(engine, attributes, dnnl::prop_kind::forward_training, c.algorithm, o.x,
                                             o.w, o.bias, o.y, c.stride, c.dilation, c.begin, c.end);
}
/// dx ← the sum of dy·w over the outputs and taps that read x.
inline dnnl::convolution_backward_data::primitive_desc describe_convolution_data(const dnnl::engine& engine,
                                                                                 const convolution& c,
                                                                                 const convolution_operands& o) {
  return describe_backward<dnnl::convolution_backward_data>(engine, describe_convolution(engine, c, o), c.algorithm,
                                                            o.x, o.w, o.y, c.stride, c.dilation, c.begin, c.end);
}
/// dw ← the sum of x·dy over samples and outputs, db ← the sum of dy.
inline dnnl::convolution_backward_weights::primitive_desc describe_convolution_weights(const dnnl::engine& engine,
                                                                                       const convolution& c,
                                                                                       const convolution_operands& o) {
  return describe_backward<dnnl::convolution_backward_weights>(engine, describe_convolution(engine, c, o), c.algorithm,
                                                               o.x, o.w, o.bias, o.y, c.stride, c.dilation, c.begin,
                                                               c.end);
}

inline recipe convolution_recipe(const dnnl::engine& engine, const convolution& c, layouts whose) {
  const convolution_operands ours(c, layouts::ours);
  const auto chosen = describe_convolution(engine, c, convolution_operands(c, whose));
  recipe r(engine);
  const dnnl::memory x = r.operand(ours.x), w = r.operand(ours.w), bias = r.operand(layout(c.y[1])),
                     residual = r.operand(ours.y), y = r.operand(ours.y);
  const dnnl::memory from = r.converted(x, chosen.src_desc()), filter = r.converted(w, chosen.weights_desc()),
                     to = r.computed(y, chosen.dst_desc());
  const dnnl::convolution_forward primitive(chosen);
  if (c.residual) r.then_reorder(residual, to);
  if (c.biased)
    r.then(primitive, {{DNNL_ARG_SRC, from}, {DNNL_ARG_WEIGHTS, filter}, {DNNL_ARG_BIAS, bias}, {DNNL_ARG_DST, to}});
  else r.then(primitive, {{DNNL_ARG_SRC, from}, {DNNL_ARG_WEIGHTS, filter}, {DNNL_ARG_DST, to}});
  r.deliver(to, y);
  return r;
}
inline recipe convolution_data_recipe(const dnnl::engine& engine, const convolution& c, layouts whose) {
  const convolution_operands ours(c, layouts::ours);
  const auto chosen = describe_convolution_data(engine, c, convolution_operands(c, whose));
  recipe r(engine);
  const dnnl::memory dy = r.operand(ours.y), w = r.operand(ours.w), dx = r.operand(ours.x);
  const dnnl::memory from = r.converted(dy, chosen.diff_dst_desc()), filter = r.converted(w, chosen.weights_desc()),
                     to = r.computed(dx, chosen.diff_src_desc());
  r.then(dnnl::convolution_backward_data(chosen),
         {{DNNL_ARG_DIFF_DST, from}, {DNNL_ARG_WEIGHTS, filter}, {DNNL_ARG_DIFF_SRC, to}});
  r.deliver(to, dx);
  return r;
}
inline recipe convolution_weights_recipe(const dnnl::engine& engine, const convolution& c, layouts whose) {
  const convolution_operands ours(c, layouts::ours);
  const auto chosen = describe_convolution_weights(engine, c, convolution_operands(c, whose));
  recipe r(engine);
  const dnnl::memory x = r.operand(ours.x), dy = r.operand(ours.y), dw = r.operand(ours.w),
                     db = r.operand(layout(c.y[1]));
  const dnnl::memory from = r.converted(x, chosen.src_desc()), by = r.converted(dy, chosen.diff_dst_desc()),
                     to = r.computed(dw, chosen.diff_weights_desc());
  const dnnl::convolution_backward_weights primitive(chosen);
  if (c.biased)
    r.then(primitive,
           {{DNNL_ARG_SRC, from}, {DNNL_ARG_DIFF_DST, by}, {DNNL_ARG_DIFF_WEIGHTS, to}, {DNNL_ARG_DIFF_BIAS, db}});
  else r.then(primitive, {{DNNL_ARG_SRC, from}, {DNNL_ARG_DIFF_DST, by}, {DNNL_ARG_DIFF_WEIGHTS, to}});
  r.deliver(to, dw);
  return r;
}

/// Returns the recipes of a pass in each layout. Recipes with equally many conversions are equal and are listed once.
/// The library's reference implementation, which takes seconds where others take milliseconds, is dropped if there is
/// another.
///
/// Filters of one pixel with different strides stay in our layouts: oneDNN 2.6 damaged the heap after computing some of
/// their gradients in its own layout on AVX2.
template <class Make>
[[nodiscard]] std::vector<recipe> in_each_layout(const convolution& c, const Make& make) {
  const auto taps = c.w.end()[-1] * c.w.end()[-2];
  const bool only_ours = taps == 1 && c.stride[0] != c.stride[1];
  std::vector<recipe> ways;
  for (const layouts whose : {layouts::ours, layouts::library_filter, layouts::library}) {
    if (only_ours && whose != layouts::ours) continue;
    recipe r = make(whose);
    const auto same = [&](const recipe& other) { return other.steps() == r.steps(); };
    if (std::ranges::none_of(ways, same)) ways.push_back(std::move(r));
  }
  const auto slow = [](const recipe& r) { return std::string_view(r.algorithm()).starts_with("ref"); };
  if (!std::ranges::all_of(ways, slow)) std::erase_if(ways, slow);
  return ways;
}

/// Shared parts of the passes; `Op` numbers the op in its recipes' keys.
template <index_t Op, class Args>
struct convolution_call {
  static bool asks(const Args& a) { return a.geometry.n != 0; }
  static void otherwise(const onednn&, const Args&) {}  // an empty batch has no image to write
  static recipe_key key(const Args& a) {
    const auto& g = a.geometry;
    const auto& [top, bottom, left, right] = g.padding;
    const index_t filters = g.filter_size() / (g.kh * g.kw * g.c);  // per channel
    return {{Op,
             groups(g),
             g.n,
             g.h,
             g.w,
             g.c,
             filters,
             g.kh,
             g.kw,
             g.stride.h,
             g.stride.w,
             top,
             bottom,
             left,
             right,
             g.dilation.h,
             g.dilation.w,
             biased(a),
             static_cast<index_t>(act(a)),
             residual(a) != nullptr,
             act(a) == activation::leaky_relu ? std::bit_cast<std::int32_t>(slope(a)) : 0}};
  }
  [[nodiscard]] static convolution described(const Args& a) {
    convolution c = convolution_of(a.geometry);
    c.biased = biased(a), c.act = act(a), c.residual = residual(a) != nullptr, c.slope = slope(a);
    return c;
  }

 protected:
  [[nodiscard]] static const float* residual(const Args& a) {
    if constexpr (requires { a.residual; }) return a.residual;
    else return nullptr;
  }

 private:
  [[nodiscard]] static float slope(const Args& a) {
    if constexpr (requires { a.slope; }) return static_cast<float>(a.slope);
    else return 0;
  }
  [[nodiscard]] static index_t groups(const conv2d_geometry& g) { return g.groups; }
  [[nodiscard]] static index_t groups(const depthwise_geometry& g) { return g.c; }
  [[nodiscard]] static bool biased(const Args& a) {
    if constexpr (requires { a.bias; }) return a.bias != nullptr;
    else if constexpr (requires { a.db; }) return a.db != nullptr;
    else return false;
  }
  [[nodiscard]] static activation act(const Args& a) {
    if constexpr (requires { a.act; }) return a.act;
    else return activation::none;
  }
};

/// y ← f(x ∗ w + bias + residual).
template <index_t Op, class Args>
struct convolution_forward_call : convolution_call<Op, Args> {
  static std::vector<recipe> recipes(const dnnl::engine& engine, const Args& a) {
    const convolution c = convolution_forward_call::described(a);
    return in_each_layout(c, [&](layouts whose) { return convolution_recipe(engine, c, whose); });
  }
  static std::array<const void*, 5> pointers(const Args& a) {
    return {a.x, a.w, a.bias, convolution_forward_call::residual(a), a.y};
  }
};
/// dx ← the sum of dy·w over the outputs and taps that read x.
template <index_t Op, class Args>
struct convolution_data_call : convolution_call<Op, Args> {
  static std::vector<recipe> recipes(const dnnl::engine& engine, const Args& a) {
    const convolution c = convolution_data_call::described(a);
    return in_each_layout(c, [&](layouts whose) { return convolution_data_recipe(engine, c, whose); });
  }
  static std::array<const void*, 3> pointers(const Args& a) { return {a.dy, a.w, a.dx}; }
};
/// dw and db; of an empty batch they are zero.
template <index_t Op, class Args>
struct convolution_weights_call : convolution_call<Op, Args> {
  static void otherwise(const onednn&, const Args& a) {
    std::fill_n(a.dw, a.geometry.filter_size(), 0.0F);
    if (a.db != nullptr) std::fill_n(a.db, convolution_weights_call::described(a).y[1], 0.0F);
  }
  static std::vector<recipe> recipes(const dnnl::engine& engine, const Args& a) {
    const convolution c = convolution_weights_call::described(a);
    return in_each_layout(c, [&](layouts whose) { return convolution_weights_recipe(engine, c, whose); });
  }
  static std::array<const void*, 4> pointers(const Args& a) { return {a.x, a.dy, a.dw, a.db}; }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::onednn_detail

// conv2d() and its gradients by the library's direct convolutions. Throws: backend_error.
namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace onednn_detail {
template <>
struct library_call<conv2d_args<float>> : convolution_forward_call<8, conv2d_args<float>> {};
template <>
struct library_call<conv2d_backward_data_args<float>> : convolution_data_call<9, conv2d_backward_data_args<float>> {};
template <>
struct library_call<conv2d_backward_weights_args<float>>
    : convolution_weights_call<10, conv2d_backward_weights_args<float>> {};
}  // namespace onednn_detail

template <
    onednn_detail::one_of<conv2d_args<float>, conv2d_backward_data_args<float>, conv2d_backward_weights_args<float>>
        Args>
void execute(const onednn& on, const Args& args) {
  onednn_detail::execute_call(on, args);
}
template <
    onednn_detail::one_of<conv2d_args<float>, conv2d_backward_data_args<float>, conv2d_backward_weights_args<float>>
        Args>
[[nodiscard]] onednn_prepared prepare(const onednn& on, const Args& args, const prepare_options& = {}) {
  return onednn_detail::prepare_call(on, args);
}

// depthwise_conv2d() and its gradients as convolutions with one group per channel. Throws: backend_error.

namespace onednn_detail {
template <>
struct library_call<depthwise_conv2d_args<float>> : convolution_forward_call<11, depthwise_conv2d_args<float>> {};
template <>
struct library_call<depthwise_conv2d_backward_data_args<float>>
    : convolution_data_call<12, depthwise_conv2d_backward_data_args<float>> {};
template <>
struct library_call<depthwise_conv2d_backward_weights_args<float>>
    : convolution_weights_call<13, depthwise_conv2d_backward_weights_args<float>> {};
}  // namespace onednn_detail

template <onednn_detail::one_of<depthwise_conv2d_args<float>, depthwise_conv2d_backward_data_args<float>,
                                depthwise_conv2d_backward_weights_args<float>>
              Args>
void execute(const onednn& on, const Args& args) {
  onednn_detail::execute_call(on, args);
}
template <onednn_detail::one_of<depthwise_conv2d_args<float>, depthwise_conv2d_backward_data_args<float>,
                                depthwise_conv2d_backward_weights_args<float>>
              Args>
[[nodiscard]] onednn_prepared prepare(const onednn& on, const Args& args, const prepare_options& = {}) {
  return onednn_detail::prepare_call(on, args);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
