// SPDX-License-Identifier: MIT
// on_device: checks on this machine's GPU that a network learns what the definition learns. Exit codes: 0 it does, 1 it
// does not, 77 no GPU; 1 instead of 77 if RIDGEPOINT_REQUIRE_GPU=1 requires one.
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <vector>

#include <ridgepoint/cuda/cuda.hpp>

#include "corner_batch.hpp"
#include "measurement/trainers/reference_f64.hpp"

namespace rp = ridgepoint;

namespace {

/// Returns the largest relative difference of some losses from the definition's.
template <class T>
double farthest(const rp::cuda& on) {
  auto there = toy::trainer<T>(on, corner_batch::size);
  auto here = toy::trainer<T>(rp::reference, corner_batch::size);
  double most = 0;
  for (int step = 0; step < 50; ++step) {
    const corner_batch s(step);
    const std::vector<T> inputs(s.x.begin(), s.x.end());
    const double want = here.step(inputs, s.labels), got = there.step(inputs, s.labels);
    most = std::max(most, std::isfinite(got) ? std::abs(got - want) / want : HUGE_VAL);
  }
  return most;
}

int learn() {
  const rp::cuda on;
  std::cout << on.name() << '\n';
  const double narrow = farthest<float>(on), wide = farthest<double>(on);
  std::cout << "50 losses differ from the definition's by " << narrow << " in f32, which may be 1e-4, and " << wide
            << " in f64, which may be 1e-10\n";
  return narrow <= 1e-4 && wide <= 1e-10 ? 0 : 1;
}

}  // namespace

int main() {
  try {
    if (rp::gpu_count() > 0) return learn();
    std::cout << "no GPU: " << ridgepoint_cuda()->why_none() << '\n';
    const char* const required = std::getenv("RIDGEPOINT_REQUIRE_GPU");
    return required != nullptr && std::string_view(required) == "1" ? 1 : 77;
  } catch (const rp::error& e) {
    std::cout << e.what() << '\n';
    return 1;
  }
}
