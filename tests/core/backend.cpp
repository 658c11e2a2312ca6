// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cstring>

#include <ridgepoint/core/backend.hpp>

namespace rp = ridgepoint;

namespace {

struct add_one_args {
  int* value;
};
struct other_args {};
struct mute : rp::host_memory {};  // has no name
struct on_host : rp::host_memory {
  [[nodiscard]] static std::string name() { return "host"; }
};
void execute(const on_host&, const add_one_args& args) { ++*args.value; }

}  // namespace

TEST_CASE("a backend has memory, transfers and a name") {
  static_assert(rp::backend<on_host>);
  static_assert(!rp::backend<mute> && !rp::backend<int>);
}

TEST_CASE("a backend has exactly the ops it overloads") {
  static_assert(rp::executes<on_host, add_one_args>);
  static_assert(!rp::executes<on_host, other_args> && !rp::executes<mute, add_one_args>);
  int value = 1;
  execute(on_host{}, add_one_args{&value});
  CHECK(value == 2);
}

TEST_CASE("host memory copies in, across and out") {
  const on_host on;
  const char text[] = "0123456789";
  const rp::host_buffer a = on.allocate(sizeof text), b = on.allocate(sizeof text);
  on.upload(a.data(), text, sizeof text);
  on.copy(b.data(), a.data(), sizeof text);
  char back[sizeof text] = {};
  on.download(back, b.data(), sizeof text);
  on.synchronize();
  CHECK(std::strcmp(back, text) == 0);
  on.copy(nullptr, nullptr, 0);  // copying zero bytes accepts null pointers
}
