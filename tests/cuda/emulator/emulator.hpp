// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

/// Runs device code on the host: blocks one after another, the threads of a block in turns, from one __syncthreads() to
/// the next.
namespace emulator {

/// A pointer in a kernel's arguments: its argument, its offset there, and its alignment.
struct pointer {
  std::size_t argument, offset, alignment;
};
/// A kernel that takes the addresses of its arguments, like cudaLaunchKernel().
struct kernel {
  std::function<void(void** args)> run;
  std::vector<std::size_t> argument_bytes;
  std::vector<pointer> pointers = {};
  std::function<bool(void** args)> suits = nullptr;  // checks the arguments together; null: no check
};

/// Returns the kernel of this name, "ridgepoint_device::mse<float>"; null if not found.
const kernel* find(const std::string& expression);

/// Returns a description of a chain that is not compiled here, for calls that do not launch it. Null if the name is not
/// a chain's.
const kernel* describe_chain(const std::string& expression);

/// Throws: std::logic_error if threads of a block wait for threads that have ended.
void launch(const kernel& k, unsigned blocks, unsigned threads, void** args);

}  // namespace emulator
