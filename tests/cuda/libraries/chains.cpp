// SPDX-License-Identifier: MIT
// Compiles with NVRTC every element-wise chain in the networks' training steps; prints the remaining launches and
// bytes.
#include <ridgepoint/cuda/chain.hpp>

#include <doctest/doctest.h>

#include <iomanip>
#include <iostream>
#include <set>

#include <ridgepoint/cuda/runtime/program.hpp>
#include <ridgepoint/graph/chains.hpp>
#include <ridgepoint/graph/compile.hpp>
#include <ridgepoint/models/all.hpp>

#include "without_spills.hpp"

namespace rp = ridgepoint;

namespace {

template <class... Args>
void join_any(rp::type_list<Args...>, rp::detail::element_chain& to, rp::op_id op, const void* args,
              rp::detail::chain_step_form form) {
  const auto one = [&]<class A>(const A& call) { join(to, call, form, nullptr); };
  static_cast<void>(((op == rp::op_id_of<Args> ? (one(*static_cast<const Args*>(args)), true) : false) || ...));
}

/// The distinct chain kernels of all networks, by their template arguments; prints a line of counts for each network.
struct chains_of_models {
  rp::precision in;
  std::set<std::string> parameters = {};

  template <class Model>
  void add_of() {
    rp::graph net{std::string(Model::name)};
    const auto objectives = rp::models::objectives_of(Model{}, net);
    const auto options = rp::models::learning<Model>({.batch = Model::batch, .precision = in});
    add(Model::name, rp::plan_training(net, objectives, typename Model::optimiser{}, options).plan);
  }
  void add(std::string_view model, const rp::plan& steps) {
    const rp::addresses at = addresses_in_regions(steps);
    std::size_t elementwise = 0, kernels = 0;
    std::uint64_t bytes = 0, left = 0;
    for (const rp::planned_call& call : steps.calls)
      if (rp::detail::element_count(rp::all_chain_ops{}, call.op, call.arguments(at).get()) > 0) {
        ++elementwise, ++kernels;
        bytes += call.info.receipt.bytes.total();
      }
    left = bytes;
    for (const rp::call_chain& chain : rp::chains_of(steps)) {
      rp::detail::element_chain made;
      for (std::size_t c = chain.first; c < chain.end; ++c) {
        const rp::planned_call& call = steps.calls[c];
        const auto args = call.arguments(at);
        join_any(rp::all_chain_ops{}, made, call.op, args.get(), {.kept = chain.kept[c - chain.first]});
        left -= call.info.receipt.bytes.total();
      }
      left += chain.bytes.total();
      kernels -= chain.end - chain.first - 1;
      parameters.insert(made.wanted().element);
    }
    std::cout << std::left << std::setw(24) << model << std::right << std::setw(8) << steps.calls.size()
              << std::setw(14) << elementwise << std::setw(9) << kernels << std::setw(12) << (bytes >> 20)
              << std::setw(12) << (left >> 20) << '\n';
  }
};
template <class... Models>
std::vector<std::string> chains_of_all(rp::precision in, rp::type_list<Models...>) {
  std::cout << std::left << std::setw(24) << to_string(in)
            << "   calls  element-wise  kernels         MiB    MiB left\n";
  chains_of_models found{in};
  (found.add_of<Models>(), ...);
  return {found.parameters.begin(), found.parameters.end()};
}

void check_chains(rp::precision in) {
  const std::vector<std::string> parameters = chains_of_all(in, rp::models::all{});
  std::vector<rp::detail::kernel_name> kernels;
  for (const std::string& of : parameters) kernels.push_back(rp::detail::chain_kernel(of));
  CHECK(kernels.size() > 5);
  for (const char* const architecture : {"sm_75", "sm_80", "sm_90", "sm_100"})
    check_without_spills("chain", kernels, architecture);
}

}  // namespace

TEST_CASE("every chain of every network's training step compiles for Turing to Blackwell without a spill") {
  check_chains(rp::precision::f32);
}
TEST_CASE("every chain compiles, too, in networks in bfloat16" * doctest::test_suite("slow")) {
  check_chains(rp::precision::bf16);
}
TEST_CASE("every chain compiles, too, in networks in float16" * doctest::test_suite("slow")) {
  check_chains(rp::precision::f16);
}
