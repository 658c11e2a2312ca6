// SPDX-License-Identifier: MIT
#pragma once

#include <dlfcn.h>
#include <link.h>
#include <nvrtc.h>

#include <string>

#include <ridgepoint/core/concat.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Returns the folder a loaded library came from; "" if no library of this name is loaded.
[[nodiscard]] inline std::string folder_of_loaded(const std::string& name) {
  void* const library = dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return "";
  const link_map* map = nullptr;
  const std::string path = dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 ? map->l_name : "";
  dlclose(library);
  return path.substr(0, path.rfind('/') + 1);
}

/// Loads NVRTC's builtins from the folder of the loaded NVRTC, once per process. NVRTC asks the loader for them by
/// name, which does not find them in a Python package. NVRTC itself reports what remains missing, when it compiles.
inline void load_nvrtc_builtins() {
  [[maybe_unused]] static void* const builtins = []() -> void* {
    int major = 0, minor = 0;
    if (nvrtcVersion(&major, &minor) != NVRTC_SUCCESS) return nullptr;
    const std::string folder = folder_of_loaded(concat("libnvrtc.so.", major));
    if (folder.empty()) return nullptr;
    return dlopen(concat(folder, "libnvrtc-builtins.so.", major, '.', minor).c_str(), RTLD_LAZY | RTLD_LOCAL);
  }();
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
