// SPDX-License-Identifier: MIT
// cuda_properties: prints this machine's GPU as cuDNN describes it, in the JSON format of described.hpp. Exit codes: 0
// printed, 1 cuDNN failed, 77 no GPU.
#include <cuda_runtime_api.h>

#include <exception>
#include <iostream>

#include "properties.hpp"

namespace {

using ridgepoint::detail::check_call;
using library = ridgepoint::detail::owned_handle<cudnnHandle_t, cudnnDestroy>;

std::string json_of_this_device() {
  const library made([](cudnnHandle_t* handle) { check_call(cudnnCreate(handle), "cudnnCreate"); });
  ridgepoint::detail::cudnn_descriptor device(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
  device.set(CUDNN_ATTR_DEVICEPROP_HANDLE, made.get());
  device.finalise("cudnnBackendFinalize of this device");
  return described::json_of(device);
}

}  // namespace

int main() {
  int count = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&count); error != cudaSuccess || count == 0) {
    std::cerr << "no GPU: " << cudaGetErrorString(error) << '\n';
    return 77;
  }
  try {
    std::cout << json_of_this_device() << '\n';
    return 0;
  } catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
  }
}
