// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <string>

#include <ridgepoint/cuda/cuda.hpp>

#include "fake/fake.hpp"
#include "fake/machine.hpp"

/// Returns whether an error reports a failed call: the call, the name of the error, and its code.
inline bool tells(const ridgepoint::gpu_error& e, const std::string& call) {
  const std::string said = e.what(), what = ": " + e.name() + " (" + std::to_string(e.code()) + ')';
  return said.find(call) != std::string::npos && said.find(what) != std::string::npos && e.code() != 0;
}

/// Checks that body(), which makes `calls` calls, fails at call number `failing`. The failure must be reported, unless
/// it is the last call, a destructor's wait. Everything must be released, and later calls must be legal.
template <class Body>
void check_failure(int failing, std::size_t calls, const Body& body) {
  const std::string before = fake::living();
  fake::reset(failing);
  bool reported = false;
  std::string said;
  try {
    body();
  } catch (const ridgepoint::gpu_error& e) {
    reported = tells(e, fake::calls().at(static_cast<std::size_t>(failing - 1)));
    said = e.what();
  } catch (const ridgepoint::unsupported& e) {  // no device was found
    reported = fake::calls().at(static_cast<std::size_t>(failing - 1)) == "cudaGetDeviceCount";
    said = e.what();
  }
  const std::string& call = fake::calls().at(static_cast<std::size_t>(failing - 1));
  const bool waits_at_the_end = static_cast<std::size_t>(failing) == calls && call == "cudaStreamSynchronize";
  CAPTURE(failing);
  CAPTURE(call);
  CAPTURE(said);
  CHECK(fake::has_failed());
  CHECK((reported || (waits_at_the_end && said.empty())));
  CHECK(fake::living() == before);
  CHECK(fake::illegal() == "");
}

/// Runs check_failure() for every call of body() after the first `before_them`. Returns the number of calls.
template <class Body>
std::size_t check_every_failure(const Body& body, std::size_t before_them = 0) {
  const std::string before = fake::living();
  fake::reset();
  body();
  const std::size_t calls = fake::calls().size();
  CHECK(fake::living() == before);
  for (std::size_t failing = before_them + 1; failing <= calls; ++failing)
    check_failure(static_cast<int>(failing), calls, body);
  fake::reset();
  body();
  CHECK(fake::calls().size() == calls);
  fake::reset();
  return calls;
}
