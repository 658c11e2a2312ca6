// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
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

/// When what was called takes effect: at once, or not before something waits for it; then one of the streams goes on as
/// far as it may before another does.
enum class order { at_once, first_stream_first, last_stream_first };
/// Everything that waits takes effect first.
void set_order(order wanted);

/// Bytes that were copied from the host to the device so far, by the program's calls.
std::size_t bytes_from_host();

/// Milliseconds between any two events: some_time(), unless a test puts something else here.
float some_time();
inline std::function<float()> elapsed_ms = some_time;

/// What is owned by whoever made it and was not given back: "cudaMalloc: 2, cublasLtCreate: 1"; "" if nothing is.
std::string living();

}  // namespace fake
