// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

#include <ridgepoint/cuda/gemm.hpp>
#include <ridgepoint/cuda/normalisation.hpp>
#include <ridgepoint/cuda/runtime/convolution_library.hpp>
#include <ridgepoint/ops/conv2d.hpp>
#include <ridgepoint/ops/depthwise_conv2d.hpp>

/// \file
/// conv2d() and its gradients: by cuBLAS if the image is a matrix without a copy, by cuDNN if it has an engine,
/// otherwise by kernels that compute the definition. depthwise_conv2d() and its gradients: always by our own kernels.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// One pass of a convolution and its tensors or their gradients.
template <class T>
struct convolution_call {
  convolution_pass pass;
  conv2d_geometry geometry;
  conv_algorithm algorithm;
  const T *image, *filter, *output;
};
template <class T>
[[nodiscard]] convolution_call<T> call_of(const conv2d_args<T>& a) noexcept {
  return {convolution_pass::forward, a.geometry, a.algorithm, a.x, a.w, a.y};
}
template <class T>
[[nodiscard]] convolution_call<T> call_of(const conv2d_backward_data_args<T>& a) noexcept {
  return {convolution_pass::backward_data, a.geometry, a.algorithm, a.dx, a.w, a.dy};
}
template <class T>
[[nodiscard]] convolution_call<T> call_of(const conv2d_backward_weights_args<T>& a) noexcept {
  return {convolution_pass::backward_weights, a.geometry, a.algorithm, a.x, a.dw, a.dy};
}

/// Rows and columns of an image that multiplies its filters without a copy: the window is one pixel or the full image.
struct image_as_matrix {
  index_t rows = 0, cols = 0;
};
[[nodiscard]] constexpr std::optional<image_as_matrix> as_matrix(const conv2d_geometry& g) noexcept {
  if (g.groups != 1 || g.padding != padding2d{}) return std::nullopt;
  if (g.kh == 1 && g.kw == 1 && g.stride == spatial{}) return image_as_matrix{g.n * g.h * g.w, g.c};
  if (g.kh == g.h && g.kw == g.w && g.dilation == spatial{}) return image_as_matrix{g.n, g.h * g.w * g.c};
  return std::nullopt;
}

/// Returns cuDNN's plan for a call, created once; null if cuDNN has none or there is nothing to compute.
template <class T>
[[nodiscard]] auto plan_of(cuda_context& on, const convolution_call<T>& c) {
  auto& library = on.kept<convolution_library>();
  using found = decltype(library.find({}));
  if (c.geometry.n == 0 || as_matrix(c.geometry)) return found{nullptr};
  constexpr unsigned wanted = 16;
  return library.find({.pass = c.pass,
                       .type = ridgepoint::element_of<T>,
                       .geometry = c.geometry,
                       .alignment = (std::min)({wanted, alignment_of(c.image), alignment_of(c.output)}),
                       .may_use_tensor_floats = on.may_use_tensor_floats(),
                       .exact = c.algorithm != conv_algorithm::automatic && !is_winograd(c.algorithm),
                       .workspace_limit_bytes = on.workspace_limit_bytes()});
}

/// Returns the bytes of the filter in cuDNN's layout, (f, kh, kw, c / groups), the first part of the workspace. cuDNN
/// also plans for the strides of our layout, but with the same engines and the same memory: nothing documents that
/// these engines respect the strides.
template <class T>
[[nodiscard]] constexpr std::size_t turned_filter_bytes(const conv2d_geometry& g) noexcept {
  constexpr index_t line = 256;
  return static_cast<std::size_t>(round_up(g.filter_size() * static_cast<index_t>(sizeof(T)), line));
}

/// Returns the output pixels of all images.
[[nodiscard]] constexpr index_t outputs_of(const conv2d_geometry& g) noexcept { return g.n * g.oh() * g.ow(); }

/// Runs a plan. dw: destination of the filter's gradient in that pass, otherwise null.
template <class T>
void run_plan(cuda_context& on, const auto& plan, const convolution_call<T>& c, T* dw, void* workspace) {
  const index_t f = c.geometry.f, taps = c.geometry.filter_size() / f;
  const index_t count = ceil_div(taps, transposed_tile) * ceil_div(f, transposed_tile);
  const launch_shape tiles = on.rows(count, transposed_tile * transposed_tile);
  T* const turned = static_cast<T*>(workspace);
  if (dw == nullptr) on.launch(convolution_kernels<T>::transpose, tiles, taps, f, c.filter, turned);
  if (!on.rehearses())
    on.kept<convolution_library>().run(plan, c.image, turned, c.output,
                                       static_cast<std::byte*>(workspace) + turned_filter_bytes<T>(c.geometry));
  if (dw != nullptr) on.launch(convolution_kernels<T>::transpose, tiles, f, taps, turned, dw);
}

/// Returns the dense layer of an image that needs no copy, with bias and activation unless a separate pass adds them.
template <class T>
[[nodiscard]] dense_args<T> product_of(const conv2d_args<T>& a, const image_as_matrix& image) noexcept {
  const bool needs_finish = needs_finish_pass(a);
  return {.x = {a.x, image.rows, image.cols},
          .w = {a.w, image.cols, a.geometry.f},
          .bias = needs_finish ? nullptr : a.bias,
          .y = {a.y, image.rows, a.geometry.f},
          .act = needs_finish ? activation::none : a.act};
}

template <class Args>
  requires requires(const Args& a) { call_of(a); }
[[nodiscard]] std::size_t workspace_bytes(cuda_context& on, const Args& a) {
  const auto call = call_of(a);
  if constexpr (requires { product_of(a, image_as_matrix{}); })
    if (const auto image = as_matrix(a.geometry)) return workspace_bytes(on, product_of(a, *image));
  const auto* const plan = plan_of(on, call);
  using element = std::remove_cvref_t<decltype(*call.image)>;
  const std::size_t of_plan =
      plan == nullptr ? 0 : turned_filter_bytes<element>(call.geometry) + plan->workspace_bytes();
  if constexpr (requires { a.db; })
    if (a.db != nullptr)
      return (std::max)(of_plan, column_sums_bytes<element>(on, outputs_of(call.geometry), a.geometry.f));
  return of_plan;
}

/// y ← act(x ∗ w + bias + residual).
template <class T>
void execute(cuda_context& on, const conv2d_args<T>& a, void* workspace) {
  const conv2d_geometry& g = a.geometry;
  const index_t size = g.output_size();
  if (size == 0) return;
  const auto finish = [&](const T* bias, activation act) {
    if (bias != nullptr || act != activation::none || a.residual != nullptr)
      on.launch(convolution_kernels<T>::finish, on.loop(size), act, static_cast<compute_t<T>>(a.slope), size, g.f, bias,
                a.residual, a.y);
  };
  if (const auto image = as_matrix(g)) {
    execute(on, product_of(a, *image), workspace);
    if (needs_finish_pass(a)) finish(a.bias, a.act);
  } else if (const auto* const plan = plan_of(on, call_of(a))) {
    run_plan<T>(on, *plan, call_of(a), nullptr, workspace);
    finish(a.bias, a.act);
  } else {
    on.launch(convolution_kernels<T>::convolve, on.loop(size), a.act, static_cast<compute_t<T>>(a.slope), g, a.x, a.w,
              a.bias, a.residual, a.y);
  }
}

/// dx ← Σ dy·w over the outputs and taps that read each x.
template <class T>
void execute(cuda_context& on, const conv2d_backward_data_args<T>& a, void* workspace) {
  const conv2d_geometry& g = a.geometry;
  if (g.input_size() == 0) return;
  if (const auto image = as_matrix(g))
    execute(on,
            dense_backward_data_args<T>{
                .dy = {a.dy, image->rows, g.f}, .w = {a.w, image->cols, g.f}, .dx = {a.dx, image->rows, image->cols}},
            nullptr);
  else if (const auto* const plan = plan_of(on, call_of(a))) run_plan<T>(on, *plan, call_of(a), nullptr, workspace);
  else on.launch(convolution_kernels<T>::convolve_back, on.loop(g.input_size()), g, a.dy, a.w, a.dx);
}

/// dw ← Σ x·dy, and db ← Σ dy.
template <class T>
void execute(cuda_context& on, const conv2d_backward_weights_args<T>& a, void* workspace) {
  const conv2d_geometry& g = a.geometry;
  const index_t outputs = outputs_of(g), lanes = 32;
  if (const auto image = as_matrix(g)) {
    execute(on,
            dense_backward_weights_args<T>{.x = {a.x, image->rows, image->cols},
                                           .dy = {a.dy, image->rows, g.f},
                                           .dw = {a.dw, image->cols, g.f},
                                           .db = a.db},
            workspace);
    return;
  }
  if (const auto* const plan = plan_of(on, call_of(a))) run_plan<T>(on, *plan, call_of(a), a.dw, workspace);
  else
    on.launch(convolution_kernels<T>::convolution_weights,
              on.rows(g.filter_size() / g.f * ceil_div(g.f, lanes), lanes * outputs), g, a.x, a.dy, a.dw);
  column_sums<T>(on, {a.dy, outputs, g.f}, a.db, workspace);
}

/// y ← every channel of x convolved with its filters, one thread per output.
template <class T>
void execute(cuda_context& on, const depthwise_conv2d_args<T>& a, void*) {
  const depthwise_geometry& g = a.geometry;
  if (g.n != 0)
    on.launch(depthwise_kernels<T>::forward, on.loop(g.output_size()), windows_of(g), g.multiplier, g.f(), a.x, a.w,
              a.bias, a.y);
}
/// dx ← Σ dy·w; each input reads the outputs that depend on it, always in the same order.
template <class T>
void execute(cuda_context& on, const depthwise_conv2d_backward_data_args<T>& a, void*) {
  const depthwise_geometry& g = a.geometry;
  if (g.n != 0)
    on.launch(depthwise_kernels<T>::backward_data, on.loop(g.input_size()), windows_of(g), g.multiplier, a.dy, a.w,
              a.dx);
}

/// Filter taps that one thread sums at once; must match device/depthwise.hpp.
inline constexpr index_t taps_of_a_thread = 9;

/// Launch shapes over the outputs, with one column per group of filter taps, and over the filter's elements, with as
/// many parts.
struct depthwise_sums_shape {
  column_shape over_outputs, over_parts;

  depthwise_sums_shape(const cuda_context& on, const depthwise_geometry& g)
      : over_outputs(on.columns(g.n * g.oh() * g.ow(), ceil_div(g.kh * g.kw, taps_of_a_thread) * g.f())),
        over_parts(over_outputs) {
    const index_t tiles = ceil_div(g.filter_size(), static_cast<index_t>(over_parts.width));
    over_parts.threads.blocks = static_cast<unsigned>(tiles * over_parts.parts);
  }
};
/// Returns the bytes of two sums for every part of an element of the filter.
template <class T>
[[nodiscard]] std::size_t workspace_bytes(const cuda_context& on, const depthwise_conv2d_backward_weights_args<T>& a) {
  return column_parts_bytes<T>(depthwise_sums_shape(on, a.geometry).over_parts, a.geometry.filter_size());
}
/// Computes dw and db as sums over parts of the outputs, then sums the parts.
template <class T>
void execute(cuda_context& on, const depthwise_conv2d_backward_weights_args<T>& a, void* workspace) {
  const depthwise_geometry& g = a.geometry;
  const depthwise_sums_shape shape(on, g);
  auto* const parts = static_cast<compute_t<T>*>(workspace);
  on.launch(depthwise_kernels<T>::sums, shape.over_outputs.threads, windows_of(g), g.multiplier, g.f(),
            shape.over_outputs.width, a.x, a.dy, parts);
  gather_columns(on, shape.over_parts, g.filter_size(), parts, a.dw, a.db, a.db == nullptr ? index_t{0} : g.f());
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
