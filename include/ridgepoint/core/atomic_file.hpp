// SPDX-License-Identifier: MIT
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#if __has_include(<unistd.h>)
#include <sys/stat.h>
#include <unistd.h>
#endif

#include <ridgepoint/core/error.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A file that appears whole or not at all: bytes go into a new file beside the target, commit() renames it over the
/// target, whose permissions it takes, and without commit() it is removed and the target stays as it was.
///
/// A target that is a device or a pipe is written directly, since it must not be replaced by a file; so is the standard
/// output (/dev/stdout), after what was printed there, even where it is a file.
/// Throws: data_error with the file and the system's reason: no such directory, read-only, no space left.
/// Example:
///   rp::atomic_file file("run.json");
///   file.write(text);
///   file.commit();
class atomic_file {
 public:
  explicit atomic_file(const std::filesystem::path& target) : target_(target) {
    bool replaces = true;
    std::error_code failure;
    const auto status = std::filesystem::status(target, failure);
    require<data_error>(!std::filesystem::is_directory(status), "write: ", target.string(),
                        " is a directory; must be a file");
    if (std::filesystem::exists(status)) {
      replaces = std::filesystem::is_regular_file(status);
      if (replaces) target_ = std::filesystem::canonical(target);  // what a link points to, so that the link stays
    }
    if ((file_ = standard_output(target_)) != nullptr) return;
    auto written = target_;
    if (replaces) written += concat('.', process(), '.', reinterpret_cast<std::uintptr_t>(this), ".tmp");
    file_ = std::fopen(written.c_str(), replaces ? "wbx" : "wb");
    if (file_ == nullptr) fail();
    if (!replaces) return;
    temporary_ = written;
    if (!std::filesystem::exists(status)) return;
    std::filesystem::permissions(written, status.permissions(), failure);  // before a private file's bytes are in it
    errno = failure.value();
    if (failure) fail();
  }
  atomic_file(const atomic_file&) = delete;
  atomic_file& operator=(const atomic_file&) = delete;
  ~atomic_file() { abandon(); }

  void write(const void* data, std::size_t bytes) {
    errno = 0;
    if (bytes != 0 && std::fwrite(data, 1, bytes, file_) != bytes) fail();
  }
  void write(std::string_view text) { write(text.data(), text.size()); }

  /// Everything written so far becomes the target. Nothing may be written afterwards.
  void commit() {
    errno = 0;
    if (std::fflush(file_) != 0) fail();
#if __has_include(<unistd.h>)
    if (!temporary_.empty() && ::fsync(::fileno(file_)) != 0) fail();  // the bytes before the name
#endif
    if (std::fclose(std::exchange(file_, nullptr)) != 0) fail();
    if (!temporary_.empty() && std::rename(temporary_.c_str(), target_.c_str()) != 0) fail();
    temporary_.clear();
  }

 private:
  /// The standard output once more if the target is where it leads, else null.
  static std::FILE* standard_output([[maybe_unused]] const std::filesystem::path& target) {
#if __has_include(<unistd.h>)
    struct stat wanted {
    }, printed{};
    if (::stat(target.c_str(), &wanted) != 0 || ::fstat(STDOUT_FILENO, &printed) != 0) return nullptr;
    if (wanted.st_dev != printed.st_dev || wanted.st_ino != printed.st_ino) return nullptr;
    std::fflush(stdout);
    if (const int again = ::dup(STDOUT_FILENO); again >= 0) return ::fdopen(again, "wb");
#endif
    return nullptr;
  }
  static long process() noexcept {
#if __has_include(<unistd.h>)
    return ::getpid();
#else
    return 0;
#endif
  }
  void abandon() noexcept {
    if (file_ != nullptr) std::fclose(std::exchange(file_, nullptr));
    if (!temporary_.empty()) std::remove(temporary_.c_str());
    temporary_.clear();
  }
  [[noreturn]] void fail() {
    const int reason = errno;
    abandon();
    throw data_error(concat("write: ", target_.string(), ": ",
                            std::generic_category().message(reason == 0 ? EIO : reason),
                            "; the directory must exist, be writable and have space"));
  }

  std::filesystem::path target_, temporary_;  // temporary_ is empty if the target is written directly
  std::FILE* file_ = nullptr;
};

/// A file of this content, whole or not at all. Throws: as atomic_file.
inline void write_file(const std::filesystem::path& path, std::string_view content) {
  atomic_file file(path);
  file.write(content);
  file.commit();
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
