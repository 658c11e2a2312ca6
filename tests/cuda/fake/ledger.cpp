// SPDX-License-Identifier: MIT
#include "ledger.hpp"

#include <map>
#include <mutex>
#include <string_view>

#include "fake.hpp"
#include "machine.hpp"
#include "stream.hpp"

namespace {
std::mutex alone;
std::vector<std::string> names;
int to_fail = 0;
bool failed = false;
std::map<std::string, int> alive;
fake::machine now;
std::vector<fake::task> given;
std::string broken;
thread_local int recording = 0;

/// Returns whether a call needs the device: NVRTC and descriptions of products do not.
bool reaches_device(std::string_view call) {
  return call.starts_with("cuda") || call == "cublasLtCreate" || call == "cublasLtMatmul" || call == "cudnnCreate" ||
         call == "cudnnBackendExecute" || call == "cudnnRNNForward" || call == "cudnnRNNBackwardData_v8" ||
         call == "cudnnRNNBackwardWeights_v8";
}
}  // namespace

const std::vector<std::string>& fake::calls() { return names; }
void fake::reset(int failing) {
  names.clear();
  given.clear();
  broken.clear();
  to_fail = failing;
  failed = false;
}
bool fake::has_failed() { return failed; }
bool fake::fails(const char* call) {
  const std::lock_guard held(alone);
  names.emplace_back(call);
  if (now.lost && reaches_device(call)) return true;
  const bool this_one = to_fail != 0 && static_cast<int>(names.size()) == to_fail;
  failed = failed || this_one;
  return this_one;
}
void fake::made(const char* call) {
  const std::lock_guard held(alone);
  ++alive[call];
}
void fake::gone(const char* call) {
  const std::lock_guard held(alone);
  --alive[call];
}
std::string fake::living() {
  std::string all;
  for (const auto& [name, count] : alive)
    if (count != 0) all += (all.empty() ? "" : ", ") + name + ": " + std::to_string(count);
  return all;
}

const fake::machine& fake::scenario() { return now; }
fake::playing::playing(const machine& other) : before_(now) { now = other; }
fake::playing::~playing() { now = before_; }

const std::vector<fake::task>& fake::tasks() { return given; }
void fake::give(const std::vector<task>& some) {
  const std::lock_guard held(alone);
  given.insert(given.end(), some.begin(), some.end());
}

const std::string& fake::illegal() { return broken; }
void fake::accuse(const std::string& of) {
  const std::lock_guard held(alone);
  if (broken.empty()) broken = of;
}
bool fake::outside_recordings(const char* call) {
  if (recording != 0) accuse(std::string(call) + " while a stream records");
  return recording == 0;
}
void fake::recording_begins() { ++recording; }
void fake::recording_ends() { --recording; }
