// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <concepts>
#include <exception>
#include <mutex>
#include <type_traits>

#include <ridgepoint/core/float_control.hpp>
#include <ridgepoint/core/team.hpp>
#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// Returns the helper threads of this program's calls: started by the first call that needs them, ended at exit.
[[nodiscard]] inline team& shared_team() {
  struct closing {  // later calls, from destructors, find no helpers
    team* of;
    ~closing() { of->dismiss(); }
  };
  static team* const all = new team;
  static const closing at_exit{all};
  return *all;
}

/// Type of a function that runs the parts of a call as team::run() does. Plain types, so that copies of the library
/// with different keys can share one team.
using team_function = bool (*)(int threads, index_t parts, team::part_function part, void* context) noexcept;
[[nodiscard]] inline bool run_on_shared_team(int threads, index_t parts, team::part_function part,
                                             void* context) noexcept {
  return shared_team().run(threads, parts, part, context);
}
/// The team function of this copy's calls. The dispatcher gives every instruction set's copy the same one, because two
/// teams that spin between calls take each other's cores.
inline std::atomic<team_function> team_of_calls = run_on_shared_team;

/// Stores the exception of the lowest part that failed.
class first_failure {
 public:
  void keep(index_t part) noexcept {
    const std::lock_guard lock(mutex_);
    if (what_ && part_ < part) return;
    part_ = part;
    what_ = std::current_exception();
  }
  void rethrow() const {
    if (what_) std::rethrow_exception(what_);
  }

 private:
  std::mutex mutex_;
  index_t part_ = 0;
  std::exception_ptr what_;
};

/// A reference to a callable that runs a part: body(part, worker) or body(part). For parameters: the callable may be a
/// temporary.
struct part_ref {
  template <class Body>
    requires(std::invocable<Body&, index_t> || std::invocable<Body&, index_t, index_t>)
  part_ref(Body&& body)
  noexcept
      : context(const_cast<void*>(static_cast<const void*>(&body))), call(run_part<std::remove_reference_t<Body>>) {}

  void* context;
  void (*call)(void* context, index_t part, index_t worker);

 private:
  template <class Body>
  static void run_part(void* context, index_t part, [[maybe_unused]] index_t worker) {
    Body& body = *static_cast<Body*>(context);
    if constexpr (std::invocable<Body&, index_t, index_t>) body(part, worker);
    else body(part);
  }
};

/// Runs every part on the team. Returns false, without running any, if no helper is free. Separate from
/// parallel_for(), where its stack frame would cost calls of one part a nanosecond.
RIDGEPOINT_ONE_COPY inline bool run_on_team(int threads, index_t parts, part_ref body) {
  first_failure failure;
  const unsigned control = float_control();
  auto guarded = [&](index_t part, index_t worker) noexcept {
    const float_control_scope as_the_caller(control);
    try {
      body.call(body.context, part, worker);
    } catch (...) {
      failure.keep(part);
    }
  };
  const part_ref guarded_part(guarded);
  if (!team_of_calls.load()(threads, parts, guarded_part.call, guarded_part.context)) return false;
  failure.rethrow();
  return true;
}

}  // namespace detail

/// Calls body(part), or body(part, worker), for part = 0 … parts-1, on up to `threads` threads; a thread that becomes
/// free takes the next part. Parts that run at the same time have different workers, 0 … min(threads, parts)-1: the
/// worker selects the piece of a workspace that a part may use.
///
/// Results must not depend on which thread runs a part: split the work by its size, never by the thread count, unless
/// each result is computed entirely within a part. Sums are then bitwise equal for any number of threads. Use more
/// parts than threads: a thread that another process keeps off its core then delays little. Calls inside a part, and
/// calls while another thread's call runs, run serially. Every part runs with the caller's float_control().
/// Throws: the exception of the lowest part that throws, after all running parts end; later parts may have run.
RIDGEPOINT_ONE_COPY inline void parallel_for(int threads, index_t parts, detail::part_ref body) {
  if (threads > 1 && parts > 1 && detail::run_on_team(threads, parts, body)) return;
  for (index_t part = 0; part < parts; ++part) body.call(body.context, part, 0);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
