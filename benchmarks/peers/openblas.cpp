// SPDX-License-Identifier: MIT
#include "blas_library.hpp"

int main(int argc, char** argv) {
  // OpenBLAS does not know every CPU, so its own choice is tried against the cores it has tuned kernels for.
  std::vector<peer::setting> settings{{"default"}};
  if (__builtin_cpu_supports("avx512vl")) settings.push_back({"SkylakeX", {"OPENBLAS_CORETYPE=SkylakeX"}});
  if (__builtin_cpu_supports("avx2")) {
    settings.push_back({"Haswell", {"OPENBLAS_CORETYPE=Haswell"}});
    settings.push_back({"Zen", {"OPENBLAS_CORETYPE=Zen"}});
  }
  if (argc < 2) return peer::serve(argc, argv, {.settings = settings, .about = {}, .prepare = {}});
  const peer::blas_library blas(RIDGEPOINT_OPENBLAS);
  return peer::serve(
      argc, argv,
      {.settings = settings,
       .about =
           [&] {
             return blas.find<char* (*)()>("openblas_get_config")() + std::string(" / ") +
                    blas.find<char* (*)()>("openblas_get_corename")();
           },
       .prepare = [&](const peer::words& problem, const std::string&) { return peer::blas_task(blas, problem); }});
}
