// SPDX-License-Identifier: MIT
#include "cap.hpp"
#include "eigen_product.hpp"

namespace {

/// Returns the settings of this build; none if it does not fit the cap. The compiler decides Eigen's instruction set,
/// so this program is built twice: for this machine, and for AVX2, which is used under that cap. No cap exceeds the
/// machine's own instruction set.
std::vector<peer::setting> settings() {
  const std::string limit = peer::cap(), built_for = RIDGEPOINT_BUILT_FOR;
  const bool fits = built_for == "avx2" ? limit == "avx2" : limit.empty() || limit == "avx512";
  return fits ? std::vector<peer::setting>{{"default"}} : std::vector<peer::setting>{};
}

std::string about() {
  return "Eigen " + std::to_string(EIGEN_WORLD_VERSION) + '.' + std::to_string(EIGEN_MAJOR_VERSION) + '.' +
         std::to_string(EIGEN_MINOR_VERSION) + " / " + Eigen::SimdInstructionSetsInUse();
}

peer::task prepare(const peer::words& problem, const std::string&) {
  return peer::gemm_task(problem, []<class T>(const std::shared_ptr<peer::gemm_problem<T>>& p) {
    return peer::prepared_product{.run = [p] { peer::eigen_multiply(*p); }, .detail = "product"};
  });
}

}  // namespace

int main(int argc, char** argv) {
  return peer::serve(argc, argv, {.settings = settings(), .about = about, .prepare = prepare});
}
