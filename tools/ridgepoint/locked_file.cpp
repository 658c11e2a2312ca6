// SPDX-License-Identifier: MIT
#include "locked_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include <ridgepoint/core/error.hpp>

namespace tool {

namespace rp = ridgepoint;

locked_file::locked_file(const char* who, const std::filesystem::path& file, const char* instead)
    : descriptor_(::open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666)) {
  const bool locked = descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0;
  if (locked) return;
  const int failure = errno;
  if (descriptor_ >= 0) ::close(descriptor_);
  rp::require<rp::data_error>(failure != EWOULDBLOCK, who, ": ", file.string(), " is in use by another run; must be ",
                              instead);
  throw rp::data_error(rp::concat(who, ": ", file.string(), " cannot be opened or locked: ",
                                  std::generic_category().message(failure), "; must be a file that can be written"));
}

locked_file::~locked_file() { ::close(descriptor_); }

}  // namespace tool
