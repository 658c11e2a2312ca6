// SPDX-License-Identifier: MIT
// Program of `ridgepoint flags mnist-mlp`: a training step of a network, <network>/step/threads:<n>, on a random
// batch, with ridgepoint::native_cpu at the instruction set of the flags. Each network has rows for one thread, 2, 4
// … and all cores; --benchmark_filter selects some. imdb-fasttext/ngrams:2 is study D's, with a vector for each of
// 1.2 million words and pairs of words: it takes 1.4 GB. Counters: the loss after `loss_steps` steps from the same
// weights, the bits of the weights then, and the step's receipt ÷ the time.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <span>

#include <ridgepoint/cpu/all.hpp>
#include <ridgepoint/graph/trainer.hpp>
#include <ridgepoint/models/all.hpp>

#include "bits.hpp"
#include "context.hpp"
#include "row.hpp"

namespace {

namespace rp = ridgepoint;
constexpr int loss_steps = 8;

/// Trains a network on one batch.
template <class Model>
class training_core {
 public:
  training_core(const Model& model, int threads)
      : objectives_(rp::models::objectives_of(model, net_)),
        trainer_(net_, rp::native_cpu(threads), objectives_, typename Model::optimiser{},
                 rp::models::learning<Model>({.batch = batch, .seed = 42}), rp::library_ops<float, rp::native_cpu>()),
        drawn_(net_, objectives_, batch) {
    for (const rp::slot slot : trainer_.learning().made().inputs) {
      const auto at = std::ranges::find(drawn_.inputs(), trainer_.plan()[slot].name, &column::name);
      x_.push_back(at->values());
    }
    for (const column& each : drawn_.targets()) y_.push_back(each.values());
  }
  double step() { return trainer_.step(fed(x_), fed(y_)); }
  [[nodiscard]] rp::work receipt() const { return trainer_.plan().receipt(); }
  [[nodiscard]] double bits() const {
    flags::digest all;
    for (const rp::planned_parameter& p : trainer_.learning().made().parameters) {
      const rp::tensor<float> values = trainer_.parameter(p.name);
      all.add(values.values());
    }
    return all.bits();
  }

 private:
  using column = rp::models::random_batch::column;
  using fed = std::span<const rp::host_values<float>>;
  static constexpr rp::index_t batch = rp::models::usual_batch<Model>();

  rp::graph net_{std::string(Model::name)};
  std::vector<rp::objective> objectives_;
  rp::trainer<float, rp::native_cpu> trainer_;
  rp::models::random_batch drawn_;
  std::vector<rp::host_values<float>> x_, y_;
};

/// Adds the row of a model. `variant` is appended to its name if it is not the default model.
template <class Model>
void add(const Model& model, const char* variant, int threads) {
  const std::string name = rp::concat(Model::name, variant, "/step/threads:", threads);
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    training_core<Model> net(model, threads);
    double loss = net.step();  // and warms up
    if (flags::wants_findings()) {
      for (int step = 1; step < loss_steps; ++step) loss = net.step();
      state.counters["loss"] = loss;
      state.counters["bits"] = net.bits();
    }
    for ([[maybe_unused]] auto _ : state) net.step();
    flags::set_rates(state, net.receipt());
  })->UseRealTime();
}

}  // namespace

int main(int argc, char** argv) {
  flags::add_context();
  const int cores = rp::available_threads();
  const auto add_all = []<class... Models>(rp::type_list<Models...>, int threads) {
    (add(Models{}, "", threads), ...);
    add(rp::models::imdb_fasttext{.ngrams = 2}, "/ngrams:2", threads);
  };
  for (int threads = 1; threads < cores; threads *= 2) add_all(rp::models::of_random_batch{}, threads);
  add_all(rp::models::of_random_batch{}, cores);
  return flags::run(argc, argv);
}
