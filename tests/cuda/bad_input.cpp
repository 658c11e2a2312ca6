// SPDX-License-Identifier: MIT
// Faults of a machine and its GPUs, on fake libraries: out of memory, a lost device, unsuitable code, a driver that is
// too old; several contexts, devices and threads; and errors between a recording and its replay.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include <ridgepoint/cuda/runtime/context.hpp>
#include <ridgepoint/reference/all.hpp>

#include "corner_batch.hpp"
#include "emulator/emulator.hpp"
#include "every_failure.hpp"
#include "support/near.hpp"
#include "trained_model.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

namespace {

/// The network of toy.hpp, with a given batch size.
class toy_network {
 public:
  explicit toy_network(rp::index_t batch) : batch_(batch), objectives_{{toy::mlp(net_), nn::softmax_cross_entropy{}}} {}
  [[nodiscard]] trained_model model() const {
    return {net_, objectives_, nn::adam{}, {.batch = batch_, .precision = rp::precision::f32}};
  }

 private:
  rp::index_t batch_;
  rp::graph net_{"toy"};
  std::vector<rp::objective> objectives_;
};

/// Returns what() of an error of this type; "" if none is thrown.
template <class Error>
std::string said_by(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}
/// Returns the result of make() on the heap, so that the test can release it early.
auto held(const auto& make) { return std::unique_ptr<decltype(make())>(new auto(make())); }
/// Runs a step on batch number `number`.
double corner_step(auto& trainer, int number) {
  const corner_batch s(number);
  return trainer.step(s.x, s.labels);
}

constexpr std::size_t of_context = std::size_t{32} << 20;  // a context's memory for products

}  // namespace

TEST_CASE("cuda: when out of memory, the error has the plan's total size, and the process can go on") {
  const toy_network large(1'000'000), small(32);
  const std::string before = fake::living();
  rp::plan_memory all;
  {
    const fake::playing silently({.silent = true});
    all = large.model().on(rp::cuda()).learning().program().memory();
  }
  REQUIRE(all.workspace_bytes > 0);
  const auto train_on = [](const toy_network& net) {
    return said_by<rp::gpu_memory_error>([&] {
      training_core of = net.model().on(rp::cuda());
      step(of);
    });
  };
  {
    const fake::playing full({.memory_bytes = of_context + (1 << 20) + fake::taken_bytes(), .silent = true});
    rp::plan_memory planned = all;
    planned.workspace_bytes = 0;  // not known yet
    CHECK(train_on(large) == rp::concat("CUDA: cudaMallocAsync of ", all.bytes(rp::memory_region::batch),
                                        " bytes: cudaErrorMemoryAllocation (2): out of memory; all of it takes ",
                                        to_string(planned)));
    CHECK(train_on(small) == "");
  }
  const fake::playing full({.memory_bytes = of_context + all.bytes() - 1 + fake::taken_bytes(), .silent = true});
  CHECK(train_on(large) == rp::concat("CUDA: cudaMallocAsync of ", all.workspace_bytes,
                                      " bytes: cudaErrorMemoryAllocation (2): out of memory; all of it takes ",
                                      to_string(all)));
  CHECK(train_on(small) == "");
  CHECK(fake::living() == before);
}

TEST_CASE("cuda: every call after the device is lost reports it, and everything is released") {
  const std::string before = fake::living();
  {
    std::optional<fake::playing> lost;  // outlives everything below, which it makes fail
    const rp::cuda on;
    auto trainer = held([&] { return toy::trainer<float>(on); });
    static_cast<void>(corner_step(*trainer, 0));
    auto memory = held([&] { return on.allocate(64); });
    const rp::add_args<float> args{.size = 4, .a = nullptr, .b = nullptr, .y = nullptr};
    float value = 0;
    const auto recorded = on.record([] {});
    auto* const later = on.fetch(&value, memory->data(), 4);

    lost.emplace(fake::machine{.lost = true});
    const std::function<void()> calls[] = {[&] { static_cast<void>(corner_step(*trainer, 1)); },
                                           [&] { static_cast<void>(corner_step(*trainer, 2)); },
                                           [&] { static_cast<void>(trainer->parameter("dense_1.w")); },
                                           [&] { static_cast<void>(on.allocate(64)); },
                                           [&] { on.upload(memory->data(), &value, 4); },
                                           [&] { on.download(&value, memory->data(), 4); },
                                           [&] { on.synchronize(); },
                                           [&] { static_cast<void>(on.elapsed_s([] {})); },
                                           [&] { static_cast<void>(on.record([] {})); },
                                           [&] { on.replay(recorded); },
                                           [&] { on.wait(later); },
                                           [&] { execute(on, args); },
                                           [&] { static_cast<void>(prepare(on, args, {})); }};
    for (const auto& call : calls)
      CHECK(said_by<rp::gpu_error>(call).find("cudaErrorDevicesUnavailable (46)") != std::string::npos);
    CHECK(said_by<rp::unsupported>([] { rp::cuda{}; }) ==
          "cuda: no GPU: cudaErrorDevicesUnavailable (46): CUDA-capable device(s) is/are busy or unavailable");
  }
  CHECK(fake::living() == before);
  auto trainer = toy::trainer<float>(rp::cuda());
  CHECK(corner_step(trainer, 0) > 0);
}

TEST_CASE("cuda: a device that is lost during a recording is released with the recording") {
  const std::string before = fake::living();
  {
    std::optional<fake::playing> lost;
    const rp::cuda on;
    CHECK(said_by<rp::gpu_error>([&] {
            static_cast<void>(on.record([&] { lost.emplace(fake::machine{.lost = true}); }));
          }).find("cudaErrorDevicesUnavailable") != std::string::npos);
  }
  CHECK(fake::living() == before);
}

TEST_CASE("cuda: code is compiled for the GPU, or as PTX for the newest older GPU that NVRTC knows") {
  CHECK(rp::detail::architecture_for(9, 0) == "sm_90");
  CHECK(rp::detail::architecture_for(9, 1) == "compute_90");
  CHECK(rp::detail::architecture_for(13, 0) == "compute_121");
  {
    const fake::playing newer({.major = 13});
    auto there = toy::trainer<float>(rp::cuda());
    auto here = toy::trainer<float>(rp::reference);
    CHECK(corner_step(there, 0) == near(corner_step(here, 0), 1e-6));
  }
  const fake::playing older({.major = 7});
  CHECK(said_by<rp::gpu_error>([] { rp::cuda{}; }) ==
        "NVRTC: compiling for a GPU of compute capability 7.0: NVRTC_ERROR_INVALID_OPTION (5): it compiles for sm_75 "
        "to sm_121");
}

TEST_CASE("cuda: the error for code that cannot be loaded has its target and the device") {
  const rp::cuda on;
  std::vector<float> x{1, 2};
  const rp::add_args<float> args{.size = 2, .a = x.data(), .b = x.data(), .y = x.data()};
  {
    const fake::playing unfit({.loading = cudaErrorNoKernelImageForDevice});
    CHECK(said_by<rp::gpu_error>([&] { execute(on, args); }) ==
          "CUDA: cudaLibraryLoadData of elementwise (sm_90 code, compute capability 9.0): "
          "cudaErrorNoKernelImageForDevice (209): no kernel image is available for execution on the device");
    CHECK(said_by<rp::gpu_error>([&] { static_cast<void>(prepare(on, args, {})); }).find("cudaLibraryLoadData") !=
          std::string::npos);
  }
  execute(on, args);
  CHECK(x == std::vector<float>{2, 4});
}

TEST_CASE("cuda: a driver older than the toolkit is reported in one line") {
  const fake::playing old({.devices = 0, .driver = cudaErrorInsufficientDriver});
  CHECK(rp::gpu_count() == 0);
  CHECK(said_by<rp::unsupported>([] { rp::cuda{}; }) ==
        "cuda: no GPU: cudaErrorInsufficientDriver (35): CUDA driver version is insufficient for CUDA runtime version");
}

TEST_CASE("cuda: a reported error is cleared in CUDA, so that later calls do not report it") {
  const rp::cuda on;
  fake::reset(1);
  CHECK(said_by<rp::gpu_memory_error>([&] { static_cast<void>(on.allocate(64)); }) != "");
  CHECK(cudaGetLastError() == cudaSuccess);
  fake::reset();
  const fake::playing old({.devices = 0, .driver = cudaErrorInsufficientDriver});
  CHECK(rp::gpu_count() == 0);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("cuda: work for another device between calls does not change the device of later calls") {
  const fake::playing both({.devices = 2});
  const std::string before = fake::living();
  {
    const rp::cuda one, other({.device = 1});
    std::vector<float> x{1, 2}, y{3, 5};
    const auto add_to = [](const rp::cuda& on, std::vector<float>& values) {
      execute(on, rp::add_args<float>{.size = 2, .a = values.data(), .b = values.data(), .y = values.data()});
    };
    const auto use_other = [&] { add_to(other, y); };
    add_to(one, x);
    use_other();
    fake::reset();
    const auto recorded = one.record([&] {
      add_to(one, x);
      use_other();
    });
    use_other();
    one.replay(recorded);
    CHECK(one.elapsed_s(use_other) > 0);
    const auto memory = one.allocate(sizeof(float));
    const rp::staged_part part{memory.data(), 0, sizeof(float)};
    const auto staged = one.stage({&part, 1});
    *static_cast<float*>(staged.open()) = 7;
    use_other();
    staged.send();
    use_other();
    staged.take();
    use_other();
    float value = 0;
    one.wait(one.fetch(&value, memory.data(), sizeof value));
    staged.finish();
    one.synchronize();
    other.synchronize();
    CHECK(value == 7);
    CHECK(x == std::vector<float>{4, 8});
    CHECK(y[0] == 3 * 128);
    CHECK(fake::illegal() == "");
  }
  CHECK(fake::living() == before);
}

TEST_CASE("cuda: interleaved contexts on one and two devices learn what the definition learns") {
  const fake::playing both({.devices = 2});
  const std::string before = fake::living();
  fake::reset();
  {
    auto here = toy::trainer<float>(rp::reference);
    const auto on_first = [] { return toy::trainer<float>(rp::cuda()); };
    auto first = held(on_first), second = held(on_first);
    auto other = toy::trainer<float>(rp::cuda({.device = 1}));
    for (int number = 0; number < 4; ++number) {
      const double want = corner_step(here, number);
      for (auto* const each : {first.get(), second.get()})
        CHECK(std::abs(corner_step(*each, number) - want) <= 1e-6 * want);
      CHECK(std::abs(corner_step(other, number) - want) <= 1e-6 * want);
    }
    first.reset();
    CHECK(std::isfinite(corner_step(*second, 4)));
    CHECK(other.profile(toy::corners(), 1).rows.size() > 1);
    CHECK(std::isfinite(other.fit(toy::corners(), {.epochs = 1}).loss.at(0)));
  }
  CHECK(fake::illegal() == "");
  CHECK(fake::living() == before);
}

TEST_CASE("cuda: threads with a backend each learn at once, on one device and on two") {
  const fake::playing silently({.devices = 2, .silent = true});
  const std::string before = fake::living();
  static_cast<void>(emulator::find(""));  // the first caller creates the list of kernels
  fake::reset();
  const toy_network net(32);
  const auto train_on = [&](int device) {
    training_core of = net.model().on(rp::cuda({.device = device}));
    for (int i = 0; i < 20; ++i) step(of);
  };
  {
    std::vector<std::jthread> threads;
    for (const int device : {0, 0, 1}) threads.emplace_back(train_on, device);
  }
  auto moved = held([&] { return net.model().on(rp::cuda({.device = 1})); });
  std::jthread([&] {
    step(*moved);  // created by another thread, on a device that thread selected
    moved.reset();
  }).join();
  CHECK(fake::illegal() == "");
  CHECK(fake::living() == before);
}

TEST_CASE("cuda: an exception during a recording ends and discards it") {
  const rp::cuda on;
  std::vector<float> x{1, 2};
  const rp::add_args<float> args{.size = 2, .a = x.data(), .b = x.data(), .y = x.data()};
  execute(on, args);
  const std::string before = fake::living();
  fake::reset();
  CHECK_THROWS_AS(static_cast<void>(on.record([&] {
                    execute(on, args);
                    throw std::domain_error("not CUDA's");
                  })),
                  std::domain_error);
  CHECK(fake::living() == before);
  CHECK(x == std::vector<float>{2, 4});
  on.replay(on.record([&] { execute(on, args); }));
  on.synchronize();
  CHECK(x == std::vector<float>{4, 8});
  CHECK(fake::illegal() == "");
}

TEST_CASE("cuda: an error between a recording and its replay, or between two replays, leaves a trainer as it was") {
  auto here = toy::trainer<float>(rp::reference);
  const double want = corner_step(here, 0);
  auto measured = toy::trainer<float>(rp::cuda());
  fake::reset();
  static_cast<void>(corner_step(measured, 0));
  const std::vector<std::string> calls = fake::calls();
  for (const char* const name : {"cudaStreamBeginCapture", "cudaLaunchKernel", "cudaStreamEndCapture",
                                 "cudaGraphInstantiate", "cudaGraphLaunch", "cudaStreamSynchronize"}) {
    CAPTURE(name);
    const auto failing = static_cast<int>(std::ranges::find(calls, name) - calls.begin()) + 1;
    auto there = toy::trainer<float>(rp::cuda());
    fake::reset(failing);
    CHECK(said_by<rp::gpu_error>([&] { static_cast<void>(corner_step(there, 0)); }).find(name) != std::string::npos);
    CHECK(std::abs(corner_step(there, 0) - want) <= 1e-6 * want);
    CHECK(there.steps_done() == 1);
  }
  fake::reset();
}
