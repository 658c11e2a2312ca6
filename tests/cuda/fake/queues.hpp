// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "fake.hpp"
#include "machine.hpp"
#include "stream.hpp"

/// What streams and events are here.
namespace fake {

using call_list = std::vector<std::function<void()>>;

/// Recorded when what it points to is true; one that never was is as if it had been.
struct event {
  int device = device_of_thread();
  std::shared_ptr<bool> reached = std::make_shared<bool>(true);
};
struct stream {
  struct call {
    std::function<void()> run;
    std::shared_ptr<bool> after;  // null: nothing is waited for
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

/// Keeps the call where the stream records; else it runs, now or when its turn comes.
void add(stream& to, std::function<void()> run, std::shared_ptr<bool> after = nullptr);
/// Lets what waits go on until this is so. Whether it is: nothing that is left may go on otherwise.
bool run_until(const std::function<bool()>& done);
/// Whether nothing waits on a stream, once it went on.
bool ends(const stream& s);
/// Lets everything go on.
void run_all();
/// Runs when nothing waits.
void when_idle(std::function<void()> call);

}  // namespace fake
