// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <vector>

#include <ridgepoint/core/parallel.hpp>

#include "map_problem.hpp"

namespace {

/// Half of the bytes the op must move are read, half written, with ordinary vector loads and stores.
/// Compiled so that the loop is not replaced by memcpy(), which may bypass the caches.
void copy(int threads, const std::vector<float>& from, std::vector<float>& to) {
  constexpr ridgepoint::index_t part = 16384;
  const auto size = static_cast<ridgepoint::index_t>(from.size());
  ridgepoint::parallel_for(size > part ? threads : 1, ridgepoint::ceil_div(size, part), [&](ridgepoint::index_t p) {
    const float* source = from.data() + p * part;
    float* target = to.data() + p * part;
    const ridgepoint::index_t count = std::min(part, size - p * part);
    for (ridgepoint::index_t i = 0; i < count; ++i) target[i] = source[i];
  });
}

}  // namespace

int main(int argc, char** argv) {
  const char* threads_text = std::getenv("OMP_NUM_THREADS");
  const int threads = threads_text == nullptr ? ridgepoint::available_threads() : std::atoi(threads_text);
  return peer::serve(argc, argv,
                     {.settings = {{"copy"}},
                      .about = [] { return "the bytes of the op, half read, half written"; },
                      .prepare = [threads](const peer::words& problem, const std::string&) -> peer::task {
                        const peer::map_problem p(problem);
                        const auto half = static_cast<std::size_t>(p.bytes() / 2 / sizeof(float));
                        const auto from = std::make_shared<std::vector<float>>(half, 1.0F);
                        const auto to = std::make_shared<std::vector<float>>(half);
                        return {.work = static_cast<double>(p.size()),
                                .run = [=] { copy(threads, *from, *to); },
                                .verify =
                                    [=] {
                                      if (*from != *to) throw peer::wrong_result("not a copy");
                                    },
                                .detail = "copy"};
                      }});
}
