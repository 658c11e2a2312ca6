// SPDX-License-Identifier: MIT
#pragma once

#include "flags_build.hpp"

namespace tool {

/// Builds the target of a CMake project with a set's flags, in a folder of its own, and finds its program. What has not
/// changed since the last time is not compiled again: that is CMake's business.
///
/// The build type is Release without its -O3: -DNDEBUG and the set's flags are all there is. Throws: build_failure with
/// the first complaint of CMake, compiler or linker.
void build_target(flags_build& set, const flags_source& of);

}  // namespace tool
