// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <initializer_list>
#include <utility>
#include <vector>

#include <dnnl_debug.h>
#include <dnnl.hpp>

#include <ridgepoint/core/error.hpp>

/// \file
/// The only file that knows which oneDNN it is: 2.x describes an operation in two steps, 3.x in one.

namespace ridgepoint::inline RIDGEPOINT_ABI::onednn_detail {

/// f(), with oneDNN's exception as ours: "oneDNN: matmul: unimplemented (could not create a primitive descriptor …)".
/// Throws: backend_error.
template <class F>
decltype(auto) call(const char* what, F&& f) {
  try {
    return f();
  } catch (const dnnl::error& e) {
    throw backend_error(concat("oneDNN: ", what, ": ", dnnl_status2str(e.status), " (", e.what(), ')'));
  }
}

/// The implementation oneDNN picks for an operation: Primitive is dnnl::matmul and the like, `description` its
/// arguments in the order both versions share.
template <class Primitive, class... Description>
typename Primitive::primitive_desc describe(const dnnl::engine& engine, const dnnl::primitive_attr& attributes,
                                            const Description&... description) {
#if DNNL_VERSION_MAJOR >= 3
  return {engine, description..., attributes};
#else
  return {typename Primitive::desc(description...), attributes, engine};
#endif
}

/// The same for a backward operation, which must know the forward one it belongs to.
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
/// dx ← f'(y)·dy; f is one of the algorithms that need the output.
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

/// mean, variance, y ← of x; or y alone, from a mean and a variance that are given.
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
/// y, mean, variance ← of the rows of x; of inference y alone.
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
/// Σ scales[i]·operand i, all of one layout.
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

/// The C entry points, because the C++ ones build a map at every call.
inline void execute(const dnnl::primitive& primitive, const dnnl::stream& stream,
                    const std::vector<dnnl_exec_arg_t>& arguments) {
  call("execute", [&] {
    dnnl::error::wrap_c_api(
        dnnl_primitive_execute(primitive.get(), stream.get(), static_cast<int>(arguments.size()), arguments.data()),
        "could not execute a primitive");
  });
}
/// What the library calls its implementation; lives as long as the primitive.
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::onednn_detail
