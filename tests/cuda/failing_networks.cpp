// SPDX-License-Identifier: MIT
// Failures of calls during the training of any network of models/, on a silent fake GPU. Every call of every op fails
// once: in its preparation, its recording and its replay. Ops with the same sequence of calls as an earlier one are
// skipped.
//
// Full trainings of two steps follow. In float, every call fails in networks with few calls. In other networks, the
// first and the last call of each name fails in the context's creation, in the network's creation, and in each step,
// plus some random calls. In bfloat16 and float16, random calls of networks with few calls fail. With
// RIDGEPOINT_EVERY_CALL=1, which takes minutes, every call of every network fails in each of the three precisions.
#include <doctest/doctest.h>

#include <cstdlib>
#include <map>
#include <set>

#include <ridgepoint/core/random.hpp>

#include "every_failure.hpp"
#include "every_model.hpp"

namespace rp = ridgepoint;

namespace {

/// The ends of the parts of a training, as numbers of calls.
struct parts {
  std::size_t context = 0, network = 0, first_step = 0, all = 0;
};
/// Runs a step; after a failure, the next step must work.
void step_or_go_on(training_core& of) {
  try {
    step(of);
  } catch (const rp::gpu_error&) {
    step(of);
    throw;
  }
}
parts train(const trained_model& m) {
  parts ends;
  const rp::cuda gpu;
  ends.context = fake::calls().size();
  training_core of = m.on(gpu);
  ends.network = fake::calls().size();
  step_or_go_on(of);
  ends.first_step = fake::calls().size();
  step_or_go_on(of);
  return ends;
}

constexpr rp::precision precisions[] = {rp::precision::f32, rp::precision::bf16, rp::precision::f16};

/// Returns the numbers of the calls that fail, from 1.
std::set<std::size_t> those_that_fail(const std::vector<std::string>& calls, const parts& ends, rp::precision in) {
  constexpr int drawn = 10;
  std::set<std::size_t> failing;
  const bool every = std::getenv("RIDGEPOINT_EVERY_CALL") != nullptr;
  const std::size_t few = every ? calls.size() : 400;
  if (in != rp::precision::f32 && calls.size() > few) return failing;
  rp::random_stream random(static_cast<std::uint64_t>(in));
  for (int i = 0; i < drawn; ++i) failing.insert(1 + random.below(static_cast<std::uint32_t>(calls.size())));
  if (in != rp::precision::f32 && !every) return failing;
  std::map<std::pair<int, std::string>, std::size_t> last;
  for (std::size_t number = 1; number <= calls.size(); ++number) {
    const int part = number <= ends.context ? 0 : number <= ends.network ? 1 : number <= ends.first_step ? 2 : 3;
    const bool is_first = last.insert_or_assign({part, calls[number - 1]}, number).second;
    if (is_first || calls.size() <= few) failing.insert(number);
  }
  for (const auto& each : last) failing.insert(each.second);
  return failing;
}

/// One op of a plan on a separate context.
struct single_op {
  const rp::program<rp::cuda>& of;
  const rp::planned_call& call;
  std::shared_ptr<const void> args;
  void* workspace;

  /// Returns how many calls had been made when the context was complete.
  std::size_t run() const {
    const rp::cuda gpu;
    const std::size_t calls = fake::calls().size();
    const auto* const entry = rp::library_ops<float, rp::cuda>().find(call.op);
    rp::bound_call<rp::cuda> bound = entry->bind(gpu, args.get(), {});
    bound.memory = {.workspace = workspace};
    gpu.replay(gpu.record([&] { bound.run(gpu, bound); }));
    return calls;
  }
};

}  // namespace

TEST_CASE("cuda: whichever call fails while a network is created or trained is reported, and the process goes on") {
  const fake::playing silently({.silent = true});
  const auto check = [](const trained_model& m) {
    CAPTURE(m.net.name());
    CAPTURE(to_string(m.options.precision.value()));
    const auto body = [&] { static_cast<void>(train(m)); };
    fake::reset();
    const parts ends = train(m);
    const std::vector<std::string> calls = fake::calls();
    const std::set<std::size_t> failing = those_that_fail(calls, ends, m.options.precision.value());
    if (failing.empty()) return;
    for (const std::size_t number : failing) check_failure(static_cast<int>(number), calls.size(), body);
    fake::reset();
    body();
    CHECK((fake::calls() == calls));
  };
  for (const rp::precision in : precisions) each_model(in, check);
  fake::reset();
}

TEST_CASE("cuda: whichever call of an op of any network fails, it is reported, and everything is released") {
  const fake::playing silently({.silent = true});
  std::set<std::vector<std::string>> seen;
  const auto check = [&](const trained_model& m) {
    CAPTURE(m.net.name());
    const rp::cuda gpu;
    const training_core made = m.on(gpu);
    const rp::program<rp::cuda>& steps = made.learning().program();
    const auto workspace = gpu.allocate(steps.workspace_bytes());
    for (const rp::planned_call& call : steps.plan().calls) {
      CAPTURE(to_string(*call.op));
      const single_op op{steps, call, call.bind(steps.at()), workspace.data()};
      fake::reset();
      const std::size_t made_by = op.run(), calls = fake::calls().size();
      std::vector<std::string> kind = fake::calls();
      kind.push_back(to_string(*call.op));
      if (!seen.insert(kind).second) continue;
      for (std::size_t failing = made_by + 1; failing <= calls; ++failing)
        check_failure(static_cast<int>(failing), calls, [&] { static_cast<void>(op.run()); });
    }
  };
  for (const rp::precision in : precisions) each_model(in, check);
  fake::reset();
}
