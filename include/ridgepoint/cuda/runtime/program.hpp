// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <ridgepoint/cuda/runtime/check.hpp>
#include <ridgepoint/cuda/runtime/device_text.hpp>
#include <ridgepoint/cuda/runtime/kernel.hpp>
#include <ridgepoint/cuda/runtime/nvrtc_builtins.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// A compiled header of device code, as machine code of one architecture or as PTX that a driver compiles, with the
/// symbols of its kernels.
struct device_code {
  std::vector<char> image;
  std::unordered_map<std::string, std::string> symbols;  // by NVRTC name expression
  std::string log;                                       // NVRTC's output
};

/// Returns whether a header's code may contract a product and a sum to one FMA. Element-wise ops may not: a chain of
/// them has the same bits as separate calls.
[[nodiscard]] inline bool contracts(const std::string& header) { return header != "elementwise" && header != "chain"; }

inline nvrtcResult destroy_program(nvrtcProgram program) { return nvrtcDestroyProgram(&program); }

/// Returns NVRTC's log of a program.
[[nodiscard]] inline std::string log_of(nvrtcProgram program) {
  std::size_t size = 0;
  if (nvrtcGetProgramLogSize(program, &size) != NVRTC_SUCCESS || size < 2) return "";
  std::string log(size - 1, ' ');
  return nvrtcGetProgramLog(program, log.data()) == NVRTC_SUCCESS ? log : "";
}

/// Compiles ridgepoint/cuda/device/`header`.hpp with these kernels for a target such as "sm_90", or to PTX for
/// "compute_90"; `options` are passed to NVRTC.
/// Throws: ridgepoint_cuda_failure with NVRTC's log.
[[nodiscard]] inline device_code compile_device_code(const std::string& header, std::span<const kernel_name> kernels,
                                                     const std::string& architecture,
                                                     std::span<const char* const> options = {}) {
  std::vector<const char*> names, texts;
  for (std::size_t i = 0; i < ridgepoint_device_text_count; ++i) {
    names.push_back(ridgepoint_device_texts[i].name);
    texts.push_back(ridgepoint_device_texts[i].text);
  }
  const std::string source = concat("#include <ridgepoint/cuda/device/", header, ".hpp>\n"), file = header + ".cu";
  const owned_handle<nvrtcProgram, destroy_program> program([&](nvrtcProgram* made) {
    check_call(nvrtcCreateProgram(made, source.c_str(), file.c_str(), static_cast<int>(names.size()), texts.data(),
                                  names.data()),
               "nvrtcCreateProgram");
  });
  for (const kernel_name& k : kernels)
    check_call(nvrtcAddNameExpression(program.get(), k.expression().c_str()), "nvrtcAddNameExpression");
  const std::string target = "--gpu-architecture=" + architecture;
  std::vector<const char*> all{target.c_str(), "--std=c++20",
                               "--device-as-default-execution-space"};  // for generic lambdas
  if (!contracts(header)) all.push_back("--fmad=false");
  all.insert(all.end(), options.begin(), options.end());
  load_nvrtc_builtins();
  const nvrtcResult compiled = nvrtcCompileProgram(program.get(), static_cast<int>(all.size()), all.data());
  device_code code{.image = {}, .symbols = {}, .log = log_of(program.get())};
  check_call(compiled, "nvrtcCompileProgram", code.log);

  std::size_t size = 0;
  if (architecture.starts_with("sm_")) {
    check_call(nvrtcGetCUBINSize(program.get(), &size), "nvrtcGetCUBINSize");
    code.image.resize(size);
    check_call(nvrtcGetCUBIN(program.get(), code.image.data()), "nvrtcGetCUBIN");
  } else {
    check_call(nvrtcGetPTXSize(program.get(), &size), "nvrtcGetPTXSize");
    code.image.resize(size);
    check_call(nvrtcGetPTX(program.get(), code.image.data()), "nvrtcGetPTX");
  }
  for (const kernel_name& k : kernels) {
    const char* symbol = nullptr;
    check_call(nvrtcGetLoweredName(program.get(), k.expression().c_str(), &symbol), "nvrtcGetLoweredName");
    code.symbols.emplace(k.expression(), symbol);
  }
  return code;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
