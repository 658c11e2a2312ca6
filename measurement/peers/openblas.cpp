// SPDX-License-Identifier: MIT
#include "blas_library.hpp"
#include "cap.hpp"

int main(int argc, char** argv) {
  // OpenBLAS does not know every CPU, so its default is compared with the cores that it has tuned kernels for.
  const auto core = [](std::string_view isa, const std::string& name) -> peer::tuned_setting {
    return {isa, {name, {"OPENBLAS_CORETYPE=" + name}}};
  };
  const std::vector<peer::setting> settings =
      peer::settings_to_try({core("scalar", "Prescott"), core("sse4_2", "Nehalem"), core("avx", "Sandybridge"),
                             core("avx2", "Haswell"), core("avx2", "Zen"), core("avx512", "SkylakeX")});
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
