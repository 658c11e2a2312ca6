// SPDX-License-Identifier: MIT
#include "folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include <ridgepoint/core/error.hpp>

namespace tool {

namespace rp = ridgepoint;

folder_lock::folder_lock(const char* who, const std::filesystem::path& folder)
    : file_(::open((folder / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
  const bool locked = file_ >= 0 && ::flock(file_, LOCK_EX | LOCK_NB) == 0;
  if (locked) return;
  const int failure = errno;
  if (file_ >= 0) ::close(file_);
  rp::require<rp::data_error>(failure != EWOULDBLOCK, who, ": ", folder.string(),
                              " is in use by another run; must be another folder, or wait until it has ended");
  throw rp::data_error(rp::concat(who, ": ", folder.string(), " cannot be locked: ",
                                  std::generic_category().message(failure), "; must be a folder that can be written"));
}

folder_lock::~folder_lock() { ::close(file_); }

}  // namespace tool
