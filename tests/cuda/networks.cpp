// SPDX-License-Identifier: MIT
// Every network of models/, at full size, on a silent fake GPU: the calls of its steps, whether their arguments are
// legal, and what they create and release.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include <ridgepoint/cuda/convolution.hpp>

#include "every_model.hpp"
#include "fake/cudnn.hpp"
#include "fake/fake.hpp"
#include "fake/machine.hpp"
#include "fake_case.hpp"
#include "support/planned_arguments.hpp"

namespace rp = ridgepoint;

namespace {

using call_names = std::vector<std::string>;
using steps_of = rp::program<rp::cuda>;

/// Returns the calls of body().
template <class Body>
call_names calls_of(const Body& body) {
  fake::reset();
  body();
  return fake::calls();
}
/// Returns the tasks of a device in body().
template <class Body>
std::vector<fake::task> tasks_of(const Body& body) {
  fake::reset();
  body();
  return fake::tasks();
}
double flop_of(const std::vector<fake::task>& tasks) {
  double sum = 0;
  for (const fake::task& each : tasks) sum += each.flop;
  return sum;
}

/// Returns whether a call creates something that is released later, except descriptors and recordings.
bool makes(std::string_view call) {
  static const std::set<std::string_view> allocs{"cudaMalloc",
                                                 "cudaMallocAsync",
                                                 "cudaMallocHost",
                                                 "cudaStreamCreateWithFlags",
                                                 "cudaEventCreateWithFlags",
                                                 "cudaLibraryLoadData",
                                                 "cudaLibraryGetKernel",
                                                 "nvrtcCreateProgram",
                                                 "nvrtcCompileProgram",
                                                 "cublasLtCreate",
                                                 "cublasLtMatmulDescCreate",
                                                 "cublasLtMatmulAlgoGetHeuristic",
                                                 "cudnnCreate"};
  return allocs.contains(call);
}
/// Returns whether a call gives the device work.
bool is_work(std::string_view call) {
  static const std::set<std::string_view> work{"cudaLaunchKernel",        "cublasLtMatmul",
                                               "cudnnBackendExecute",     "cudnnRNNForward",
                                               "cudnnRNNBackwardData_v8", "cudnnRNNBackwardWeights_v8"};
  return work.contains(call);
}

/// Checks the calls. Creation: memory, kernels and plans, and no work except copies. First step: two recordings, and no
/// allocation except for the state that layers carry. Later steps: two replays.
void check_order(const rp::compiled& of, const call_names& made, const call_names& first, const call_names& second,
                 const call_names& third) {
  for (const std::string& call : made) {
    const bool records = call == "cudaStreamBeginCapture" || call == "cudaGraphLaunch" || is_work(call);
    if (records) FAIL_CHECK(call, " while it is made");
  }
  for (const std::string& call : first)
    if (makes(call) && (of.carried.empty() || call != "cudaMallocAsync")) FAIL_CHECK(call, " in the first step");
  CHECK(std::ranges::count(first, "cudaStreamBeginCapture") == 2);
  CHECK(std::ranges::count(first, "cudaGraphLaunch") == 2);
  for (const std::string& call : second)
    if (!is_of_a_replay(call)) FAIL_CHECK(call, " in the second step");
  CHECK(std::ranges::count(second, "cudaGraphLaunch") == 2);
  CHECK((second == third));
}

/// Checks that a recorded step gives the device the same tasks as its calls and chains one by one.
void check_recording(const steps_of& steps) {
  const std::size_t up_to_losses = steps.plan().forward_calls();
  const auto one_by_one = tasks_of([&] {
    steps.run_unrecorded(0, up_to_losses);
    steps.run_unrecorded(up_to_losses, steps.call_count());
  });
  const auto replayed = tasks_of([&] {
    steps.run(0, up_to_losses);
    steps.run(up_to_losses, steps.call_count());
  });
  CHECK((one_by_one == replayed));
}

/// Checks that a chain gives the device as many tasks as its head alone, or as its first call if it has no head, ending
/// with the chain's kernel. A head that reads the inputs of preceding conversions uses other kernels.
void check_chains(const steps_of& steps) {
  for (const rp::call_chain& chain : steps.chains()) {
    std::size_t head = chain.first;
    for (std::size_t c = chain.first; c < chain.end; ++c)
      if (rp::maps_of_head(steps.plan().calls[c].op) > 0) head = c;
    const auto alone = tasks_of([&] { steps.run(head); });
    const auto fused = tasks_of([&] { steps.run_unrecorded(chain.first, chain.end); });
    CAPTURE(to_string(*steps.plan().calls[chain.first].op));
    REQUIRE(fused.size() == alone.size());
    REQUIRE(!fused.empty());
    for (std::size_t t = 0; t + 1 < fused.size(); ++t) {
      CHECK(fused[t].call == alone[t].call);
      if (head == chain.first) CHECK((fused[t] == alone[t]));
    }
    if (head != chain.first) CHECK(fused.front().digest != alone.front().digest);
    CHECK(fused.back().call == "cudaLaunchKernel");
    CHECK(flop_of(fused) == 0);
  }
}

/// Returns how many convolutions of one pass cuDNN computes.
template <class Args>
std::ptrdiff_t convolutions(const rp::plan& steps) {
  const auto all = planned_arguments<Args>(steps);
  return std::ranges::count_if(all, [](const Args& args) { return !rp::detail::as_matrix(args.geometry); });
}
template <class T>
std::ptrdiff_t convolutions_of(const rp::plan& steps) {
  return convolutions<rp::conv2d_args<T>>(steps) + convolutions<rp::conv2d_backward_data_args<T>>(steps) +
         convolutions<rp::conv2d_backward_weights_args<T>>(steps);
}
/// Checks the multiply-adds of products and convolutions against the plan. A recurrent op by cuDNN must execute as many
/// as its preparation says; our own cells up to one step of them fewer, because a first state of zeros is not
/// multiplied. Other ops have none.
void check_flop(const rp::planned_call& planned, const rp::preparation& info, const std::vector<fake::task>& tasks) {
  const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::any_of(names, [&](std::string_view name) { return planned.op->name.starts_with(name); });
  };
  const double got = flop_of(tasks), wanted = static_cast<double>(planned.info.receipt.matrix_flop);
  if (info.algorithm == std::string_view("cudnn")) {
    CHECK(got == static_cast<double>(info.executed.matrix_flop));
  } else if (is_one_of({"rnn", "lstm", "gru", "projected_lstm"})) {
    const double steps = std::stod(planned.info.shape);  // "28x128x28 -> 256"
    CHECK(got <= wanted);
    CHECK(got >= wanted - wanted / steps);
  } else {
    CHECK(got == (is_one_of({"dense", "gemm", "conv2d"}) ? wanted : 0));
  }
}
/// Checks that every call of the plan gives the device work, and that cuDNN computes every convolution except plain
/// products.
void check_work(const steps_of& steps) {
  std::ptrdiff_t by_cudnn = 0;
  for (std::size_t c = 0; c < steps.call_count(); ++c) {
    const rp::planned_call& planned = steps.plan().calls[c];
    CAPTURE(to_string(*planned.op));
    CAPTURE(planned.info.layer);
    CAPTURE(planned.info.shape);
    const auto tasks = tasks_of([&] { steps.run(c); });
    CHECK(!tasks.empty());
    by_cudnn += std::ranges::count(tasks, "cudnnBackendExecute", &fake::task::call);
    if (fake::has_cudnn() || !planned.op->name.starts_with("conv2d")) check_flop(planned, steps.info(c), tasks);
  }
  if (fake::has_cudnn())
    CHECK(by_cudnn == convolutions_of<float>(steps.plan()) + convolutions_of<rp::bfloat16>(steps.plan()) +
                          convolutions_of<rp::float16>(steps.plan()));
}

void check_every_network(rp::precision in) {
  const fake::playing silently({.silent = true});
  each_model(in, [](const trained_model& m) {
    CAPTURE(m.net.name());
    const std::string before = fake::living();
    {
      fake::reset();
      training_core of = m.on(rp::cuda());
      const call_names made = fake::calls();
      const auto next_step = [&] { return calls_of([&] { step(of); }); };
      const call_names first = next_step(), second = next_step(), third = next_step();
      check_order(of.learning().made(), made, first, second, third);
      check_recording(of.learning().program());
      check_chains(of.learning().program());
      check_work(of.learning().program());
    }
    CHECK(fake::living() == before);
    CHECK(fake::illegal() == "");
  });
}

}  // namespace

TEST_CASE("cuda: every network is created, recorded in its first step and then replayed, by legal calls") {
  check_every_network(rp::precision::f32);
}
TEST_CASE("cuda: every network in bfloat16, too") { check_every_network(rp::precision::bf16); }
TEST_CASE("cuda: every network in float16, too") { check_every_network(rp::precision::f16); }
