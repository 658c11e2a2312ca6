// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <string>

#include <ridgepoint/cuda/gpu_error.hpp>

#include "fake/fake.hpp"
#include "fake/machine.hpp"

/// What an error says of a call that failed: that it was that call, the name of what went wrong, and its code.
inline bool tells(const ridgepoint::gpu_error& e, const std::string& call) {
  const std::string said = e.what(), what = ": " + e.name() + " (" + std::to_string(e.code()) + ')';
  return said.find(call) != std::string::npos && said.find(what) != std::string::npos && e.code() != 0;
}

/// Call number `failing` of body() fails, which makes so many: it is told, unless it is the last, with which a
/// destructor waits; everything is given back, and what is called after it is legal.
template <class Body>
void check_failure(int failing, std::size_t calls, const Body& body) {
  const std::string before = fake::living();
  fake::reset(failing);
  bool told = false;
  std::string said;
  try {
    body();
  } catch (const ridgepoint::gpu_error& e) {
    told = tells(e, fake::calls().at(static_cast<std::size_t>(failing - 1)));
    said = e.what();
  } catch (const ridgepoint::unsupported& e) {  // there is no device, it seems
    told = fake::calls().at(static_cast<std::size_t>(failing - 1)) == "cudaGetDeviceCount";
    said = e.what();
  }
  const std::string& call = fake::calls().at(static_cast<std::size_t>(failing - 1));
  const bool waits_at_the_end = static_cast<std::size_t>(failing) == calls && call == "cudaStreamSynchronize";
  CAPTURE(failing);
  CAPTURE(call);
  CAPTURE(said);
  CHECK(fake::has_failed());
  CHECK((told || (waits_at_the_end && said.empty())));
  CHECK(fake::living() == before);
  CHECK(fake::illegal() == "");
}

/// Whichever call of body() after the first `before_them` fails: check_failure(). Returns how many it makes.
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
