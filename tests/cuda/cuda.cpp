// SPDX-License-Identifier: MIT
#include <ridgepoint/cuda/cuda.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <ridgepoint/ops/all.hpp>

#include "fake/machine.hpp"
#include "fake_case.hpp"

namespace rp = ridgepoint;

static_assert(rp::backend<rp::cuda> && rp::records<rp::cuda> && rp::fetches_later<rp::cuda>);
static_assert(!rp::in_host_memory<rp::cuda>);

TEST_CASE("cuda: memory is uploaded, copied and downloaded") {
  const rp::cuda on;
  CHECK(on.name() == "cuda.a fake GPU");
  const std::vector<float> up{1, 2, 3};
  std::vector<float> down(3), later(3);
  auto a = on.allocate(12), b = on.allocate(12);
  on.upload(a.data(), up.data(), 12);
  on.copy(b.data(), a.data(), 12);
  on.synchronize();
  on.download(down.data(), b.data(), 12);
  CHECK(down == up);
  on.wait(on.fetch(later.data(), b.data(), 12));
  CHECK(later == up);
  a = on.allocate(0);
  CHECK(a.size_bytes() == 0);
}

TEST_CASE("cuda: a device reports its bus address") {
  CHECK(std::string(fake_gpu().described().address) == "0000:1b:00.0");
}

TEST_CASE("cuda: without a GPU, one line says why") {
  {
    const fake::playing without({.devices = 0});
    CHECK(rp::gpu_count() == 0);
    CHECK_THROWS_WITH_AS(rp::cuda(), "cuda: no GPU: cudaErrorNoDevice (100): no CUDA-capable device is detected",
                         rp::unsupported);
  }
  CHECK_THROWS_WITH_AS(rp::cuda({.device = 1}), "cuda: device is 1; must be 0 to 0", rp::value_error);
}

TEST_CASE("cuda: a failed call reports its library, code and names, and the process can go on") {
  const rp::cuda on;
  fake::reset(1);
  try {
    static_cast<void>(on.allocate(1 << 20));
    FAIL("allocated");
  } catch (const rp::gpu_error& e) {
    CHECK(std::string(e.what()) ==
          "CUDA: cudaMallocAsync of 1048576 bytes: cudaErrorMemoryAllocation (2): out of memory");
    CHECK(e.library() == "CUDA");
    CHECK(e.code() == 2);
    CHECK(e.name() == "cudaErrorMemoryAllocation");
  }
  fake::reset();
  CHECK(on.allocate(64).data() != nullptr);
}

TEST_CASE("cuda: a recording runs whenever it is replayed") {
  const rp::cuda on;
  auto memory = on.allocate(3 * 4 * sizeof(float));
  auto *x = static_cast<float*>(memory.data()), *y = x + 4;
  const std::vector<float> ones{1, 1, 1, 1};
  on.upload(x, ones.data(), 16);
  on.upload(y, ones.data(), 16);
  const rp::add_args<float> args{.size = 4, .a = x, .b = y, .y = y};
  const auto made = prepare(on, args, {});
  const auto recorded = on.record([&] { execute(on, made, args, {}); });
  std::vector<float> got(4);
  on.download(got.data(), y, 16);
  CHECK(got[3] == 1);
  on.replay(recorded);
  on.replay(recorded);
  on.download(got.data(), y, 16);
  CHECK(got[3] == 3);

  struct refusal {};
  CHECK_THROWS_AS(static_cast<void>(on.record([] { throw refusal(); })), refusal);
  execute(on, args);
  on.download(got.data(), y, 16);
  CHECK(got[3] == 4);
}

TEST_CASE("cuda: everything is released") {
  const std::string before = fake::living();
  {
    const rp::cuda on;
    const auto memory = on.allocate(100);
    const auto another = rp::cuda(on).allocate(100);
  }
  CHECK(fake::living() == before);
}
