// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>

#include <ridgepoint/data/loader.hpp>

namespace rp = ridgepoint;

namespace {

/// Sample r is {r, r + 1000}, its label r % 7; gathering row `bad` fails.
struct counting_rows final : rp::dataset {
  rp::index_t count = 100, bad = -1;
  mutable std::atomic<int> calls = 0;

  [[nodiscard]] rp::index_t size() const override { return count; }
  [[nodiscard]] rp::shape sample_shape() const override { return {2}; }
  [[nodiscard]] int classes() const override { return 7; }
  void gather(std::span<const rp::index_t> rows, float* x, std::int32_t* labels) const override {
    ++calls;
    for (const rp::index_t row : rows) {
      if (row == bad) throw std::runtime_error("row is unreadable");
      *x++ = static_cast<float>(row);
      *x++ = static_cast<float>(row + 1000);
      *labels++ = static_cast<std::int32_t>(row % 7);
    }
  }
};

static_assert(!std::is_constructible_v<rp::loader, counting_rows, rp::index_t>);  // a temporary would dangle

std::vector<rp::index_t> rows_from(rp::index_t first, rp::index_t count) {
  std::vector<rp::index_t> rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

}  // namespace

TEST_CASE("a loader gives every row once, in order, and a short last batch") {
  const counting_rows source;
  for (const rp::index_t batch_size : {1, 7, 10, 100, 1000}) {
    CAPTURE(batch_size);
    rp::loader feed(source, batch_size);
    for (int epoch = 0; epoch < 3; ++epoch) {
      const auto rows = rows_from(3, 91);
      feed.start(rows);
      rp::index_t seen = 0;
      while (const rp::data_batch* now = feed.next()) {
        CHECK(now->size == std::min(batch_size, 91 - seen));
        for (rp::index_t i = 0; i < now->size; ++i, ++seen) {
          const auto at = static_cast<std::size_t>(i);
          CHECK(now->x[2 * at] == static_cast<float>(seen + 3));
          CHECK(now->x[2 * at + 1] == static_cast<float>(seen + 1003));
          CHECK(now->labels[at] == (seen + 3) % 7);
        }
      }
      CHECK(seen == 91);
      CHECK(feed.next() == nullptr);
      CHECK(feed.wait_s() >= 0);
    }
  }
}

TEST_CASE("a batch stays as it is until the next one is asked for") {
  const counting_rows source;
  rp::loader feed(source, 10);
  feed.start(rows_from(0, 100));
  const rp::data_batch* first = feed.next();
  while (source.calls < 2) std::this_thread::yield();  // the second batch has been begun
  CHECK(first->x[0] == 0);
  CHECK(first->labels[9] == 9 % 7);
  CHECK(source.calls == 2);  // and no more than one is made ahead
}

TEST_CASE("a failure of the data set arrives with its batch, and the loader goes on") {
  counting_rows source;
  source.bad = 15;
  rp::loader feed(source, 10);
  feed.start(rows_from(0, 40));
  CHECK(feed.next() != nullptr);
  CHECK_THROWS_WITH_AS(feed.next(), "row is unreadable", std::runtime_error);
  CHECK(feed.next()->x[0] == 20);
  CHECK(feed.next()->x[0] == 30);
  CHECK(feed.next() == nullptr);
}

TEST_CASE("a loader can be restarted or dropped in the middle of an epoch") {
  const counting_rows source;
  for (int i = 0; i < 200; ++i) {
    rp::loader feed(source, 3);
    feed.start(rows_from(0, 90));
    for (int batches = 0; batches < i % 4; ++batches) static_cast<void>(feed.next());
    feed.start(rows_from(50, 9));
    if (i % 2 == 0) CHECK(feed.next()->x[0] == 50);
  }
  rp::loader never_started(source, 3);
  CHECK(never_started.next() == nullptr);
}

TEST_CASE("a loader refuses what can not be") {
  const counting_rows source;
  CHECK_THROWS_WITH_AS(rp::loader(source, 0), doctest::Contains("batch size is 0; must be >= 1"), rp::value_error);
  rp::loader feed(source, 10);
  CHECK_THROWS_WITH_AS(feed.start(rows_from(95, 6)), doctest::Contains("row is 100; must be 0 to 99"), rp::value_error);
  CHECK_THROWS_AS(feed.start(std::vector<rp::index_t>{-1}), rp::value_error);
  CHECK(feed.next() == nullptr);
}
