// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/graph/dataset.hpp>

namespace rp = ridgepoint;
using rp::gathering;

TEST_CASE("batches are prepared ahead on idle cores, if worth it and allowed") {
  const auto chosen = [](gathering data, int computing, int cores, std::optional<int> wanted = {}) {
    return rp::detail::data_threads(data, computing, cores, wanted);
  };
  CHECK(chosen(gathering::ahead, 1, 2) == 1);
  CHECK(chosen(gathering::ahead, 2, 5) == 3);
  CHECK(chosen(gathering::ahead, 1, 64) == 4);
  CHECK(chosen(gathering::ahead, 2, 2) == 0);
  CHECK(chosen(gathering::ahead, 8, 2) == 0);
  CHECK(chosen(gathering::on_any_threads, 1, 64) == 0);
  CHECK(chosen(gathering::on_one_thread, 1, 64) == 0);
  CHECK(chosen(gathering::ahead, 2, 2, 3) == 3);
  CHECK(chosen(gathering::ahead, 1, 64, 0) == 0);
  CHECK(chosen(gathering::on_any_threads, 2, 2, 1) == 1);
  CHECK(chosen(gathering::on_one_thread, 1, 64, 2) == 0);
}
