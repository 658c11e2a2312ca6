// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <concepts>

#include <ridgepoint/core/error.hpp>

namespace rp = ridgepoint;

namespace {
struct formatted_once {
  int* times;
};
std::string to_string(const formatted_once& f) {
  ++*f.times;
  return "text";
}
}  // namespace

TEST_CASE("every exception is an error and carries its message") {
  const auto thrown = [](auto raise) {
    try {
      raise();
    } catch (const rp::error& e) {
      return std::string(e.what());
    }
    return std::string("nothing");
  };
  CHECK(thrown([] { rp::require(false, "op: n is ", 3, "; must be ", 4); }) == "op: n is 3; must be 4");
  CHECK(thrown([] { rp::require<rp::shape_error>(false, "shape"); }) == "shape");
  CHECK(thrown([] { rp::require<rp::value_error>(false, "value"); }) == "value");
  CHECK(thrown([] { rp::require<rp::unsupported>(false, "op"); }) == "op");
  CHECK(thrown([] { rp::require<rp::data_error>(false, "file"); }) == "file");
  CHECK(thrown([] { rp::require<rp::backend_error>(false, "call"); }) == "call");
  CHECK(thrown([] { rp::require(true, "fine"); }) == "nothing");
  static_assert(std::derived_from<rp::error, std::runtime_error>);
  static_assert(!std::convertible_to<rp::shape_error, rp::value_error>);
}

TEST_CASE("the message is built only on failure") {
  int times = 0;
  rp::require(true, formatted_once{&times});
  CHECK(times == 0);
  CHECK_THROWS_WITH_AS(rp::require<rp::data_error>(false, formatted_once{&times}), "text", rp::data_error);
  CHECK(times == 1);
}

TEST_CASE("a satisfied requirement is usable in constant expressions") {
  constexpr int checked = [] {
    rp::require(true, "fine");
    return 1;
  }();
  static_assert(checked == 1);
}
