// SPDX-License-Identifier: MIT
#include "queues.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

namespace {
fake::order chosen = fake::order::at_once;
std::vector<fake::stream*> streams;  // in order of creation
fake::call_list delayed;
std::recursive_mutex alone;  // for all streams

bool idle() {
  return std::ranges::all_of(streams, [](const fake::stream* s) { return s->waiting.empty(); });
}
bool may_go_on(const fake::stream* s) {
  return !s->waiting.empty() && (s->waiting.front().after == nullptr || *s->waiting.front().after);
}
/// Returns the stream whose call is next; null if none can proceed.
fake::stream* next() {
  const auto first = std::ranges::find_if(streams, may_go_on);
  if (chosen == fake::order::first_stream_first) return first == streams.end() ? nullptr : *first;
  const auto last = std::find_if(streams.rbegin(), streams.rend(), may_go_on);
  return last == streams.rend() ? nullptr : *last;
}
}  // namespace

fake::stream::stream() {
  const std::lock_guard held(alone);
  streams.push_back(this);
}
fake::stream::~stream() {
  const std::lock_guard held(alone);
  ends(*this);
  std::erase(streams, this);
}

void fake::set_order(order wanted) {
  run_all();
  chosen = wanted;
}
void fake::add(stream& to, std::function<void()> run, std::shared_ptr<bool> after) {
  const std::lock_guard held(alone);
  if (to.records) to.recorded.push_back(std::move(run));
  else if (chosen == order::at_once) run();
  else to.waiting.push_back({std::move(run), std::move(after)});
}
bool fake::run_until(const std::function<bool()>& done) {
  const std::lock_guard held(alone);
  while (!done()) {
    stream* const at = next();
    if (at == nullptr) return false;
    const stream::call call = std::move(at->waiting.front());
    at->waiting.pop_front();
    call.run();
  }
  return true;
}
bool fake::ends(const stream& s) {
  return run_until([&] { return s.waiting.empty(); });
}
void fake::run_all() {
  const std::lock_guard held(alone);
  run_until(idle);
  for (const auto& call : std::exchange(delayed, {})) call();
}
void fake::when_idle(std::function<void()> call) {
  const std::lock_guard held(alone);
  if (idle()) call();
  else delayed.push_back(std::move(call));
}
