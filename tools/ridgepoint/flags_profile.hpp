// SPDX-License-Identifier: MIT
#pragma once

#include "flags_build.hpp"

namespace tool {

/// Compiles the source so that it counts what it does, runs that program once with a short time for each benchmark
/// that its filter finds, and keeps what it has counted beside `object`: flags to compile the same source to that
/// object with once more, and to link it. GCC looks for a profile by the name of the object, and with these flags fails
/// without one.
///
/// `libraries`: what it is linked with. Throws: build_failure if that does not come to a profile; Clang needs
/// llvm-profdata.
arguments trained_flags(const arguments& command, const flags_source& of, const arguments& libraries,
                        const std::filesystem::path& object, compiler_family family);

}  // namespace tool
