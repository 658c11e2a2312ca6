// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include <ridgepoint/core/nearest_name.hpp>
#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/cuda/cuda.hpp>

#include "measurement/trainers/reference.hpp"
#if defined(RIDGEPOINT_HAS_ONEDNN)
#include "measurement/trainers/onednn.hpp"
#endif

namespace tool {

namespace rp = ridgepoint;

inline constexpr std::string_view backend_names = "cpu, cuda, onednn or reference";

/// Calls use(backend) with the backend of that name. Ops that oneDNN has no primitive for run on our kernels.
/// Throws: value_error for an unknown name; unsupported if this build or machine lacks the backend.
template <class Use>
int with_backend(std::string_view name, int threads, Use&& use) {
  if (rp::same_name(name, "cpu")) return use(rp::cpu(threads));
  if (rp::same_name(name, "cuda")) return use(rp::cuda());
  if (rp::same_name(name, "reference")) return use(rp::reference);
  rp::require<rp::value_error>(rp::same_name(name, "onednn"), "backend is \"", name, "\"; must be ", backend_names,
                               rp::did_you_mean(name, {"cpu", "cuda", "onednn", "reference"}));
#if defined(RIDGEPOINT_HAS_ONEDNN)
  return use(rp::either(rp::onednn(threads), rp::cpu(threads)));
#else
  throw rp::unsupported("backend is onednn; this build was made without it");
#endif
}

}  // namespace tool
