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

/// Returns gemm() on the operands as they are, with its planner's prediction for f32 and f64.
template <class T>
peer::prepared_product multiply(const rp::cpu& on, const std::shared_ptr<peer::gemm_problem<T>>& p) {
  const rp::gemm_args<T> args{.a = p->a_view(), .b = p->b_view(), .c = p->c_view()};
  double predicted_cycles = 0;
  if constexpr (sizeof(T) > 2)
    if (on.thread_count() == 1) predicted_cycles = peer::gemm_cycles(on.isa(), args);
  return {.run = [&on, p] { rp::gemm(on, p->a_view(), p->b_view(), p->c_view()); },
          .detail = "gemm",
          .predicted_cycles = predicted_cycles};
}

/// Returns gemm() with B packed once, outside the timed calls.
template <class T>
peer::prepared_product multiply_packed(const rp::cpu& on, const std::shared_ptr<peer::gemm_problem<T>>& p) {
  if constexpr (sizeof(T) == 2) {
    const rp::gemm_args<T> g{.a = p->a_view(), .b = p->b_view(), .c = p->c_view()};
    const auto made =
        prepare(on, g, {.constant = p->b(), .constant_bytes = sizeof(T) * static_cast<std::size_t>(p->n * p->k)});
    if (made.info.constant_bytes == 0) throw peer::not_available("this CPU does not pack B in bf16");
    const auto workspace = std::make_shared<rp::host_buffer>(made.info.workspace_bytes),
               constants = std::make_shared<rp::host_buffer>(made.info.constant_bytes);
    make_constants(on, made, g, constants->data());
    return {.run = [=, &on] { execute(on, made, g, {.workspace = workspace->data(), .constants = constants->data()}); },
            .detail = made.info.algorithm};
  } else {
    const auto b = std::make_shared<rp::packed_matrix<T, rp::cpu>>(rp::pack_b(on, p->b_view()));
    return {.run = [&on, p, b] { rp::gemm(on, p->a_view(), *b, p->c_view()); }, .detail = "gemm, B packed beforehand"};
  }
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
                          return peer::gemm_task<rp::bfloat16>(problem, [&](const auto& p) {
                            return packed ? multiply_packed(on, p) : multiply(on, p);
                          });
                        if (packed) throw peer::not_available("only a product has something to pack");
                        if (problem[0] == "network") return peer::network_task(on, problem);
                        if (peer::is_of_images(problem)) return peer::image_task(on, problem);
                        if (peer::recurrent_pass::names(problem)) return peer::recurrent_task(on, problem);
                        return problem[0] == "mlp" ? peer::mlp_task(on, problem) : peer::map_task(on, problem, exp);
                      }});
}
