// SPDX-License-Identifier: MIT
#include "eigen_product.hpp"

namespace {

std::string about() {
  return "Eigen " + std::to_string(EIGEN_WORLD_VERSION) + '.' + std::to_string(EIGEN_MAJOR_VERSION) + '.' +
         std::to_string(EIGEN_MINOR_VERSION) + " / " + Eigen::SimdInstructionSetsInUse();
}

peer::task prepare(const peer::words& problem, const std::string&) {
  return peer::gemm_task(problem, []<class T>(const std::shared_ptr<peer::gemm_problem<T>>& p) {
    return std::pair<std::function<void()>, std::string>([p] { peer::eigen_multiply(*p); }, "product");
  });
}

}  // namespace

int main(int argc, char** argv) {
  return peer::serve(argc, argv, {.settings = {{"default"}}, .about = about, .prepare = prepare});
}
