// SPDX-License-Identifier: MIT
// The component ridgepoint::cuda, loaded on demand: the command also runs without CUDA's libraries.
#include <dlfcn.h>

#include <filesystem>
#include <string>

#include <ridgepoint/cuda/cuda.hpp>

#include "own_program.hpp"

namespace {

std::string why_not;

/// Replaces the component if it cannot be loaded: reports a machine without a GPU.
const ridgepoint_cuda_api* nothing() {
  static ridgepoint_cuda_api api{};
  api.version = RIDGEPOINT_VERSION;
  api.device_count = [] { return 0; };
  api.why_none = [] { return why_not.c_str(); };
  api.count = ridgepoint::cuda_ops::size;
  return &api;
}

const ridgepoint_cuda_api* load() {
  const std::filesystem::path program = tool::own_program();
  const auto file = program.parent_path().parent_path() / "lib" / "ridgepoint" / "libridgepoint_cuda.so";
  if (!std::filesystem::exists(file)) {
    why_not = "this build was made without CUDA's libraries";
    return nothing();
  }
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const entry = library == nullptr ? nullptr : ::dlsym(library, "ridgepoint_cuda_plugin");
  if (entry == nullptr) {
    why_not = ::dlerror();
    return nothing();
  }
  return reinterpret_cast<const ridgepoint_cuda_api* (*)()>(entry)();
}

}  // namespace

extern "C" const ridgepoint_cuda_api* ridgepoint_cuda() {
  static const ridgepoint_cuda_api* const loaded = load();
  return loaded;
}
