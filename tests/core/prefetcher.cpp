// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/prefetcher.hpp>

namespace rp = ridgepoint;

namespace {
using makes = std::function<void(rp::index_t, int&)>;
using int_prefetcher = rp::detail::prefetcher<int, makes>;

void rest_for(std::chrono::microseconds time) { std::this_thread::sleep_for(time); }
/// Waits until holds() is true, for at most ten seconds.
void wait_until(const std::function<bool()>& holds) {
  for (int i = 0; i < 100'000 && !holds(); ++i) rest_for(std::chrono::microseconds(100));
}
/// Fills ten times the number. The delay falls with number modulo three, so items finish out of order.
void ten_times(rp::index_t number, int& place) {
  place = -1;
  rest_for(std::chrono::microseconds(200 * (2 - number % 3)));
  place = static_cast<int>(10 * number);
}
}  // namespace

TEST_CASE("items arrive in order, each filled once, by any thread, in the available places") {
  for (const int threads : {0, 1, 3})
    for (const unsigned places : {1U, 2U, 5U}) {
      CAPTURE(threads);
      CAPTURE(places);
      std::atomic<rp::index_t> made = 0;
      rp::index_t most = 0;
      int_prefetcher all(std::vector<int>(places), threads, [&](rp::index_t number, int& place) {
        ten_times(number, place);
        ++made;
      });
      for (rp::index_t i = 4; i < 40; ++i) {
        const int& taken = all.take(i, 40);
        if (i % 8 == 0 && threads > 0 && places > 1) wait_until([&] { return made - (i - 4) > 1; });
        CHECK(taken == 10 * i);
        most = std::max(most, made - (i - 4));
      }
      CHECK(made == 36);
      CHECK(most <= static_cast<rp::index_t>(places));
      if (threads > 0 && places > 1) CHECK(most > 1);
    }
}

TEST_CASE("a non-consecutive number restarts prefetching; pause() leaves no fill running") {
  for (const int threads : {0, 2}) {
    std::atomic<int> busy = 0, made = 0;
    int_prefetcher all(std::vector<int>(4), threads, [&](rp::index_t number, int& place) {
      ++busy;
      ten_times(number, place);
      ++made;
      --busy;
    });
    for (const rp::index_t number : {0, 1, 2, 7, 8, 3, 3, 19, 0})
      CHECK(all.take(number, 20) == 10 * static_cast<int>(number));
    CHECK(all.take(1, 3) == 10);  // another end
    all.pause();
    const int so_far = made;
    CHECK(busy == 0);
    rest_for(std::chrono::milliseconds(2));
    CHECK(made == so_far);
    CHECK(all.take(2, 3) == 20);
    CHECK(all.fill_one([](int& place) { place = 77; }) == 77);
    CHECK(all.take(0, 3) == 0);
    CHECK(all.take(1, 3) == 10);
  }
}

TEST_CASE("a failure is thrown each time its number is taken; later numbers are still filled") {
  for (const int threads : {0, 1, 3}) {
    int_prefetcher all(std::vector<int>(3), threads, [](rp::index_t number, int& place) {
      ten_times(number, place);
      rp::require<rp::data_error>(number != 2 && number != 3, "number ", number, " is bad");
    });
    CHECK(all.take(0, 9) == 0);
    CHECK(all.take(1, 9) == 10);
    for (int i = 0; i < 2; ++i) CHECK_THROWS_WITH_AS(all.take(2, 9), "number 2 is bad", rp::data_error);
    CHECK_THROWS_WITH_AS(all.take(3, 9), "number 3 is bad", rp::data_error);
    CHECK(all.take(4, 9) == 40);
    CHECK(all.take(1, 9) == 10);
  }
}

TEST_CASE("times() reports waiting time and helper time; without helpers the caller fills every item") {
  for (const int threads : {0, 1}) {
    std::atomic<rp::index_t> made = 0;
    int_prefetcher all(std::vector<int>(3), threads, [&](rp::index_t, int&) {
      rest_for(std::chrono::milliseconds(2));
      ++made;
    });
    for (rp::index_t i = 0; i < 10; ++i) {
      all.take(i, 10);
      if (threads > 0) wait_until([&] { return made > std::min<rp::index_t>(i + 1, 9); });
    }
    const rp::making_times took = all.times();
    CHECK(took.waited_s + took.made_s >= 0.02);
    CHECK((threads == 0 ? took.made_s : took.waited_s) < 0.02);
    CHECK((threads == 0 ? took.waited_s : took.made_s) >= 0.016);
  }
}

TEST_CASE("a prefetcher may be destroyed early, and fills only as many items as it has places") {
  std::atomic<rp::index_t> made = 0;
  {
    int_prefetcher all(std::vector<int>(4), 2, [&](rp::index_t number, int& place) {
      ten_times(number, place);
      ++made;
    });
    CHECK(all.take(0, 1000) == 0);
  }
  CHECK(made <= 4);
}
