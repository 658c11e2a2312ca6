// SPDX-License-Identifier: MIT
#include "blas_library.hpp"
#include "cap.hpp"

namespace {

/// Returns the number of a configuration: BLIS 0.9 accepts only numbers, which only the library knows; later versions
/// also accept names.
std::string number_of(const peer::blas_library& blis, const std::string& name) {
  const auto string_of = blis.find<const char* (*)(int)>("bli_arch_string");
  for (int id = 0; string_of != nullptr && id < 16; ++id)
    if (name == string_of(id)) return std::to_string(id);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const peer::blas_library blis(RIDGEPOINT_BLIS);
  // A BLIS older than the CPU falls back to plain C; a neighbouring configuration is then the fastest.
  std::vector<peer::tuned_setting> tuned;
  const auto offer = [&](std::string_view isa, const std::string& name) {
    if (const std::string id = number_of(blis, name); !id.empty())
      tuned.push_back({isa, {name, {"BLIS_ARCH_TYPE=" + id}}});
  };
  offer("scalar", "generic"), offer("sse4_2", "penryn"), offer("avx", "sandybridge");
  for (const char* name : {"zen3", "zen2", "zen", "haswell"}) offer("avx2", name);
  offer("avx512", "skx");
  return peer::serve(
      argc, argv,
      {.settings = peer::settings_to_try(tuned),
       .about =
           [&] {
             blis.find<void (*)()>("bli_init")();  // a forced configuration is looked up in its tables
             return std::string("BLIS ") + blis.find<const char* (*)()>("bli_info_get_version_str")() + " / " +
                    blis.find<const char* (*)(int)>("bli_arch_string")(blis.find<int (*)()>("bli_arch_query_id")());
           },
       .prepare = [&](const peer::words& problem, const std::string&) { return peer::blas_task(blis, problem); }});
}
