// SPDX-License-Identifier: MIT
// This library on a GPU, with each call launched separately (eager) or recorded as a CUDA graph. RIDGEPOINT_TF32=1:
// uses TF32 products.
#include <cstdlib>
#include <iostream>
#include <string_view>

#include <ridgepoint/cuda/cuda.hpp>

#include "device_task.hpp"
#include "network_problem.hpp"

namespace rp = ridgepoint;

namespace {

/// Launch mode: calls one by one (eager), or all at once as recorded.
enum class calling { eager, recorded };

/// Training steps on a batch that is already on the device. Their losses are read, as for every peer.
class resident_steps {
 public:
  resident_steps(const rp::cuda& on, const peer::words& w, calling how)
      : how_(how),
        files_(peer::network_files::named()),
        of_(peer::network_said(w)),
        batch_(files_),
        losses_(problem::first_losses(on, *of_, files_, batch_)),
        trainer_(problem::started(on, *of_, files_)) {
    batch_.feed(trainer_).step(trainer_);
  }
  void step() {
    const rp::program<rp::cuda>& calls = trainer_.learning().program();
    const std::size_t forward = calls.plan().forward_calls();
    run(calls, 0, forward);
    for (std::size_t l = 0; l < trainer_.judged().size(); ++l) static_cast<void>(trainer_.learning().judged(l));
    run(calls, forward, calls.call_count());
  }
  [[nodiscard]] const std::vector<double>& losses() const noexcept { return losses_; }

 private:
  using problem = peer::network_problem<rp::cuda>;

  void run(const rp::program<rp::cuda>& calls, std::size_t first, std::size_t last) const {
    if (how_ == calling::recorded) return calls.run(first, last);
    for (std::size_t call = first; call < last; ++call) calls.run(call);
  }

  calling how_;
  peer::network_files files_;
  std::shared_ptr<const peer::described_network> of_;
  peer::network_batch batch_;
  std::vector<double> losses_;
  problem::trainer trainer_;
};

peer::task steps_of(const rp::cuda& on, const peer::words& w, calling how) {
  const auto p = std::make_shared<resident_steps>(on, w, how);
  return {.work = 1, .run = [p] { p->step(); }, .losses = p->losses(), .finish = [on] { on.synchronize(); }};
}
peer::task op_of(const rp::cuda& on, const peer::words& w, calling how) {
  peer::task made = peer::on_device(on, w).made;
  if (how == calling::recorded)
    made.run = [on, calls = on.record(made.run), held = made.run] {
      on.replay(calls);
    };  // they point into owned memory
  return made;
}

int serve(int argc, char** argv) {
  const char* const tensor_floats = std::getenv("RIDGEPOINT_TF32");
  const bool exact = tensor_floats == nullptr || std::string_view(tensor_floats) != "1";
  const rp::cuda on({.products = exact ? rp::gpu_products::exact : rp::gpu_products::tensor_floats,
                     .engines = rp::gpu_engines::timed});  // like cudnn.benchmark of the peers
  return peer::serve(argc, argv,
                     {.settings = {{"recorded"}, {"eager"}},
                      .about =
                          [&] {
                            return rp::concat("ridgepoint " RIDGEPOINT_VERSION_STRING " / ", on.name(),
                                              exact ? ", f32" : ", TF32");
                          },
                      .prepare =
                          [&](const peer::words& problem, const std::string& setting) {
                            const calling how = setting == "recorded" ? calling::recorded : calling::eager;
                            return problem[0] == "network" ? steps_of(on, problem, how) : op_of(on, problem, how);
                          }});
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return serve(argc, argv);
  } catch (const rp::unsupported& e) {
    std::cout << "no " << e.what() << '\n';
    return 0;
  }
}
