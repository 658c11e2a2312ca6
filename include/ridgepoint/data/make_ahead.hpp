// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include <ridgepoint/core/prefetcher.hpp>
#include <ridgepoint/core/team.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Calls take(make(0)), take(make(1)) … take(make(count − 1)): make runs on several threads, including this one; take
/// runs on this thread, in order, so that the result does not depend on the number of threads.
///
/// At most four results per thread are waiting. An exception of make is rethrown here in order, so of several failures
/// always the first is reported; an exception of take also ends the loop.
/// Throws: value_error unless 0 (all cores) <= threads <= 1024; exceptions of make and take.
/// Example: rp::make_ahead(100, 0, [](rp::index_t i) { return read(i); }, [&](auto image) { keep(image); });
template <class Make, class Take>
void make_ahead(index_t count, int threads, const Make& make, Take&& take) {
  using place = std::optional<decltype(make(index_t{}))>;
  check_thread_count("make_ahead", threads);
  const int used = threads == 0 ? available_threads() : threads;
  const auto made_in = [&](index_t i, place& to) { to.emplace(make(i)); };
  detail::prefetcher<place, decltype(made_in)> ahead(std::vector<place>(4 * static_cast<std::size_t>(used)), used - 1,
                                                     made_in);
  for (index_t i = 0; i < count; ++i) take(*std::exchange(ahead.take(i, count), {}));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
