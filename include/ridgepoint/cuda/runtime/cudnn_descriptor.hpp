// SPDX-License-Identifier: MIT
#pragma once

#include <cudnn.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include <ridgepoint/cuda/runtime/check.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

inline void check_call(cudnnStatus_t status, std::string_view call) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  std::array<char, 512> said{};
  cudnnGetLastErrorString(said.data(), said.size() - 1);
  fail_in("cuDNN", call, status, cudnnGetErrorString(status), said.data());
}

/// cuDNN's attribute type for a C++ type.
template <class Value>
[[nodiscard]] constexpr cudnnBackendAttributeType_t cudnn_type_of() noexcept {
  if constexpr (std::is_same_v<Value, std::int64_t>) return CUDNN_TYPE_INT64;
  else if constexpr (std::is_same_v<Value, float>) return CUDNN_TYPE_FLOAT;
  else if constexpr (std::is_same_v<Value, double>) return CUDNN_TYPE_DOUBLE;
  else if constexpr (std::is_same_v<Value, char>) return CUDNN_TYPE_CHAR;
  else if constexpr (std::is_same_v<Value, void*>) return CUDNN_TYPE_VOID_PTR;
  else if constexpr (std::is_same_v<Value, cudnnHandle_t>) return CUDNN_TYPE_HANDLE;
  else if constexpr (std::is_same_v<Value, cudnnDataType_t>) return CUDNN_TYPE_DATA_TYPE;
  else if constexpr (std::is_same_v<Value, cudnnConvolutionMode_t>) return CUDNN_TYPE_CONVOLUTION_MODE;
  else if constexpr (std::is_same_v<Value, cudnnBackendHeurMode_t>) return CUDNN_TYPE_HEUR_MODE;
  else if constexpr (std::is_same_v<Value, cudnnBackendNumericalNote_t>) return CUDNN_TYPE_NUMERICAL_NOTE;
  else {
    static_assert(std::is_same_v<Value, cudnnBackendBehaviorNote_t>, "no attribute has this type");
    return CUDNN_TYPE_BEHAVIOR_NOTE;
  }
}

/// A descriptor of cuDNN's graph API: created by kind, set by attributes, finalised.
class cudnn_descriptor {
 public:
  explicit cudnn_descriptor(cudnnBackendDescriptorType_t kind)
      : held_([&](cudnnBackendDescriptor_t* made) {
          check_call(cudnnBackendCreateDescriptor(kind, made), "cudnnBackendCreateDescriptor");
        }) {}
  [[nodiscard]] cudnnBackendDescriptor_t get() const noexcept { return held_.get(); }

  template <class Value>
  void set(cudnnBackendAttributeName_t what, std::span<const Value> values) {
    set(what, cudnn_type_of<Value>(), static_cast<std::int64_t>(values.size()), values.data());
  }
  template <class Value>
  void set(cudnnBackendAttributeName_t what, const Value& value) {
    set(what, std::span<const Value>(&value, 1));
  }
  void set(cudnnBackendAttributeName_t what, const cudnn_descriptor& other) {
    const cudnnBackendDescriptor_t one = other.get();
    set(what, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &one);
  }
  void finalise(std::string_view call) { check_call(cudnnBackendFinalize(get()), call); }
  /// Finalises the descriptor; returns false if cuDNN does not support it. Throws on any other error.
  [[nodiscard]] bool finalise_unless_refused(std::string_view call) {
    const cudnnStatus_t status = cudnnBackendFinalize(get());
    if (status / 1000 == CUDNN_STATUS_NOT_SUPPORTED / 1000) return false;
    check_call(status, call);
    return true;
  }

  /// Returns up to `most` values of an attribute.
  template <class Value>
  [[nodiscard]] std::vector<Value> values(cudnnBackendAttributeName_t what, std::int64_t most) const {
    std::vector<Value> found(static_cast<std::size_t>(most));
    std::int64_t count = 0;
    check_call(cudnnBackendGetAttribute(get(), what, cudnn_type_of<Value>(), most, &count, found.data()),
               "cudnnBackendGetAttribute");
    found.resize(static_cast<std::size_t>((std::min)(count, most)));
    return found;
  }
  [[nodiscard]] std::int64_t number(cudnnBackendAttributeName_t what) const {
    return values<std::int64_t>(what, 1).at(0);
  }
  /// Returns up to `most` descriptors of this kind held by an attribute.
  [[nodiscard]] std::vector<cudnn_descriptor> parts(cudnnBackendAttributeName_t what, cudnnBackendDescriptorType_t kind,
                                                    std::int64_t most) const {
    std::vector<cudnn_descriptor> found;
    std::vector<cudnnBackendDescriptor_t> handles;
    for (std::int64_t i = 0; i < most; ++i) handles.push_back(found.emplace_back(kind).get());
    std::int64_t count = 0;
    check_call(cudnnBackendGetAttribute(get(), what, CUDNN_TYPE_BACKEND_DESCRIPTOR, most, &count, handles.data()),
               "cudnnBackendGetAttribute");
    while (static_cast<std::int64_t>(found.size()) > count) found.pop_back();
    return found;
  }

 private:
  void set(cudnnBackendAttributeName_t what, cudnnBackendAttributeType_t type, std::int64_t count, const void* values) {
    check_call(cudnnBackendSetAttribute(get(), what, type, count, values), "cudnnBackendSetAttribute");
  }

  owned_handle<cudnnBackendDescriptor_t, cudnnBackendDestroyDescriptor> held_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
