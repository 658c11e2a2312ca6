// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/cpu/native_cpu.hpp>

/// The CPU backend in the copy under test: the kernels as this program compiled them or, where the environment's
/// RIDGEPOINT_TESTED_COPY is "shipped", as ridgepoint::dispatch brings them for the same instruction set.
class cpu_copy : public ridgepoint::host_memory {
 public:
  explicit cpu_copy(int threads) : own_(threads) {
    static const char* const wanted = std::getenv("RIDGEPOINT_TESTED_COPY");
    if (wanted == nullptr) return;
    ridgepoint::require<ridgepoint::value_error>(std::string_view(wanted) == "shipped", "RIDGEPOINT_TESTED_COPY is '",
                                                 wanted, "'; must be shipped");
    shipped_.emplace(threads, ridgepoint::simd::native::name);
  }
  [[nodiscard]] std::string name() const { return shipped_ ? shipped_->name() : own_.name(); }

  /// An op that is not shipped (the toys of docs/) runs in this program's copy.
  template <class Args>
    requires ridgepoint::executes<ridgepoint::native_cpu, Args>
  friend void execute(const cpu_copy& on, const Args& args) {
    if constexpr (ridgepoint::executes<ridgepoint::cpu, Args>)
      if (on.shipped_) return execute(*on.shipped_, args);
    execute(on.own_, args);
  }

 private:
  ridgepoint::native_cpu own_;
  std::optional<ridgepoint::cpu> shipped_;
};

/// The CPU backend as agree() wants it.
inline constexpr auto on_cpu = [](int threads) { return cpu_copy(threads); };
