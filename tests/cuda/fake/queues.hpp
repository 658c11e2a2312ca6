// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "fake.hpp"
#include "machine.hpp"
#include "stream.hpp"

/// Streams and events of the fake runtime.
namespace fake {

using call_list = std::vector<std::function<void()>>;

/// Reached when the flag is true; an event that was never recorded counts as reached.
struct event {
  int device = device_of_thread();
  std::shared_ptr<bool> reached = std::make_shared<bool>(true);
};
struct stream {
  struct call {
    std::function<void()> run;
    std::shared_ptr<bool> after;  // null: waits for nothing
  };
  int device = device_of_thread();
  bool records = false;
  call_list recorded;
  std::vector<task> noted;  // in place of calls, on a silent machine
  std::deque<call> waiting;

  stream();
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;
  ~stream();
};

/// Records the call if the stream records; otherwise runs it, now or in its turn.
void add(stream& to, std::function<void()> run, std::shared_ptr<bool> after = nullptr);
/// Runs pending calls until done() is true; returns whether it is: false if nothing else can run.
bool run_until(const std::function<bool()>& done);
/// Runs a stream; returns whether nothing waits on it afterwards.
bool ends(const stream& s);
/// Runs all pending calls.
void run_all();
/// Runs the call when nothing waits.
void when_idle(std::function<void()> call);

}  // namespace fake
