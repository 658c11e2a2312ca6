// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <type_traits>

#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/cpu/native_cpu.hpp>

#include "support/kernels_under_test.hpp"
#include "support/tested_isa.hpp"

/// The kernels in ridgepoint::dispatch for the instruction set under test.
struct shipped_cpu : ridgepoint::cpu {
  explicit shipped_cpu(int threads = 1, ridgepoint::subnormals treated = ridgepoint::subnormals::flushed)
      : cpu(threads, tested::isa().name, treated) {}
};

/// The CPU backend whose calls are prepared: the kernels that this program compiled or, if it compiles none
/// (support/kernels_under_test.hpp), the shipped ones.
using tested_cpu = std::conditional_t<compiles_kernels, ridgepoint::native_cpu, shipped_cpu>;

/// The CPU backend in the copy under test: that of tested_cpu or, if the environment sets RIDGEPOINT_TESTED_COPY
/// ("shipped", or an instruction set), the shipped one.
class cpu_copy : public ridgepoint::host_memory {
 public:
  explicit cpu_copy(int threads) : own_(threads) {
    static const bool ships = !compiles_kernels || std::getenv("RIDGEPOINT_TESTED_COPY") != nullptr;
    if (ships) shipped_.emplace(threads);
  }
  [[nodiscard]] std::string name() const { return shipped_ ? shipped_->name() : own_.name(); }

  /// An op that is not shipped (the toy ops of docs/) runs in this program's copy.
  template <class Args>
    requires ridgepoint::executes<ridgepoint::native_cpu, Args>
  friend void execute(const cpu_copy& on, const Args& args) {
    constexpr bool is_shipped = ridgepoint::executes<ridgepoint::cpu, Args>;
    if constexpr (is_shipped)
      if (on.shipped_) return execute(*on.shipped_, args);
    if constexpr (compiles_kernels || !is_shipped) execute(on.own_, args);
  }

 private:
  ridgepoint::native_cpu own_;
  std::optional<shipped_cpu> shipped_;
};

/// The CPU backend in the form that agree() expects.
inline constexpr auto on_cpu = [](int threads) { return cpu_copy(threads); };
