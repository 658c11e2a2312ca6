// SPDX-License-Identifier: MIT
#include "ledger.hpp"

#include <map>

#include "fake.hpp"

namespace {
std::vector<std::string> names;
int to_fail = 0;
bool failed = false;
std::map<std::string, int> alive;
}  // namespace

const std::vector<std::string>& fake::calls() { return names; }
void fake::reset(int failing) {
  names.clear();
  to_fail = failing;
  failed = false;
}
bool fake::has_failed() { return failed; }
bool fake::fails(const char* call) {
  names.emplace_back(call);
  const bool now = to_fail != 0 && static_cast<int>(names.size()) == to_fail;
  failed = failed || now;
  return now;
}
void fake::made(const char* call) { ++alive[call]; }
void fake::gone(const char* call) { --alive[call]; }
std::string fake::living() {
  std::string all;
  for (const auto& [name, count] : alive)
    if (count != 0) all += (all.empty() ? "" : ", ") + name + ": " + std::to_string(count);
  return all;
}
