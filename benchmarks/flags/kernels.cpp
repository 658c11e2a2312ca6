// SPDX-License-Identifier: MIT
// Default program of `ridgepoint flags`: rows <op>/<shape>/<kind> on one thread, in float. It is compiled from the
// installed headers with the flags to be judged:
//   g++ -std=c++20 -O2 -mavx2 -mfma kernels.cpp -lbenchmark -lpthread
// kind is `definition`, the loops of ridgepoint::reference with sums in float, which show the compiler's own work; or
// `kernels`, ridgepoint::native_cpu at the instruction set of the flags. A slow definition runs on the first rows,
// images or steps of the shape, and its label gives their number. Counters: findings.hpp.
#include <benchmark/benchmark.h>

#include <memory>
#include <optional>

#include <ridgepoint/cpu/conv2d.hpp>
#include <ridgepoint/cpu/dense.hpp>
#include <ridgepoint/cpu/elementwise.hpp>
#include <ridgepoint/cpu/gemm.hpp>
#include <ridgepoint/cpu/losses.hpp>
#include <ridgepoint/cpu/optimisers.hpp>
#include <ridgepoint/cpu/pooling.hpp>
#include <ridgepoint/cpu/recurrent_layers.hpp>

#include "context.hpp"
#include "findings.hpp"
#include "row.hpp"
#include "training.hpp"

namespace {

using flags::index_t;
const ridgepoint::native_cpu one_thread(1);

/// Adds a row: its findings, computed when the row first runs, and the time of one execution.
template <class T, class Op, class Backend>
void add_row(const std::string& name, const std::string& label, const Backend& on, const Op& op, index_t checked) {
  const auto found = std::make_shared<std::optional<flags::findings>>();
  benchmark::RegisterBenchmark(name.c_str(), [=, &on](benchmark::State& state) {
    const auto run = [&](const Op& some, flags::arrays<T>& a) { execute(on, some.args(a)); };
    if (!*found && flags::wants_findings()) *found = flags::find<T>(op, checked, run);
    flags::arrays<T> a = flags::drawn_for<T>(op);
    const auto args = op.args(a);
    for ([[maybe_unused]] auto _ : state) {
      execute(on, args);
      benchmark::ClobberMemory();
    }
    if (const auto& f = *found) {
      state.counters["ulp_max"] = f->ulp_max;
      state.counters["ulp_mean"] = f->ulp_mean;
      state.counters["bits"] = f->bits;
      state.counters["nan_kept"] = f->nan_kept ? 1 : 0;
      state.counters["subnormals_kept"] = f->subnormals_kept ? 1 : 0;
    }
    flags::arrays<float> shape;
    flags::set_rates(state, receipt(op.args(shape)));
    state.SetLabel(label);
  });
}

/// Adds both rows of an op: the definition on its first `defined` rows (0: all) and the kernels. `checked` rows are
/// compared.
template <class Op>
void add(const Op& op, index_t checked, index_t defined = 0) {
  const std::string label = defined != 0 ? ridgepoint::concat("the first ", defined) : "";
  add_row<flags::single>(op.name() + "/definition", label, ridgepoint::reference, defined != 0 ? op.part(defined) : op,
                         checked);
  add_row<float>(op.name() + "/kernels", "", one_thread, op, checked);
}

/// Adds 20 training steps from the start: their time, the gradient error of the first step, the loss before the last
/// update, and the bits of the weights after it.
template <class T, class Backend>
void add_training(const char* kind, const Backend& on) {
  benchmark::RegisterBenchmark(ridgepoint::concat("training/mnist-mlp/", kind).c_str(), [&on](benchmark::State& state) {
    using training_core = flags::perceptron<T, Backend>;
    double loss = 0, bits = 0;
    for ([[maybe_unused]] auto _ : state) {
      state.PauseTiming();
      training_core net(on);
      state.ResumeTiming();
      for (int step = 0; step < training_core::steps; ++step) net.step();
      state.PauseTiming();
      loss = net.loss(), bits = net.bits();
      state.ResumeTiming();
    }
    if (flags::wants_findings()) {
      training_core first(on);
      flags::perceptron<flags::fixed_point, ridgepoint::reference_backend> exact(ridgepoint::reference);
      first.step(), exact.step();
      state.counters["gradient_error"] = first.gradient_error(exact);
      state.counters["loss"] = loss;
      state.counters["bits"] = bits;
    }
    flags::set_rates(state, {.flop = training_core::flop()});
    state.SetLabel(ridgepoint::concat(training_core::steps, " steps"));
  });
}

void add_all() {
  add(flags::gemm_op{1024, 1024, 1024}, 2, 4);
  add(flags::gemm_op{256, 256, 256}, 8);
  add(flags::dense_op{128, 512, 512}, 4, 16);
  add(flags::conv2d_op{32, 32, 3, 32, 3}, 1, 4);
  add(flags::conv2d_op{128, 8, 64, 64, 3}, 1, 2);
  add(flags::max_pool_op{32, 32, 32, 2}, 1);
  add(flags::lstm_op{20, 4, 128, 128}, 4);
  for (const auto f : {ridgepoint::activation::relu, ridgepoint::activation::tanh, ridgepoint::activation::sigmoid})
    add(flags::map_op{f, 65536}, 4096);
  add(flags::adam_op{1195018}, 4096);
  add_training<flags::single>("definition", ridgepoint::reference);
  add_training<float>("kernels", one_thread);
}

}  // namespace

int main(int argc, char** argv) {
  flags::add_context();
  add_all();
  return flags::run(argc, argv);
}
