// SPDX-License-Identifier: MIT
// A fake NVRTC that compiles nothing: a kernel's symbol is its name expression.
#include <nvrtc.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <string_view>

#include "ledger.hpp"
#include "machine.hpp"
#include "stream.hpp"

struct _nvrtcProgram {
  std::string file = {};
  std::set<std::string> names = {};
  bool compiled = false, is_text = false;
  std::string log = "fake";
};

namespace {
constexpr std::array known{75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};

/// Returns whether the target suits the machine's GPU, and is PTX where it must be.
bool suits(std::string_view option) {
  constexpr std::string_view machine_code = "--gpu-architecture=sm_", text = "--gpu-architecture=compute_";
  const bool is_text = option.starts_with(text);
  const std::string number(option.substr((is_text ? text : machine_code).size()));
  const int wanted = 10 * fake::scenario().major + fake::scenario().minor;
  return std::ranges::count(known, std::atoi(number.c_str())) == 1 &&
         (is_text ? std::atoi(number.c_str()) < wanted : number == std::to_string(wanted));
}
/// Returns whether a file holds element-wise ops, which must round equally alone and in chains.
bool must_not_contract(const std::string& file) { return file == "elementwise.cu" || file == "chain.cu"; }
bool has(const std::string& option, int count, const char* const* options) {
  return std::find(options, options + count, option) != options + count;
}
}  // namespace

extern "C" {

nvrtcResult nvrtcVersion(int* major, int* minor) {
  *major = 13, *minor = 0;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcCreateProgram(nvrtcProgram* made, const char*, const char* file, int headers, const char* const*,
                               const char* const*) {
  if (fake::fails("nvrtcCreateProgram") || headers == 0) return NVRTC_ERROR_OUT_OF_MEMORY;
  *made = new _nvrtcProgram{.file = file};
  fake::made("nvrtcCreateProgram");
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
  delete *program;
  fake::gone("nvrtcCreateProgram");
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char* expression) {
  if (fake::fails("nvrtcAddNameExpression")) return NVRTC_ERROR_OUT_OF_MEMORY;
  program->names.insert(expression);
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char* const* options) {
  if (fake::fails("nvrtcCompileProgram")) return NVRTC_ERROR_COMPILATION;
  if (!fake::outside_recordings("nvrtcCompileProgram")) return NVRTC_ERROR_COMPILATION;
  if (count < 1 || !suits(options[0])) return NVRTC_ERROR_INVALID_OPTION;
  if (has("--fmad=false", count, options) != must_not_contract(program->file)) return NVRTC_ERROR_INVALID_OPTION;
  for (const std::string& name : program->names)
    if (fake::find_kernel(name) == nullptr) {
      program->log = "the emulator has no " + name;
      return NVRTC_ERROR_COMPILATION;
    }
  program->compiled = true;
  program->is_text = std::string_view(options[0]).find("compute_") != std::string_view::npos;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, std::size_t* size) {
  *size = program->log.size() + 1;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* log) {
  std::strcpy(log, program->log.c_str());
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, std::size_t* size) {
  if (fake::fails("nvrtcGetCUBINSize") || !program->compiled || program->is_text) return NVRTC_ERROR_INVALID_PROGRAM;
  *size = sizeof "fake";
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetCUBIN(nvrtcProgram, char* image) {
  if (fake::fails("nvrtcGetCUBIN")) return NVRTC_ERROR_INVALID_PROGRAM;
  std::strcpy(image, "fake");
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, std::size_t* size) {
  if (fake::fails("nvrtcGetPTXSize") || !program->compiled) return NVRTC_ERROR_INVALID_PROGRAM;
  *size = sizeof "fake";
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetPTX(nvrtcProgram, char* text) {
  if (fake::fails("nvrtcGetPTX")) return NVRTC_ERROR_INVALID_PROGRAM;
  std::strcpy(text, "fake");
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetNumSupportedArchs(int* count) {
  if (fake::fails("nvrtcGetNumSupportedArchs")) return NVRTC_ERROR_INVALID_INPUT;
  *count = static_cast<int>(known.size());
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetSupportedArchs(int* architectures) {
  if (fake::fails("nvrtcGetSupportedArchs")) return NVRTC_ERROR_INVALID_INPUT;
  std::ranges::reverse_copy(known, architectures);  // deliberately not sorted
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char* expression, const char** name) {
  if (fake::fails("nvrtcGetLoweredName")) return NVRTC_ERROR_INVALID_PROGRAM;
  const auto found = program->names.find(expression);
  if (found == program->names.end()) return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
  *name = found->c_str();
  return NVRTC_SUCCESS;
}
const char* nvrtcGetErrorString(nvrtcResult r) {
  return r == NVRTC_ERROR_COMPILATION      ? "NVRTC_ERROR_COMPILATION"
         : r == NVRTC_ERROR_INVALID_OPTION ? "NVRTC_ERROR_INVALID_OPTION"
                                           : "NVRTC_ERROR";
}

}  // extern "C"
