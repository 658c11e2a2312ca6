// SPDX-License-Identifier: MIT
// A step on the CPU backend allocates nothing, neither with operator new nor with malloc and related functions.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>

#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/graph/session.hpp>

#include "toy.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__
#endif
#endif
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define COUNTS_ALLOCATIONS
namespace {
std::atomic<long> allocations = 0;             // in the whole program, by any of the functions below
std::atomic<std::size_t> allocated_bytes = 0;  // by malloc, which operator new calls
}  // namespace

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t bytes) {
  ++allocations;
  allocated_bytes += bytes;
  return __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) {
  ++allocations;
  return __libc_calloc(count, bytes);
}
void* realloc(void* old, std::size_t bytes) {
  ++allocations;
  return __libc_realloc(old, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  ++allocations;
  return __libc_memalign(alignment, bytes);
}
}  // extern "C"
#endif

#if defined(COUNTS_ALLOCATIONS)
namespace {
template <class Body>
long allocations_of(Body&& body) {
  const long before = allocations;
  body();
  return allocations - before;
}
}  // namespace

TEST_CASE("the counter counts") {
  int* volatile kept = nullptr;  // the compiler may remove a new whose result is unused
  CHECK(allocations_of([&] { kept = new int; }) == 1);
  delete kept;
  CHECK(allocations_of([] { const rp::host_buffer memory(100); }) > 0);
}

TEST_CASE_TEMPLATE("a step allocates nothing", T, float, double) {
  const auto check = [](const auto& on) {
    auto trainer = toy::trainer<T>(on, 16);
    std::vector<T> x(16 * 6, T(0.5));
    std::vector<std::int32_t> labels(16, 1);
    trainer.step(x, labels);
    CHECK(allocations_of([&] {
            for (int i = 0; i < 10; ++i) trainer.step(x, labels);
          }) == 0);
  };
  for (const int threads : {1, 2}) check(rp::cpu(threads));
}

TEST_CASE("planning a network twice as deep allocates twice as much") {
  const auto bytes_of = [](int layers) {
    rp::graph net("deep");
    rp::node y = net.input({4});
    for (int i = 0; i < layers; ++i) y = y | nn::dense{.units = 4} | nn::tanh{};
    const std::size_t before = allocated_bytes;
    const auto made = rp::plan_training(net, y, nn::softmax_cross_entropy{}, nn::adam{}, {.batch = 2});
    for (const rp::planned_call& call : made.plan.calls) CHECK(made.plan.footprint_bytes(call) > 0);
    return static_cast<double>(allocated_bytes - before);
  };
  CHECK(bytes_of(2000) < 2.2 * bytes_of(1000));
}

TEST_CASE("a step of fit() and a run of a session allocate nothing") {
  const toy::corners data;
  auto trainer = toy::trainer<float>(rp::cpu(1));
  std::vector<long> seen;
  seen.reserve(100);
  trainer.fit(data, {.epochs = 3}, [&](const rp::progress&) {
    seen.push_back(allocations);
    return true;
  });
  for (std::size_t i = 2; i < 9; ++i) CHECK(seen[i] == seen[i - 1]);

  rp::graph net("session");
  const rp::node logits = toy::mlp(net);
  const auto session = net.compile<float>(rp::cpu(1), logits, {.batch = 4});
  std::vector<float> x(24), y(12), probabilities(12);
  CHECK(allocations_of([&] { session.run(x, y); }) == 0);
  const auto both = net.compile<float>(rp::cpu(1), {logits, logits | nn::softmax{}}, {.batch = 4});
  CHECK(allocations_of([&] { both.run(x, {y, probabilities}); }) == 0);
}
#endif
