// SPDX-License-Identifier: MIT
#include "flags_roofs.hpp"

#include <algorithm>

#include <ridgepoint/roofline/strict_json.hpp>

#include "bounded_process.hpp"
#include "interruption.hpp"
#include "progress_bar.hpp"

namespace tool {
namespace {

namespace rp = ridgepoint;

/// Raises `roof` to the result of a run of the program, if it has one.
void raise(std::optional<measurement::build_roof>& roof, const std::filesystem::path& program, int core) {
  const process_end end = run_bounded({program.string()}, own_environment(), {.seconds = 60, .core = core});
  if (!end.well()) return;
  try {
    const rp::json document = rp::parse_strict(end.printed, program.string());
    const rp::json_reader in(document, program.string() + ": ");
    if (!roof) roof.emplace();
    roof->flop_per_s = std::max(roof->flop_per_s, in.number("flop_per_s", 0));
    roof->bytes_per_s = std::max(roof->bytes_per_s, in.number("bytes_per_s", 0));
  } catch (const rp::data_error&) {
    roof.reset();
  }
}

}  // namespace

void measure_roofs(std::vector<flags_build>& builds, const flags_source& ceilings, int core) {
  std::vector<flags_build> probes;
  probes.reserve(builds.size());
  for (const flags_build& build : builds)
    probes.push_back({.set = build.set, .compiler = build.compiler, .failure = build.failure});
  build_flags(probes, ceilings);
  progress_bar bar("measuring ceilings");
  constexpr std::size_t runs = 2;
  for (std::size_t run = 0; run < runs; ++run)
    for (std::size_t i = 0; i < builds.size() && !interruption::wanted(); ++i) {
      if (probes[i].failure.empty()) raise(builds[i].roof, probes[i].programs[0], core);
      bar.show(static_cast<std::int64_t>(run * builds.size() + i + 1), static_cast<std::int64_t>(runs * builds.size()),
               builds[i].set.name);
    }
}

}  // namespace tool
