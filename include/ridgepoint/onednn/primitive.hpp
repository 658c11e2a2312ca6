// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <dnnl_debug.h>
#include <dnnl.hpp>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/view.hpp>

/// \file
/// The only file that depends on the oneDNN version: 2.x describes an operation in two steps, 3.x in one.

namespace ridgepoint::inline RIDGEPOINT_ABI::onednn_detail {

/// Calls f() and rethrows oneDNN's exception as ours: "oneDNN: matmul: unimplemented (could not create a primitive
/// descriptor …)".
/// Throws: backend_error.
template <class F>
decltype(auto) call(const char* what, F&& f) {
  try {
    return f();
  } catch (const dnnl::error& e) {
    throw backend_error(concat("oneDNN: ", what, ": ", dnnl_status2str(e.status), " (", e.what(), ')'));
  }
}

/// Returns the implementation oneDNN chooses for an operation: Primitive is dnnl::matmul and the like, `description`
/// its arguments in the order that both versions share.
template <class Primitive, class... Description>
typename Primitive::primitive_desc describe(const dnnl::engine& engine, const dnnl::primitive_attr& attributes,
                                            const Description&... description) {
#if DNNL_VERSION_MAJOR >= 3
  return {engine, description..., attributes};
#else
  return {typename Primitive::desc(description...), attributes, engine};
#endif
}

/// Returns the implementation for a backward operation, which needs its forward operation.
template <class Primitive, class Forward, class... Description>
typename Primitive::primitive_desc describe_backward(const dnnl::engine& engine, const Forward& forward,
                                                     const Description&... description) {
#if DNNL_VERSION_MAJOR >= 3
  return {engine, description..., forward};
#else
  return {typename Primitive::desc(description...), engine, forward};
#endif
}

/// y ← f(x), element by element.
inline dnnl::eltwise_forward::primitive_desc describe_eltwise(const dnnl::engine& engine, dnnl::algorithm f,
                                                              const dnnl::memory::desc& data, float alpha, float beta) {
#if DNNL_VERSION_MAJOR >= 3
  return {engine, dnnl::prop_kind::forward_training, f, data, data, alpha, beta};
#else
  return {{dnnl::prop_kind::forward_training, f, data, alpha, beta}, engine};
#endif
}
/// dx ← f'(y)·dy; f is one of the algorithms that use the output.
inline dnnl::eltwise_backward::primitive_desc describe_eltwise_backward(const dnnl::engine& engine, dnnl::algorithm f,
                                                                        const dnnl::memory::desc& data, float alpha,
                                                                        float beta) {
  const auto forward = describe_eltwise(engine, f, data, alpha, beta);
#if DNNL_VERSION_MAJOR >= 3
  return {engine, f, data, data, data, alpha, beta, forward};
#else
  return {{f, data, data, alpha, beta}, engine, forward};
#endif
}

/// mean, variance, y ← of x; or y only, from given mean and variance.
inline dnnl::batch_normalization_forward::primitive_desc describe_batch_norm(const dnnl::engine& engine,
                                                                             dnnl::prop_kind pass,
                                                                             const dnnl::memory::desc& data,
                                                                             float epsilon,
                                                                             dnnl::normalization_flags flags) {
#if DNNL_VERSION_MAJOR >= 3
  return {engine, pass, data, data, epsilon, flags};
#else
  return {{pass, data, epsilon, flags}, engine};
#endif
}
/// dx, dgamma, dbeta ← of dy.
inline dnnl::batch_normalization_backward::primitive_desc describe_batch_norm_backward(
    const dnnl::engine& engine, const dnnl::memory::desc& data, float epsilon, dnnl::normalization_flags flags) {
  const auto forward = describe_batch_norm(engine, dnnl::prop_kind::forward_training, data, epsilon, flags);
#if DNNL_VERSION_MAJOR >= 3
  return {engine, dnnl::prop_kind::backward, data, data, data, epsilon, flags, forward};
#else
  return {{dnnl::prop_kind::backward, data, data, epsilon, flags}, engine, forward};
#endif
}
/// y, mean, variance ← of the rows of x; y only for inference.
inline dnnl::layer_normalization_forward::primitive_desc describe_layer_norm(
    const dnnl::engine& engine, dnnl::prop_kind pass, const dnnl::memory::desc& data,
    const dnnl::memory::desc& statistic, float epsilon, dnnl::normalization_flags flags) {
#if DNNL_VERSION_MAJOR >= 3
  return {engine, pass, data, data, statistic, epsilon, flags};
#else
  return {{pass, data, statistic, epsilon, flags}, engine};
#endif
}
/// dx, dgamma, dbeta ← of dy.
inline dnnl::layer_normalization_backward::primitive_desc describe_layer_norm_backward(
    const dnnl::engine& engine, const dnnl::memory::desc& data, const dnnl::memory::desc& statistic, float epsilon,
    dnnl::normalization_flags flags) {
  const auto forward = describe_layer_norm(engine, dnnl::prop_kind::forward_training, data, statistic, epsilon, flags);
#if DNNL_VERSION_MAJOR >= 3
  return {engine, dnnl::prop_kind::backward, data, data, data, statistic, epsilon, flags, forward};
#else
  return {{dnnl::prop_kind::backward, data, data, statistic, epsilon, flags}, engine, forward};
#endif
}
/// Σ scales[i]·operand i, all with the same layout.
inline dnnl::sum::primitive_desc describe_sum(const dnnl::engine& engine, const dnnl::memory::desc& data,
                                              const std::vector<float>& scales) {
  const std::vector<dnnl::memory::desc> operands(scales.size(), data);
#if DNNL_VERSION_MAJOR >= 3
  return {engine, data, scales, operands};
#else
  return {data, scales, operands, engine};
#endif
}

#if DNNL_VERSION_MAJOR >= 3
using dnnl::pooling_backward;
using dnnl::pooling_forward;
using dnnl::softmax_forward;
#else
using pooling_backward = dnnl::pooling_v2_backward;
using pooling_forward = dnnl::pooling_v2_forward;
using softmax_forward = dnnl::softmax_v2_forward;
#endif

inline void append_eltwise(dnnl::post_ops& ops, dnnl::algorithm f, float alpha, float beta) {
#if DNNL_VERSION_MAJOR >= 3
  ops.append_eltwise(f, alpha, beta);
#else
  ops.append_eltwise(1.0F, f, alpha, beta);
#endif
}

/// Uses the C API, because the C++ API builds a map at every call.
inline void execute(const dnnl::primitive& primitive, const dnnl::stream& stream,
                    const std::vector<dnnl_exec_arg_t>& arguments) {
  call("execute", [&] {
    dnnl::error::wrap_c_api(
        dnnl_primitive_execute(primitive.get(), stream.get(), static_cast<int>(arguments.size()), arguments.data()),
        "could not execute a primitive");
  });
}
/// Returns the library's name of the implementation; valid while the primitive exists.
inline const char* name_of(const dnnl::primitive& primitive) {
  const char* name = "";
  call("query", [&] {
    const_dnnl_primitive_desc_t described = nullptr;
    dnnl::error::wrap_c_api(dnnl_primitive_get_primitive_desc(primitive.get(), &described), "could not get the desc");
    dnnl::error::wrap_c_api(dnnl_primitive_desc_query(described, dnnl_query_impl_info_str, 0, &name),
                            "could not get the name of an implementation");
  });
  return name;
}
inline void set_pointer(const dnnl::memory& memory, void* data) {
  call("set_data_handle",
       [&] { dnnl::error::wrap_c_api(dnnl_memory_set_data_handle(memory.get(), data), "could not set the pointer"); });
}

/// Arguments of a primitive: the library's number of each role, and its memory.
using primitive_arguments = std::vector<std::pair<int, dnnl::memory>>;

/// Returns the values of a memory; for an operand, the values of the current run.
[[nodiscard]] inline float* values_of(const dnnl::memory& m) { return static_cast<float*>(m.get_data_handle()); }

/// Primitives that run in order on shared operands: created once per shape, run with new pointers at each call without
/// allocating.
class recipe {
 public:
  explicit recipe(dnnl::engine engine) : engine_(std::move(engine)) {}

  /// Adds the next operand, whose pointer is an argument of run().
  dnnl::memory operand(const dnnl::memory::desc& layout) { return operands_.emplace_back(layout, engine_, nullptr); }
  /// Returns memory that the recipe owns.
  dnnl::memory scratch(const dnnl::memory::desc& layout) { return scratch_.emplace_back(layout, engine_); }
  /// Returns zeroed memory that the recipe owns; read-only.
  dnnl::memory zeros(const dnnl::memory::desc& layout) {
    dnnl::memory made = scratch(layout);
    std::memset(values_of(made), 0, layout.get_size());
    return made;
  }

  void then(dnnl::primitive primitive, const primitive_arguments& arguments) {
    if (algorithm_.empty()) algorithm_ = name_of(primitive);
    append(std::move(primitive), arguments);
  }
  /// Adds a helper step, which does not name the recipe.
  void then_aside(dnnl::primitive primitive, const primitive_arguments& arguments) {
    append(std::move(primitive), arguments);
  }
  /// Adds a step without a library primitive. It must not allocate; it gets memory by values_of() when it runs.
  void then_ours(std::function<void()> compute) { steps_.push_back({{}, {}, std::move(compute)}); }
  /// Appends to the recipe's name: "brgemm:avx2 after …".
  void also(std::string_view what) { algorithm_ += what; }
  void then_reorder(const dnnl::memory& from, const dnnl::memory& to) {
    append(dnnl::reorder(from, to), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
  }
  /// Returns the library's name of the first primitive that computes: "brgemm:avx2". Valid while the recipe exists.
  [[nodiscard]] const char* algorithm() const noexcept { return algorithm_.c_str(); }

  /// Returns `from` in another layout, converted at every run; `from` itself if it has that layout.
  dnnl::memory converted(const dnnl::memory& from, const dnnl::memory::desc& to) {
    if (from.get_desc() == to) return from;
    dnnl::memory result = scratch(to);
    then_reorder(from, result);
    return result;
  }
  /// Returns memory for computing `to` in another layout, for deliver(); `to` itself if it has that layout.
  dnnl::memory computed(const dnnl::memory& to, const dnnl::memory::desc& in) {
    return to.get_desc() == in ? to : scratch(in);
  }
  void deliver(const dnnl::memory& computed, const dnnl::memory& to) {
    if (computed != to) then_reorder(computed, to);
  }
  /// Returns the number of primitives and conversions.
  [[nodiscard]] std::size_t steps() const noexcept { return steps_.size(); }

  /// Throws: backend_error.
  void run(const dnnl::stream& stream, std::span<const void* const> pointers) {
    RIDGEPOINT_ASSERT(pointers.size() == operands_.size());
    std::size_t i = 0;
    for (const void* p : pointers) set_pointer(operands_[i++], const_cast<void*>(p));
    for (const step& s : steps_)
      if (s.ours) s.ours();
      else execute(s.primitive, stream, s.arguments);
  }
  /// Returns zeroed memory for each operand.
  [[nodiscard]] std::vector<std::vector<float>> placeholder_addresses() const {
    std::vector<std::vector<float>> all;
    for (const dnnl::memory& m : operands_)
      all.emplace_back((m.get_desc().get_size() + sizeof(float) - 1) / sizeof(float));
    return all;
  }

 private:
  struct step {
    dnnl::primitive primitive;
    std::vector<dnnl_exec_arg_t> arguments;
    std::function<void()> ours;
  };
  void append(dnnl::primitive primitive, const primitive_arguments& arguments) {
    step& s = steps_.emplace_back(step{std::move(primitive), {}, {}});
    for (const auto& [role, memory] : arguments) s.arguments.push_back({role, memory.get()});
  }

  dnnl::engine engine_;
  std::vector<dnnl::memory> operands_, scratch_;
  std::vector<step> steps_;
  std::string algorithm_;
};

/// Returns the fastest recipe of a call. Recipes run in turn on separate memory: one warm-up round, then up to ten
/// timed rounds within 0.1 s; the best run of each counts.
inline recipe fastest(std::vector<recipe> recipes, const dnnl::stream& stream) {
  using clock = std::chrono::steady_clock;
  if (recipes.size() == 1) return std::move(recipes[0]);
  const std::vector<std::vector<float>> memory = recipes[0].placeholder_addresses();
  std::vector<const void*> pointers;
  pointers.reserve(memory.size());
  for (const std::vector<float>& operand : memory) pointers.push_back(operand.data());
  std::vector<clock::duration> best(recipes.size(), (clock::duration::max)());
  const auto begin = clock::now();
  const auto in_time = [&] { return clock::now() - begin < std::chrono::milliseconds(100); };
  for (int round = 0; round <= 10 && (round <= 1 || in_time()); ++round)
    for (std::size_t i = 0; i < recipes.size(); ++i) {
      const auto start = clock::now();
      recipes[i].run(stream, pointers);
      if (round > 0) best[i] = (std::min)(best[i], clock::now() - start);
    }
  return std::move(recipes[static_cast<std::size_t>(std::ranges::min_element(best) - best.begin())]);
}

/// Returns a matrix's strides for the library. An extent of one gets a stride that looks dense, which the library
/// requires; our ops ignore that stride.
template <class T>
dnnl::memory::dims strides_of(const matrix_view<T>& v) {
  const index_t row_stride = v.rows > 1 ? v.row_stride : std::max<index_t>(1, v.cols * (v.cols > 1 ? v.col_stride : 1));
  const index_t col_stride = v.cols > 1                     ? v.col_stride
                             : v.rows > 1 && row_stride > 1 ? 1
                                                            : std::max<index_t>(1, v.rows);
  return {row_stride, col_stride};
}
/// Returns a matrix's layout for the library.
inline dnnl::memory::desc layout(const matrix_view<const float>& v) {
  return {{v.rows, v.cols}, dnnl::memory::data_type::f32, strides_of(v)};
}
/// Returns the layout of `size` adjacent elements.
inline dnnl::memory::desc layout(index_t size) { return {{size}, dnnl::memory::data_type::f32, {1}}; }
/// Returns the layout of an image (n, h, w, c), whose extents the library orders channels first.
inline dnnl::memory::desc image_layout(index_t n, index_t h, index_t w, index_t c,
                                       dnnl::memory::data_type type = dnnl::memory::data_type::f32) {
  return {{n, c, h, w}, type, dnnl::memory::format_tag::nhwc};
}
/// Returns a matrix's layout that the library chooses.
inline dnnl::memory::desc any_layout(index_t rows, index_t cols) {
  return {{rows, cols}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::any};
}

/// Key of a recipe: the op and everything that is not a pointer.
struct recipe_key {
  std::array<index_t, 21> values{};
  friend bool operator==(const recipe_key&, const recipe_key&) = default;
};
struct recipe_hash {
  std::size_t operator()(const recipe_key& key) const noexcept {
    std::uint64_t h = 0x9E3779B97F4A7C15;
    for (const index_t v : key.values) h = (h ^ static_cast<std::uint64_t>(v)) * 0xBF58476D1CE4E5B9, h ^= h >> 29;
    return h;
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::onednn_detail
