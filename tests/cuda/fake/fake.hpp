// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

/// A machine with a GPU that is played: what is linked in place of CUDA's libraries runs kernels on the host and tells
/// what was called. Memory of the device is the host's, spoilt when it is made and given back.
namespace fake {

/// Calls so far since reset(), by name.
const std::vector<std::string>& calls();
/// Forgets what was called; call number `failing`, from 1, fails. 0: none does.
void reset(int failing = 0);
/// Whether that call came.
bool has_failed();

/// What is owned by whoever made it and was not given back: "cudaMalloc: 2, cublasLtCreate: 1"; "" if nothing is.
std::string living();

}  // namespace fake
