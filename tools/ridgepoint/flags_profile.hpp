// SPDX-License-Identifier: MIT
#pragma once

#include "flags_build.hpp"

namespace tool {

/// Compiles the source with profile instrumentation, runs that program once with a short time for each benchmark that
/// its filter finds, and stores the profile next to `object`. Returns the flags to compile the source to that object
/// again, and to link it. GCC finds a profile by the name of the object, and with these flags fails without one.
///
/// `libraries`: link arguments. Throws: build_failure if no profile results; Clang needs llvm-profdata.
arguments trained_flags(const arguments& command, const flags_source& of, const arguments& libraries,
                        const std::filesystem::path& object, compiler_family family);

}  // namespace tool
