// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace measurement {

/// Extension of x86-64: the flag that enables it, the macro that the compiler then defines, and Linux's name for it
/// in /proc/cpuinfo.
struct cpu_feature {
  std::string_view flag, macro, in_cpuinfo;
};

inline constexpr cpu_feature cpu_features[] = {{"-msse3", "__SSE3__", "pni"},
                                               {"-mssse3", "__SSSE3__", "ssse3"},
                                               {"-msse4.1", "__SSE4_1__", "sse4_1"},
                                               {"-msse4.2", "__SSE4_2__", "sse4_2"},
                                               {"-mpopcnt", "__POPCNT__", "popcnt"},
                                               {"-mavx", "__AVX__", "avx"},
                                               {"-mf16c", "__F16C__", "f16c"},
                                               {"-mfma", "__FMA__", "fma"},
                                               {"-mfma4", "__FMA4__", "fma4"},
                                               {"-mxop", "__XOP__", "xop"},
                                               {"-mavx2", "__AVX2__", "avx2"},
                                               {"-mbmi", "__BMI__", "bmi1"},
                                               {"-mbmi2", "__BMI2__", "bmi2"},
                                               {"-mlzcnt", "__LZCNT__", "abm"},
                                               {"-mmovbe", "__MOVBE__", "movbe"},
                                               {"-madx", "__ADX__", "adx"},
                                               {"-maes", "__AES__", "aes"},
                                               {"-mvaes", "__VAES__", "vaes"},
                                               {"-mgfni", "__GFNI__", "gfni"},
                                               {"-mavxvnni", "__AVXVNNI__", "avx_vnni"},
                                               {"-mavx512f", "__AVX512F__", "avx512f"},
                                               {"-mavx512cd", "__AVX512CD__", "avx512cd"},
                                               {"-mavx512dq", "__AVX512DQ__", "avx512dq"},
                                               {"-mavx512bw", "__AVX512BW__", "avx512bw"},
                                               {"-mavx512vl", "__AVX512VL__", "avx512vl"},
                                               {"-mavx512er", "__AVX512ER__", "avx512er"},
                                               {"-mavx512ifma", "__AVX512IFMA__", "avx512ifma"},
                                               {"-mavx512vbmi", "__AVX512VBMI__", "avx512vbmi"},
                                               {"-mavx512vbmi2", "__AVX512VBMI2__", "avx512_vbmi2"},
                                               {"-mavx512vnni", "__AVX512VNNI__", "avx512_vnni"},
                                               {"-mavx512bf16", "__AVX512BF16__", "avx512_bf16"},
                                               {"-mavx512fp16", "__AVX512FP16__", "avx512_fp16"},
                                               {"-mamx-tile", "__AMX_TILE__", "amx_tile"},
                                               {"-mamx-int8", "__AMX_INT8__", "amx_int8"},
                                               {"-mamx-bf16", "__AMX_BF16__", "amx_bf16"}};

/// Returns the names that `-dM -E` prints: "#define __AVX__ 1" defines __AVX__.
inline std::set<std::string> defined_macros(const std::string& printed) {
  std::set<std::string> names;
  std::istringstream lines(printed);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string define, name;
    if (words >> define >> name && define == "#define") names.insert(name);
  }
  return names;
}

/// Returns the features that these macros enable and this cpuinfo lacks: {"avx512f", "avx512bw"}.
inline std::vector<std::string> lacking_features(const std::set<std::string>& macros, const std::string& cpuinfo) {
  const std::string words = ' ' + cpuinfo + ' ';
  std::vector<std::string> lacking;
  for (const cpu_feature& feature : cpu_features) {
    const bool has = words.find(' ' + std::string(feature.in_cpuinfo) + ' ') != std::string::npos;
    if (macros.contains(std::string(feature.macro)) && !has) lacking.emplace_back(feature.in_cpuinfo);
  }
  return lacking;
}

/// Returns flags for an extension that another flag disables: {"-mavx2"} of -mavx2 -mno-avx. GCC and Clang accept
/// such a pair silently, and the code does not match the flags.
inline std::vector<std::string> revoked_flags(const std::vector<std::string>& flags,
                                              const std::set<std::string>& macros) {
  std::vector<std::string> revoked;
  for (const cpu_feature& feature : cpu_features)
    if (std::ranges::find(flags, feature.flag) != flags.end() && !macros.contains(std::string(feature.macro)))
      revoked.emplace_back(feature.flag);
  return revoked;
}

}  // namespace measurement
