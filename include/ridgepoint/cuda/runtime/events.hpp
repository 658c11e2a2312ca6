// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/runtime/context.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

[[nodiscard]] inline cuda_event make_event(unsigned flags) {
  return cuda_event(
      [&](cudaEvent_t* made) { check_call(cudaEventCreateWithFlags(made, flags), "cudaEventCreateWithFlags"); });
}
inline void record_event(const cuda_event& e, cudaStream_t on) {
  check_call(cudaEventRecord(e.get(), on), "cudaEventRecord");
}
/// What is called on the stream from now on waits for the event as it was recorded last; if it never was, for nothing.
inline void wait_for_event(cudaStream_t on, const cuda_event& e) {
  check_call(cudaStreamWaitEvent(on, e.get(), 0), "cudaStreamWaitEvent");
}
/// The host waits for it.
inline void wait_for_event(const cuda_event& e) { check_call(cudaEventSynchronize(e.get()), "cudaEventSynchronize"); }

/// Seconds that the device takes for what body() gives it, by its own events.
template <class Body>
[[nodiscard]] double time_of(const cuda_context& on, const Body& body) {
  const cuda_event before = make_event(cudaEventDefault), after = make_event(cudaEventDefault);
  record_event(before, on.stream());
  body();
  on.use();
  record_event(after, on.stream());
  wait_for_event(after);
  float elapsed_ms = 0;
  check_call(cudaEventElapsedTime(&elapsed_ms, before.get(), after.get()), "cudaEventElapsedTime");
  return static_cast<double>(elapsed_ms) * 1e-3;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
