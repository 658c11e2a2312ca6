// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>

namespace tool {

/// Records termination signals during its lifetime instead of ending the process.
class interruption {
 public:
  /// SIGXCPU comes at the soft limit of processor time, before SIGKILL at the hard limit.
  static constexpr std::array signals{SIGINT, SIGTERM, SIGHUP, SIGXCPU};

  interruption() {
    noted = 0;
    for (std::size_t i = 0; i < signals.size(); ++i) before_[i] = std::signal(signals[i], note);
    if (before_[2] == SIG_IGN) std::signal(signals[2], SIG_IGN);  // keep nohup's setting
  }
  interruption(const interruption&) = delete;
  interruption& operator=(const interruption&) = delete;
  ~interruption() {
    for (std::size_t i = 0; i < signals.size(); ++i) std::signal(signals[i], before_[i]);
  }
  [[nodiscard]] static bool wanted() { return noted != 0; }

 private:
  static void note(int) { noted = 1; }
  static inline std::atomic<int> noted = 0;  // read by several threads
  static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may write it");
  std::array<void (*)(int), signals.size()> before_{};
};

}  // namespace tool
