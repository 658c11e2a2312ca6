// SPDX-License-Identifier: MIT
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <system_error>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/files.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// An ordinary file open for reading, whose size is known before anything is read.
///
/// Directories, pipes and devices are refused: they have no size to hold a header against, and may never end.
/// Throws: data_error with the file and the reason.
class input_file {
 public:
  explicit input_file(const std::string& name) : name_(name) {
    const detail::file_status status = detail::status_of(name);
    require<data_error>(status.exists, name_, ": no such file; must exist");
    require<data_error>(status.regular, name_, ": not an ordinary file; must be one");
    size_ = status.bytes;
    file_.reset(std::fopen(name.c_str(), "rb"));
    require<data_error>(file_ != nullptr, name_, ": cannot be opened: ", std::generic_category().message(errno),
                        "; must be readable");
  }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return size_; }
  /// Reads up to `bytes`; fewer only at the end of the file.
  std::size_t read(void* dst, std::size_t bytes) {
    const std::size_t count = bytes == 0 ? 0 : std::fread(dst, 1, bytes, file_.get());
    require<data_error>(std::ferror(file_.get()) == 0, name_,
                        ": reading failed: ", std::generic_category().message(errno));
    return count;
  }

 private:
  struct close {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };
  std::string name_;
  std::unique_ptr<std::FILE, close> file_;
  std::uint64_t size_ = 0;
};

/// Throws: data_error if the file is larger than `most` bytes.
inline void check_size(const input_file& file, std::uint64_t most) {
  require<data_error>(file.size_bytes() <= most, file.name(), ": has ", file.size_bytes(), " bytes; must have at most ",
                      most);
}
/// The whole of a file of at most `most` bytes.
/// Throws: data_error if it cannot be read or is larger.
[[nodiscard]] inline std::string read_file(const std::string& name, std::uint64_t most) {
  input_file file(name);
  check_size(file, most);
  std::string text(file.size_bytes(), '\0');
  text.resize(file.read(text.data(), text.size()));
  return text;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
