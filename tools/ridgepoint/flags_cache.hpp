// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace tool {

/// 64 bits of a text (FNV-1a) as 16 hexadecimal digits.
std::string hash_text(std::string_view text);

/// Hashes of the contents of files, each of which is read once. May be asked by several threads.
class content_hashes {
 public:
  /// "" if the file cannot be read.
  std::string of(const std::string& file);

 private:
  std::mutex mutex_;
  std::map<std::string, std::string> known_;
};

/// What a build was made from, kept beside its programs: the command and the compiler's macros in `key`, and the hash
/// of every source and header.
struct build_record {
  std::string key;
  double compile_s = 0;
  std::map<std::string, std::string> contents = {};

  /// Whether the files are still the same.
  [[nodiscard]] bool holds(content_hashes& now) const;
  /// Throws: ridgepoint::data_error if it cannot be written.
  void save(const std::filesystem::path& folder) const;
  /// Nothing if there is none or it is damaged.
  static std::optional<build_record> load(const std::filesystem::path& folder);
};

}  // namespace tool
