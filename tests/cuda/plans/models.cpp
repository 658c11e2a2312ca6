// SPDX-License-Identifier: MIT
// Checks with the real cuDNN and without a GPU which engine each convolution of every network gets on an H100 and an
// H200, and that cuDNN accepts the description of each recurrent layer.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include <ridgepoint/cuda/convolution.hpp>
#include <ridgepoint/cuda/cuda_ops.hpp>
#include <ridgepoint/cuda/library_recurrent.hpp>
#include <ridgepoint/graph/compile.hpp>
#include <ridgepoint/models/all.hpp>

#include "described.hpp"
#include "properties.hpp"
#include "support/planned_arguments.hpp"

namespace rp = ridgepoint;
using rp::detail::convolution_pass;
using rp::detail::convolution_problem;
using rp::detail::recurrent_problem;

namespace {

/// The distinct convolutions that are not plain products, and the recurrent layers with cells that cuDNN has, in the
/// order of the networks.
struct problems {
  std::vector<convolution_problem> all;
  std::vector<std::string> first_of;  // the first network that has it
  std::vector<recurrent_problem> recurrent;

  template <class Args>
  void add(std::string_view model, const rp::plan& steps) {
    for (const Args& args : planned_arguments<Args>(steps)) {
      const convolution_problem p{.pass = rp::detail::call_of(args).pass, .geometry = args.geometry};
      if (rp::detail::as_matrix(p.geometry) || std::ranges::find(all, p) != all.end()) continue;
      all.push_back(p);
      first_of.emplace_back(model);
    }
  }
  template <class Args>
  void add_recurrent(const rp::plan& steps) {
    for (const Args& args : planned_arguments<Args>(steps))
      if (const auto call = rp::detail::library_call_of(args)) {
        const auto p = rp::detail::problem_of(call->cell, call->operands.x, call->operands.y.width);
        if (std::ranges::find(recurrent, p) == recurrent.end()) recurrent.push_back(p);
      }
  }
  template <class Model>
  void add_of() {
    rp::graph net{std::string(Model::name)};
    const auto objectives = rp::models::objectives_of(Model{}, net);
    const auto options = rp::models::learning<Model>({.batch = Model::batch, .precision = rp::precision::f32});
    const rp::plan steps = rp::plan_training(net, objectives, typename Model::optimiser{}, options).plan;
    add<rp::conv2d_args<float>>(Model::name, steps);
    add<rp::conv2d_backward_data_args<float>>(Model::name, steps);
    add<rp::conv2d_backward_weights_args<float>>(Model::name, steps);
    add_recurrent<rp::rnn_args<float>>(steps);
    add_recurrent<rp::lstm_args<float>>(steps);
    add_recurrent<rp::gru_args<float>>(steps);
  }
};
template <class... Models>
problems problems_of(rp::type_list<Models...>) {
  problems found;
  (found.add_of<Models>(), ...);
  return found;
}
const problems& of_all_models() {
  static const problems found = problems_of(rp::models::all{});
  return found;
}

/// Checks that every call of a network's training step in this precision is a GPU op.
template <class Model>
void check_ops(rp::precision in) {
  rp::graph net{std::string(Model::name)};
  const auto objectives = rp::models::objectives_of(Model{}, net);
  const auto options = rp::models::learning<Model>({.batch = 1, .precision = in});
  for (const rp::planned_call& call :
       rp::plan_training(net, objectives, typename Model::optimiser{}, options).plan.calls)
    CHECK_MESSAGE(rp::op_position(rp::cuda_ops{}, call.op) < rp::cuda_ops::size,
                  Model::name << " needs " << to_string(*call.op));
}

const char* name_of(convolution_pass pass) {
  return pass == convolution_pass::forward         ? "forward"
         : pass == convolution_pass::backward_data ? "backward data"
                                                   : "backward weights";
}
/// Returns "engine 33, 12.5 MiB, notes 0 1".
std::string text(const std::optional<rp::detail::cudnn_plan>& plan) {
  if (!plan) return "no engine: kernels of ours";
  std::string notes;
  for (const auto note : plan->engine().numbers) notes += rp::concat(' ', static_cast<int>(note));
  return rp::concat("engine ", plan->engine().number, ", ", (plan->workspace_bytes() + (1 << 19)) >> 20, " MiB",
                    notes.empty() ? "" : ", notes", notes);
}

}  // namespace

TEST_CASE("every network's training step in bfloat16 and in float16 uses only GPU ops") {
  for (const auto in : {rp::precision::bf16, rp::precision::f16})
    [=]<class... Models>(rp::type_list<Models...>) { (check_ops<Models>(in), ...); }(rp::models::all{});
}

TEST_CASE("cuDNN has a plan for every convolution of every network on an H100 and an H200") {
  constexpr std::size_t made_for = 91900;
  if (cudnnGetVersion() / 100 != made_for / 100) {
    std::cerr << "skipped: made for cuDNN " << made_for << ", this is " << cudnnGetVersion() << '\n';
    std::exit(77);
  }
  const problems& found = of_all_models();
  CHECK(found.all.size() > 100);
  for (const described::gpu& gpu : {described::h100, described::h200}) {
    const rp::detail::cudnn_descriptor device = described::device(gpu);
    for (const std::string_view numbers : {"strict", "tensor floats", "bf16", "f16"}) {
      const bool strict = numbers == "strict", narrow = numbers.ends_with("16");
      std::cout << gpu.name << ", " << numbers << '\n';
      std::size_t without = 0;
      for (std::size_t i = 0; i < found.all.size(); ++i) {
        convolution_problem p = found.all[i];
        p.type = numbers == "bf16" ? rp::element::bf16 : narrow ? rp::element::f16 : rp::element::f32;
        p.may_use_tensor_floats = !strict && !narrow;
        const auto plan = rp::detail::find_plan({.device = &device}, p);
        without += plan ? 0 : 1;
        p.workspace_limit_bytes = std::size_t{1} << 30;
        const auto small = rp::detail::find_plan({.device = &device}, p);
        std::cout << "  " << found.first_of[i] << ", " << name_of(p.pass) << ", " << to_string(p.geometry) << ": "
                  << text(plan) << (text(small) == text(plan) ? "" : "; within 1 GiB " + text(small)) << '\n';
        CHECK((small && small->workspace_bytes() <= std::size_t{1} << 30));
        if (plan && strict) CHECK_FALSE(plan->engine().has(CUDNN_NUMERICAL_NOTE_TENSOR_CORE));
        if (plan) CHECK_FALSE(plan->engine().has(CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC));
        if (plan && narrow) CHECK_FALSE(plan->engine().has(CUDNN_NUMERICAL_NOTE_WINOGRAD));
      }
      CHECK(without == 0);
    }
  }
}

TEST_CASE("cuDNN accepts the description of every recurrent layer of every network") {
  std::vector<recurrent_problem> all = of_all_models().recurrent;
  CHECK(all.size() > 5);
  for (const auto cell : {rp::detail::library_cell::relu, rp::detail::library_cell::gru})
    all.push_back({.cell = cell, .steps = 7, .n = 3, .in = 5, .units = 11});
  for (recurrent_problem p : all)
    for (const int kind : {0, 1, 2}) {
      p.is_double = kind == 1;
      p.may_use_tensor_floats = kind == 2;
      CAPTURE(static_cast<int>(p.cell));
      CAPTURE(p.units);
      CHECK(rp::detail::cudnn_rnn_description::make(p, CUDNN_RNN_ALGO_STANDARD));
      if (!p.is_double) CHECK(rp::detail::cudnn_rnn_description::make(p, CUDNN_RNN_ALGO_PERSIST_STATIC_SMALL_H));
    }
}

TEST_CASE("a device described to cuDNN is read back unchanged") {
  const std::string text = described::json_of(described::device(described::h200));
  for (const char* const part : {"\"deviceName\"", "NVIDIA H200", "\"multiProcessorCount\"", "3201000", "62914560"}) {
    CAPTURE(text);
    CHECK(text.find(part) != std::string::npos);
  }
  CHECK(text.back() == '}');
}
