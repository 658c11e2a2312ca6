// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include <ridgepoint/core/makers.hpp>
#include <ridgepoint/core/thread_count.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// take(make(0)), take(make(1)) … take(make(count − 1)): made on several threads at once, this one among them, taken on
/// this one and in order, so that what comes of it does not depend on the number of threads.
///
/// At most four per thread are made and not yet taken. What make throws is thrown here when it would be taken, so that
/// of several failures it is always the first; what take throws ends it, too.
/// Throws: value_error unless 0 (all cores) <= threads <= 1024; what make and take throw.
/// Example: rp::make_ahead(100, 0, [](rp::index_t i) { return read(i); }, [&](auto image) { keep(image); });
template <class Make, class Take>
void make_ahead(index_t count, int threads, const Make& make, Take&& take) {
  using place = std::optional<decltype(make(index_t{}))>;
  check_thread_count("make_ahead", threads);
  const int used = threads == 0 ? available_threads() : threads;
  const auto made_in = [&](index_t i, place& to) { to.emplace(make(i)); };
  detail::makers<place, decltype(made_in)> ahead(std::vector<place>(4 * static_cast<std::size_t>(used)), used - 1,
                                                 made_in);
  for (index_t i = 0; i < count; ++i) take(*std::exchange(ahead.take(i, count), {}));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
