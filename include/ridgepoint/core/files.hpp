// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
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
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ridgepoint/core/error.hpp>

/// \file
/// File system functions. Names are std::string, to which std::filesystem::path converts: <filesystem> would be a
/// tenth of the compile time of a program with this library.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Type of the file with a name; links are followed.
struct file_status {
  bool exists = false, regular = false, directory = false;
  std::uint64_t bytes = 0;
  unsigned permissions = 0;
};
[[nodiscard]] inline file_status status_of(const std::string& name) noexcept {
  struct stat found {};
  if (::stat(name.c_str(), &found) != 0) return {};
  return {.exists = true,
          .regular = S_ISREG(found.st_mode),
          .directory = S_ISDIR(found.st_mode),
          .bytes = static_cast<std::uint64_t>(found.st_size),
          .permissions = found.st_mode & 07777U};
}
[[nodiscard]] inline std::string in_directory(std::string_view directory, std::string_view name) {
  return concat(directory, directory.empty() || directory.ends_with('/') ? "" : "/", name);
}
/// Creates a directory and its missing parents.
/// Throws: data_error with the system's reason.
inline void make_directories(const std::string& directory) {
  for (std::size_t end = 0; end != std::string::npos;) {
    end = directory.find('/', end + 1);
    const std::string part = directory.substr(0, end);
    if (part.empty() || ::mkdir(part.c_str(), 0777) == 0 || status_of(part).directory) continue;
    throw data_error(concat(directory, " cannot be created: ", std::generic_category().message(errno)));
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A regular file open for reading, whose size is known in advance.
///
/// Directories, pipes and devices are refused: they have no size to check a header against, and may never end.
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
/// Reads a file of at most `most` bytes.
/// Throws: data_error if it cannot be read or is larger.
[[nodiscard]] inline std::string read_file(const std::string& name, std::uint64_t most) {
  input_file file(name);
  check_size(file, most);
  std::string text(file.size_bytes(), '\0');
  text.resize(file.read(text.data(), text.size()));
  return text;
}

namespace detail {
/// Blocks SIGXFSZ in this thread for its lifetime: a write past the file size limit fails with EFBIG. Otherwise the
/// signal would end the process and leave a half-written file.
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

/// A file that is replaced completely or stays unchanged. Bytes go into a new file in the target's directory. commit()
/// renames it over the target and copies the target's permissions; without commit() the new file is removed.
/// Where the file system allows it, the new file has no name before commit(): a killed process leaves no file.
///
/// A target that is a device or a pipe is written directly, since it must not be replaced by a file. So is the standard
/// output (/dev/stdout), after earlier output, even if it is a file. Writes are buffered: a device or a pipe receives
/// 64 KiB at a time, and the rest with commit().
/// Throws: data_error with the file and the system's reason: no such directory, read-only, no space left; also for a
/// directory and for a link to a missing file.
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
    // Set before any byte of a private file is written.
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

  /// Replaces the target with everything written so far. No write may follow.
  void commit() {
    const detail::file_size_signal_blocked fails;
    put_waiting();
    errno = 0;
    if (std::fflush(file_) != 0) fail();
    if (replaces_ && ::fsync(::fileno(file_)) != 0) fail();  // the bytes reach the disk before the name
    if (replaces_ && temporary_.empty()) give_name();
    if (std::fclose(std::exchange(file_, nullptr)) != 0) fail();
    if (replaces_ && std::rename(temporary_.c_str(), target_.c_str()) != 0) fail();
    temporary_.clear();
  }

 private:
  /// Returns a duplicate of the standard output if the target leads to it, else null.
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
  /// Opens a new unnamed file in the target's directory. Returns null if the file system does not support that, or if
  /// /proc, which give_name() needs, is missing.
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
  /// Replaces the target's name by the file that it links to, so that the link stays.
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
    const detail::file_size_signal_blocked fails;  // closing writes the remaining bytes
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
  std::string target_, temporary_;                     // temporary_ is empty while the new file has no name
  bool replaces_ = false;                              // else the target is written directly
  std::string waiting_;                                // bytes not yet written to the file
  std::FILE* file_ = nullptr;
};

/// Writes a file with this content atomically. Throws: as atomic_file.
inline void write_file(const std::string& name, std::string_view content) {
  atomic_file file(name);
  file.write(content);
  file.commit();
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Returns the entries of a directory in the order of their names, without names that begin with a dot.
/// Throws: data_error if the directory cannot be read.
[[nodiscard]] inline std::vector<std::string> directory_entries(const std::string& directory) {
  struct close {
    void operator()(DIR* open) const noexcept { ::closedir(open); }
  };
  const std::unique_ptr<DIR, close> open(::opendir(directory.c_str()));
  require<data_error>(open != nullptr, directory, ": cannot be opened; must be a readable directory");
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(open.get()))
    if (const std::string_view name = entry->d_name; !name.starts_with('.')) names.emplace_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
