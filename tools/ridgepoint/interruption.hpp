// SPDX-License-Identifier: MIT
#pragma once

#include <csignal>

namespace tool {

/// While one lives, SIGINT and SIGTERM only leave a note.
class interruption {
 public:
  interruption() : before_{std::signal(SIGINT, note), std::signal(SIGTERM, note)} { noted = 0; }
  interruption(const interruption&) = delete;
  interruption& operator=(const interruption&) = delete;
  ~interruption() {
    std::signal(SIGINT, before_[0]);
    std::signal(SIGTERM, before_[1]);
  }
  [[nodiscard]] static bool wanted() { return noted != 0; }

 private:
  static void note(int) { noted = 1; }
  static inline volatile std::sig_atomic_t noted = 0;
  void (*before_[2])(int);
};

}  // namespace tool
