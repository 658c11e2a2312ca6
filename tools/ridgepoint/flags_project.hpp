// SPDX-License-Identifier: MIT
#pragma once

#include "flags_build.hpp"

namespace tool {

/// Builds the target of a CMake project with a set's flags, in its own folder, and finds its program. CMake recompiles
/// only changed files.
///
/// The build type is Release without its -O3: only -DNDEBUG and the set's flags. Throws: build_failure with the first
/// error message of CMake, compiler or linker.
void build_target(flags_build& set, const flags_source& of);

}  // namespace tool
