// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include <ridgepoint/core/team.hpp>

namespace rp = ridgepoint;
using rp::detail::team;

namespace {

template <class Body>
bool run(team& all, int threads, rp::index_t parts, Body body) {
  return all.run(
      threads, parts, [](void* b, rp::index_t part, rp::index_t) { (*static_cast<Body*>(b))(part); }, &body);
}

/// Waits for an action of another thread. The timeout is so long that only a thread that never acts fails.
template <class Done>
bool comes(Done done) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  bool came = done();
  for (; !came && std::chrono::steady_clock::now() < give_up; came = done()) std::this_thread::yield();
  return came;
}

/// Runs body(part) for two parts on two threads, both started before either ends. Waits while helpers sleep.
template <class Body>
bool run_both(team& all, Body body) {
  std::atomic<int> begun = 0;
  return comes([&] {
    return run(all, 2, 2, [&](rp::index_t part) {
      ++begun;
      if (comes([&] { return begun == 2; })) body(part);
    });
  });
}
constexpr auto nothing = [](rp::index_t) {};

}  // namespace

TEST_CASE("any free thread takes the next part") {
  for (const int threads : {2, 3}) {
    team all;
    std::atomic<int> others = 0;
    bool done = false;
    CHECK(run(all, threads, 100, [&](rp::index_t part) {
      if (part == 0) done = comes([&] { return others == 99; });
      else ++others;
    }));
    CHECK(done);
  }
}

TEST_CASE("many short calls run every part once, with few parts and after long sleeps") {
  team all;
  std::vector<int> runs(5);  // not atomic: a part runs on one thread at a time
  int calls = 0;
  for (int i = 0; i < 20'000; ++i) {
    calls += run(all, 2 + i % 3, 2 + i % 4, [&](rp::index_t part) { ++runs[static_cast<std::size_t>(part)]; });
    if (i % 5'000 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(3));
  }
  CHECK(runs[0] == calls);
  CHECK(runs[1] == calls);
  CHECK(runs[4] < calls);
}

TEST_CASE("writes of helper threads are visible when the call returns") {
  team all;
  for (int i = 0; i < 200; ++i) {
    int written[2] = {};
    REQUIRE(run_both(all, [&](rp::index_t part) { written[part] = 1; }));
    CHECK(written[0] + written[1] == 2);
  }
}

TEST_CASE("a team that is busy refuses a call from inside a part and from another thread") {
  team all;
  std::atomic<int> refused = 0, ran = 0;
  CHECK(run(all, 3, 6, [&](rp::index_t) {
    if (!run(all, 2, 2, [&](rp::index_t) { ++ran; })) ++refused;
    std::thread([&] { refused += !run(all, 2, 2, [&](rp::index_t) { ++ran; }); }).join();
  }));
  CHECK(refused == 12);
  CHECK(ran == 0);
  CHECK(comes([&] { return run(all, 2, 2, [&](rp::index_t) { ++ran; }); }));
  CHECK(ran == 2);
}

#if !defined(__SANITIZE_THREAD__)  // the sanitizer delivers a signal only at the next call into the C library
namespace {
std::atomic<int> caught, released;
}  // namespace

TEST_CASE("a helper that has not started a part does not delay the call") {
  team all;
  const pthread_t caller = pthread_self();
  pthread_t helper = caller;
  REQUIRE(run_both(all, [&](rp::index_t) {
    if (pthread_equal(pthread_self(), caller) == 0) helper = pthread_self();
  }));
  REQUIRE(pthread_equal(helper, caller) == 0);

  caught = released = 0;
  struct sigaction stop = {}, before = {};
  stop.sa_handler = [](int) {
    caught = 1;
    while (released == 0) usleep(1000);
  };
  sigaction(SIGUSR1, &stop, &before);
  pthread_kill(helper, SIGUSR1);
  REQUIRE(comes([] { return caught == 1; }));

  std::atomic<bool> returned = false;
  bool in_time = true;
  std::thread guard([&] {
    in_time = comes([&] { return returned.load(); });
    released = 1;
  });
  int parts = 0;  // accessed by the caller only
  const auto call = [&] { return run(all, 2, 10, [&](rp::index_t) { ++parts; }); };
  CHECK(comes(call));
  for (int i = 1; i < 100; ++i) CHECK(call());
  returned = true;
  guard.join();
  CHECK(in_time);
  CHECK(parts == 1000);
  CHECK(run_both(all, nothing));  // the helper is back
  sigaction(SIGUSR1, &before, nullptr);
}
#endif

TEST_CASE("helpers sleep after long delayed parts and then help again") {
  using clock = std::chrono::steady_clock;
  team all;
  const auto caller = std::this_thread::get_id();
  const auto start = clock::now();
  bool ended = false;
  REQUIRE(run_both(all, [&](rp::index_t) {
    if (std::this_thread::get_id() == caller) return;
    const auto own_time = clock::now() - start;  // upper bound of the caller's work so far
    std::this_thread::sleep_for(2 * own_time + std::chrono::milliseconds(20));
    ended = true;
  }));
  CHECK(ended);
  const auto returned = clock::now();
  const bool helped = run(all, 2, 2, nothing);
  if (clock::now() - returned < std::chrono::milliseconds(100)) CHECK_FALSE(helped);
  CHECK(comes([&] { return run(all, 2, 2, nothing); }));
}

TEST_CASE("after fork() the child computes alone, and both processes end") {
  team all;
  REQUIRE(run_both(all, nothing));
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    int parts = 0;
    const bool ran = comes([&] { return run(all, 2, 10, [&](rp::index_t) { ++parts; }); });
    all.dismiss();
    _exit(ran && parts == 10 ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(run_both(all, nothing));
}

TEST_CASE("a dismissed team refuses calls") {
  team all;
  all.dismiss();
  CHECK_FALSE(run(all, 2, 2, nothing));
  team used;
  REQUIRE(run_both(used, nothing));
  used.dismiss();
  CHECK_FALSE(run(used, 2, 2, nothing));
}
