// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <csignal>
#include <cstddef>

namespace tool {

/// While one lives, the signals that ask a process to end only leave a note.
class interruption {
 public:
  /// SIGXCPU comes at the soft limit of processor time, before the hard one kills.
  static constexpr std::array signals{SIGINT, SIGTERM, SIGHUP, SIGXCPU};

  interruption() {
    noted = 0;
    for (std::size_t i = 0; i < signals.size(); ++i) before_[i] = std::signal(signals[i], note);
    if (before_[2] == SIG_IGN) std::signal(signals[2], SIG_IGN);  // nohup's wish
  }
  interruption(const interruption&) = delete;
  interruption& operator=(const interruption&) = delete;
  ~interruption() {
    for (std::size_t i = 0; i < signals.size(); ++i) std::signal(signals[i], before_[i]);
  }
  [[nodiscard]] static bool wanted() { return noted != 0; }

 private:
  static void note(int) { noted = 1; }
  static inline volatile std::sig_atomic_t noted = 0;
  std::array<void (*)(int), signals.size()> before_{};
};

}  // namespace tool
