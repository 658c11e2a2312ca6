// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/reference/all.hpp>
#if defined(RIDGEPOINT_HAS_ONEDNN)
#include <ridgepoint/onednn/all.hpp>
#endif

namespace tool {

namespace rp = ridgepoint;

#if defined(RIDGEPOINT_HAS_ONEDNN)
/// oneDNN; what it has no primitive for runs on our kernels for the best instruction set, not for the tool's own flags.
class onednn : public rp::onednn {
 public:
  explicit onednn(int threads) : rp::onednn(threads), rest_(threads) {}

  template <class Args>
    requires(rp::onednn_detail::own_ops::contains<Args>)
  friend void execute(const onednn& on, const Args& args) { execute(on.rest_, args); }

 private:
  rp::cpu rest_;
};
#endif

inline constexpr std::string_view backend_names = "cpu, onednn or reference";

/// use(backend) for the backend of that name.
/// Throws: value_error for an unknown name; unsupported if this build has no such backend.
template <class Use>
int with_backend(std::string_view name, int threads, Use&& use) {
  if (name == "cpu") return use(rp::cpu(threads));
  if (name == "reference") return use(rp::reference);
  rp::require<rp::value_error>(name == "onednn", "backend is \"", name, "\"; must be ", backend_names);
#if defined(RIDGEPOINT_HAS_ONEDNN)
  return use(onednn(threads));
#else
  throw rp::unsupported("backend is onednn; this build was made without it");
#endif
}

}  // namespace tool
