// SPDX-License-Identifier: MIT
// bench_mlp: training steps of the MNIST perceptron.
#include "measurement/peers/mlp_problem.hpp"
#include "suite.hpp"

#if defined(RIDGEPOINT_HAS_ONEDNN)
#include "measurement/trainers/onednn.hpp"
#endif

namespace rp = ridgepoint;

namespace {

template <class Backend>
void add(const Backend& on) {
  for (const char* batch : {"32", "128"}) {
    const rp::work receipt = peer::mlp_trainer(rp::reference, std::stol(batch)).plan().receipt();
    suite::add("mnist-mlp", on.name(), batch, receipt, [&on, batch] {
      return peer::mlp_task(on, {"mlp", "f32", batch});
    });
  }
}

}  // namespace

void register_benchmarks();
void register_benchmarks() {
  suite::threads();
  for (const auto& on : suite::backends()) add(*on);
#if defined(RIDGEPOINT_HAS_ONEDNN)
  static const rp::either library(rp::onednn(suite::threads()), rp::cpu(suite::threads()));
  add(library);
#endif
}
