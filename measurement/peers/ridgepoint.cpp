// SPDX-License-Identifier: MIT
#include <cstdlib>

#include <ridgepoint/cpu/cpu.hpp>

#include "exp_kernel.hpp"
#include "gemm_cycles.hpp"
#include "image_task.hpp"
#include "map_problem.hpp"
#include "mlp_problem.hpp"
#include "network_problem.hpp"
#include "recurrent_problem.hpp"

namespace rp = ridgepoint;

namespace {

/// Returns gemm() on the operands as they are, with its planner's prediction.
template <class T>
peer::prepared_product multiply(const rp::cpu& on, const std::shared_ptr<peer::gemm_problem<T>>& p) {
  const rp::gemm_args<T> args{.a = p->a_view(), .b = p->b_view(), .c = p->c_view()};
  return {.run = [&on, p] { rp::gemm(on, p->a_view(), p->b_view(), p->c_view()); },
          .detail = "gemm",
          .predicted_cycles = on.thread_count() == 1 ? peer::gemm_cycles(on.isa(), args) : 0};
}

/// Returns gemm() with B packed once, outside the timed calls.
template <class T>
peer::prepared_product multiply_packed(const rp::cpu& on, const std::shared_ptr<peer::gemm_problem<T>>& p) {
  const auto b = std::make_shared<rp::packed_matrix<T, rp::cpu>>(rp::pack_b(on, p->b_view()));
  return {.run = [&on, p, b] { rp::gemm(on, p->a_view(), *b, p->c_view()); }, .detail = "gemm, B packed beforehand"};
}

int threads() {
  const char* n = std::getenv("OMP_NUM_THREADS");
  return n == nullptr ? 0 : std::atoi(n);
}

}  // namespace

// RIDGEPOINT_ISA sets the instruction set.
int main(int argc, char** argv) {
  const rp::cpu on(threads());
  const auto exp = [run = peer::exp_kernel(on.isa())](const rp::cpu& where, rp::index_t size, const float* x,
                                                      float* y) { run(where.thread_count(), size, x, y); };
  return peer::serve(argc, argv,
                     {.settings = {{"plain"}, {.label = "packed", .operands = peer::form::packed}},
                      .about = [&] { return "ridgepoint " RIDGEPOINT_VERSION_STRING " / " + on.name(); },
                      .prepare = [&](const peer::words& problem, const std::string& setting) -> peer::task {
                        const bool packed = setting == "packed";
                        if (problem[0] == "gemm")
                          return peer::gemm_task(problem, [&](const auto& p) {
                            return packed ? multiply_packed(on, p) : multiply(on, p);
                          });
                        if (packed) throw peer::not_available("only a product has something to pack");
                        if (problem[0] == "network") return peer::network_task(on, problem);
                        if (peer::is_of_images(problem)) return peer::image_task(on, problem);
                        if (peer::recurrent_pass::names(problem)) return peer::recurrent_task(on, problem);
                        return problem[0] == "mlp" ? peer::mlp_task(on, problem) : peer::map_task(on, problem, exp);
                      }});
}
