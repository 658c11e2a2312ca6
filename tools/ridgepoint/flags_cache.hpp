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

/// Returns the 64-bit FNV-1a hash of a text as 16 hexadecimal digits.
std::string hash_text(std::string_view text);

/// Hashes of file contents; reads each file once. Thread-safe.
class content_hashes {
 public:
  /// "" if the file cannot be read.
  std::string of(const std::string& file);

 private:
  std::mutex mutex_;
  std::map<std::string, std::string> known_;
};

/// The inputs of a build, stored with its programs: the command and the compiler's macros in `key`, and the hash of
/// every source and header.
struct build_record {
  std::string key;
  double compile_s = 0;
  std::map<std::string, std::string> contents = {};

  /// Returns true if the files have not changed.
  [[nodiscard]] bool holds(content_hashes& now) const;
  /// Throws: ridgepoint::data_error if it cannot be written.
  void save(const std::filesystem::path& folder) const;
  /// Returns nullopt if the record is missing or damaged.
  static std::optional<build_record> load(const std::filesystem::path& folder);
};

}  // namespace tool
