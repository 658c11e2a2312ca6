// SPDX-License-Identifier: MIT
#include <ridgepoint/distributed/thread_ranks.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <ridgepoint/distributed/communicator.hpp>

namespace rp = ridgepoint;

namespace {

/// Value i of a rank, with bits that depend on the order of a sum.
float value(int rank, std::size_t i) { return 1.0F / static_cast<float>(3 + 7 * rank + static_cast<int>(i % 100)); }

std::vector<float> values_of(int rank, std::size_t size) {
  std::vector<float> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = value(rank, i);
  return values;
}

/// Returns the message of run_ranks(); "" without an exception.
template <class Body>
std::string message_of(int ranks, const Body& body, double timeout_s = 0) {
  try {
    rp::run_ranks(ranks, body, timeout_s);
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

}  // namespace

static_assert(rp::communicator<rp::self_communicator>);
static_assert(rp::communicator<rp::thread_communicator>);
static_assert(rp::communicator<rp::any_communicator>);

TEST_CASE("all_reduce adds neighbours first, on every rank in the same bits") {
  const auto sum_of = [](int ranks, std::size_t i) {
    const auto v = [i](int rank) { return value(rank, i); };
    switch (ranks) {
      case 1:
        return v(0);
      case 2:
        return v(0) + v(1);
      case 3:
        return v(0) + v(1) + v(2);
      case 4:
        return (v(0) + v(1)) + (v(2) + v(3));
      case 6:
        return ((v(0) + v(1)) + (v(2) + v(3))) + (v(4) + v(5));
      default:
        return (v(0) + v(1)) + (v(2) + v(3)) + ((v(4) + v(5)) + v(6));
    }
  };
  for (const int ranks : {1, 2, 3, 4, 6, 7})
    for (const std::size_t size : {0U, 1U, 1023U, 1025U, 5000U}) {
      std::vector<int> wrong(static_cast<std::size_t>(ranks));
      rp::run_ranks(ranks, [&](rp::thread_communicator& with) {
        std::vector<float> values = values_of(with.rank(), size);
        CHECK(with.wait(with.start_all_reduce(std::span(values))) >= 0);
        for (std::size_t i = 0; i < size; ++i)
          wrong[static_cast<std::size_t>(with.rank())] += values[i] == sum_of(ranks, i) ? 0 : 1;
      });
      CAPTURE(ranks);
      CAPTURE(size);
      CHECK(wrong == std::vector<int>(wrong.size()));
    }
}

TEST_CASE("sums are in progress at once and are waited for in any order") {
  rp::run_ranks(3, [](rp::thread_communicator& with) {
    std::vector<double> a(10, with.rank()), b(10, 1);
    const rp::collective first = with.start_all_reduce(std::span(a)), second = with.start_all_reduce(std::span(b));
    with.wait(second);
    with.wait(first);
    CHECK(a[9] == 3.0);
    CHECK(b[9] == 3.0);
  });
}

TEST_CASE("all_gather, broadcast and barrier, also through any_communicator") {
  rp::run_ranks(4, [](rp::thread_communicator& with) {
    rp::any_communicator any = with;
    std::vector<std::byte> own(5, std::byte(with.rank())), all(20);
    any.all_gather(own, all);
    for (std::size_t i = 0; i < all.size(); ++i) CHECK(all[i] == std::byte(i / 5));
    any.broadcast(own, 2);
    CHECK(own[4] == std::byte(2));
    any.barrier();
    CHECK(any.rank() == with.rank());
    CHECK(any.size() == 4);
    CHECK(any.name() == "threads");
  });
  rp::any_communicator self = rp::self_communicator();
  float one = 1;
  CHECK(self.wait(self.start_all_reduce(std::span(&one, 1))) == 0);
  CHECK(one == 1.0F);
}

TEST_CASE("a rank that fails or ends ends the others' calls, and its own error is reported") {
  std::string other;
  const std::string message = message_of(3, [&](rp::thread_communicator& with) {
    if (with.rank() == 1) throw std::runtime_error("out of paper");
    try {
      with.barrier();
    } catch (const rp::communication_error& e) {
      if (with.rank() == 0) other = e.what();
      throw;
    }
  });
  CHECK(message == "out of paper");
  CHECK(other == "threads: rank 1 failed: out of paper; others wait for its barrier");
  CHECK(message_of(2, [](rp::thread_communicator& with) {
          if (with.rank() == 0) with.barrier();
        }) == "threads: rank 1 has ended; others wait for its barrier");
}

TEST_CASE("ranks that make different calls are refused") {
  std::vector<std::string> messages(2);
  const std::string message = message_of(2, [&](rp::thread_communicator& with) {
    std::vector<float> values(static_cast<std::size_t>(4 + with.rank()));
    try {
      with.wait(with.start_all_reduce(std::span(values)));
    } catch (const rp::communication_error& e) {
      messages[static_cast<std::size_t>(with.rank())] = e.what();
      throw;
    }
  });
  CHECK(message.starts_with("threads: call 0 is all_reduce of "));
  CHECK(message.ends_with(" on another; must be equal"));
  CHECK(messages[0] == message);
  CHECK(messages[1] == message);
}

TEST_CASE("a rank that is late is named") {
  const std::string message = message_of(
      3,
      [](rp::thread_communicator& with) {
        with.barrier();
        if (with.rank() == 2) std::this_thread::sleep_for(std::chrono::milliseconds(300));
        with.barrier();
      },
      0.05);
  CHECK(message == "threads: barrier, call 1: rank 2 has not made it within 0.05 s; it has made 1 calls");
}

TEST_CASE("run_ranks refuses less than one rank") {
  CHECK(message_of(0, [](rp::thread_communicator&) {}) == "run_ranks: ranks is 0; must be >= 1");
}
