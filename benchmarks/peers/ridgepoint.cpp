// SPDX-License-Identifier: MIT
#include <cstdlib>

#include <ridgepoint/cpu/gemm.hpp>

#include "gemm_problem.hpp"

namespace rp = ridgepoint;

namespace {

int threads() {
  const char* n = std::getenv("OMP_NUM_THREADS");
  return n == nullptr ? 0 : std::atoi(n);
}

}  // namespace

int main(int argc, char** argv) {
  const rp::cpu on(threads());
  return peer::serve(argc, argv,
                     {.settings = {{"default"}},
                      .about = [] { return "ridgepoint " RIDGEPOINT_VERSION_STRING " / " + rp::cpu::name(); },
                      .prepare =
                          [&](const peer::words& problem, const std::string&) {
                            return peer::gemm_task(
                                problem, [&on]<class T>(const std::shared_ptr<peer::gemm_problem<T>>& p) {
                                  return std::pair<std::function<void()>, std::string>(
                                      [&on, p] { rp::gemm(on, p->a_view(), p->b_view(), p->c_view()); }, "gemm");
                                });
                          }});
}
