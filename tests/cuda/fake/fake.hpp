// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

/// A machine with a fake GPU: linked in place of CUDA's libraries, it runs kernels on the host and records the calls.
/// Device memory is host memory, filled with a pattern when allocated and freed.
namespace fake {

/// Returns the names of the calls since reset().
const std::vector<std::string>& calls();
/// Clears the list of calls; call number `failing`, counted from 1, fails. 0: none.
void reset(int failing = 0);
/// Returns whether that call was made.
bool has_failed();

/// When calls take effect: at once, or only when something waits for them; then one stream runs as far as it can before
/// the other.
enum class order { at_once, first_stream_first, last_stream_first };
/// Sets the order, after all pending calls took effect.
void set_order(order wanted);

/// Returns the bytes copied from the host to the device so far by the program's calls.
std::size_t bytes_from_host();

/// Returns the milliseconds between any two events: some_time(), unless a test replaces it.
float some_time();
inline std::function<float()> elapsed_ms = some_time;

/// Returns the objects that were created and not released: "cudaMalloc: 2, cublasLtCreate: 1"; "" if none.
std::string living();

}  // namespace fake
