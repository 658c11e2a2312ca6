// SPDX-License-Identifier: MIT
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/files.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {
/// While one lives, a write of this thread past the limit of a file's size fails with EFBIG, whatever SIGXFSZ does
/// otherwise: the process would end, and leave a half-written file behind.
class file_size_signal_blocked {
 public:
  file_size_signal_blocked() noexcept {
    ::sigemptyset(&only_);
    ::sigaddset(&only_, SIGXFSZ);
    sigset_t waiting;
    was_waiting_ = ::sigpending(&waiting) == 0 && ::sigismember(&waiting, SIGXFSZ) == 1;
    blocked_ = ::pthread_sigmask(SIG_BLOCK, &only_, &before_) == 0;
  }
  file_size_signal_blocked(const file_size_signal_blocked&) = delete;
  file_size_signal_blocked& operator=(const file_size_signal_blocked&) = delete;
  ~file_size_signal_blocked() {
    if (!blocked_) return;
    const int reason = errno;
    const timespec no_time{};
    while (!was_waiting_ && ::sigtimedwait(&only_, nullptr, &no_time) > 0) continue;
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = reason;
  }

 private:
  sigset_t only_{}, before_{};
  bool was_waiting_ = false, blocked_ = false;
};
}  // namespace detail

/// A file that appears whole or not at all: bytes go into a new file in the target's directory, commit() renames it
/// over the target, whose permissions it takes, and without commit() it is removed and the target stays as it was.
/// Where the file system allows it, the new file has no name before commit(): a killed process leaves nothing behind.
///
/// A target that is a device or a pipe is written directly, since it must not be replaced by a file; so is the standard
/// output (/dev/stdout), after what was printed there, even where it is a file. Bytes are collected: they reach a
/// device or a pipe 64 KiB at a time, the last of them with commit().
/// Throws: data_error with the file and the system's reason: no such directory, read-only, no space left; also for a
/// directory and for a link to a file that does not exist.
/// Example:
///   rp::atomic_file file("run.json");
///   file.write(text);
///   file.commit();
class atomic_file {
 public:
  explicit atomic_file(const std::string& target) : target_(target) {
    const detail::file_status status = detail::status_of(target);
    require<data_error>(!status.directory, "write: ", target, " is a directory; must be a file");
    char linked;
    require<data_error>(status.exists || ::readlink(target.c_str(), &linked, 1) < 0, "write: ", target,
                        " is a link to nothing; must be a file, or a link to one");
    if (status.regular) follow_links();
    if ((file_ = standard_output(target_)) != nullptr) return;
    replaces_ = !status.exists || status.regular;
    if (!replaces_) {
      file_ = std::fopen(target_.c_str(), "wb");
    } else if ((file_ = file_without_name()) == nullptr) {
      const std::string name = temporary_name();
      if ((file_ = std::fopen(name.c_str(), "wbx")) != nullptr) temporary_ = name;
    }
    if (file_ == nullptr) fail();
    // Before a private file's bytes are in it.
    if (status.regular && ::fchmod(::fileno(file_), static_cast<mode_t>(status.permissions)) != 0) fail();
  }
  atomic_file(const atomic_file&) = delete;
  atomic_file& operator=(const atomic_file&) = delete;
  ~atomic_file() { abandon(); }

  void write(const void* data, std::size_t bytes) {
    const std::string_view more(static_cast<const char*>(data), bytes);
    if (waiting_.size() + bytes <= most_waiting) {
      waiting_ += more;
      return;
    }
    const detail::file_size_signal_blocked fails;
    put_waiting();
    put(more);
  }
  void write(std::string_view text) { write(text.data(), text.size()); }

  /// Everything written so far becomes the target. Nothing may be written afterwards.
  void commit() {
    const detail::file_size_signal_blocked fails;
    put_waiting();
    errno = 0;
    if (std::fflush(file_) != 0) fail();
    if (replaces_ && ::fsync(::fileno(file_)) != 0) fail();  // the bytes before the name
    if (replaces_ && temporary_.empty()) give_name();
    if (std::fclose(std::exchange(file_, nullptr)) != 0) fail();
    if (replaces_ && std::rename(temporary_.c_str(), target_.c_str()) != 0) fail();
    temporary_.clear();
  }

 private:
  /// The standard output once more if the target is where it leads, else null.
  static std::FILE* standard_output(const std::string& target) {
    struct stat wanted {
    }, printed{};
    if (::stat(target.c_str(), &wanted) != 0 || ::fstat(STDOUT_FILENO, &printed) != 0) return nullptr;
    if (wanted.st_dev != printed.st_dev || wanted.st_ino != printed.st_ino) return nullptr;
    std::fflush(stdout);
    if (const int again = ::dup(STDOUT_FILENO); again >= 0) return ::fdopen(again, "wb");
    return nullptr;
  }
  [[nodiscard]] std::string temporary_name() const {
    return concat(target_, '.', ::getpid(), '.', reinterpret_cast<std::uintptr_t>(this), ".tmp");
  }
  /// A new file in the target's directory; null where the file system has none without a name, or where /proc, by which
  /// give_name() finds it, is missing.
  [[nodiscard]] std::FILE* file_without_name() const {
    if (::access("/proc/self/fd", X_OK) != 0) return nullptr;
    const std::string directory = target_.substr(0, target_.rfind('/') + 1);
    const int file = ::open(directory.empty() ? "." : directory.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    return file < 0 ? nullptr : ::fdopen(file, "wb");
  }
  void give_name() {
    const std::string name = temporary_name(), file = concat("/proc/self/fd/", ::fileno(file_));
    if (::linkat(AT_FDCWD, file.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0) fail();
    temporary_ = name;
  }
  /// The target becomes what it points to, so that the link stays.
  void follow_links() {
    char* const real = ::realpath(target_.c_str(), nullptr);
    if (real == nullptr) fail();
    target_ = real;
    std::free(real);
  }
  void put(std::string_view bytes) {
    errno = 0;
    if (!bytes.empty() && std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail();
  }
  void put_waiting() { put(std::exchange(waiting_, {})); }
  void abandon() noexcept {
    const detail::file_size_signal_blocked fails;  // closing writes what is left
    if (file_ != nullptr) std::fclose(std::exchange(file_, nullptr));
    if (!temporary_.empty()) std::remove(temporary_.c_str());
    temporary_.clear();
  }
  [[noreturn]] void fail() {
    const int reason = errno;
    abandon();
    throw data_error(concat("write: ", target_, ": ", std::generic_category().message(reason == 0 ? EIO : reason),
                            "; the directory must exist, be writable and have space"));
  }

  static constexpr std::size_t most_waiting = 65'536;  // bytes: blocking the signal takes system calls
  std::string target_, temporary_;                     // temporary_ is empty as long as the new file has no name
  bool replaces_ = false;                              // else the target is written directly
  std::string waiting_;                                // bytes that the file does not have yet
  std::FILE* file_ = nullptr;
};

/// A file of this content, whole or not at all. Throws: as atomic_file.
inline void write_file(const std::string& name, std::string_view content) {
  atomic_file file(name);
  file.write(content);
  file.commit();
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
