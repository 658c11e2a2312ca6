// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

/// Runs device code on the host: a block after the other, the threads of a block in turns, from one __syncthreads() to
/// the next.
namespace emulator {

/// A pointer among a kernel's arguments: where it is in one of them, and of what it points to a multiple.
struct pointer {
  std::size_t argument, offset, alignment;
};
/// A kernel that takes its arguments by their addresses, as cudaLaunchKernel() does.
struct kernel {
  std::function<void(void** args)> run;
  std::vector<std::size_t> argument_bytes;
  std::vector<pointer> pointers = {};
  std::function<bool(void** args)> suits = nullptr;  // whether arguments go together, if that is a question
};

/// The kernel of this name, "ridgepoint_device::mse<float>"; null if there is none.
const kernel* find(const std::string& expression);

/// The same of a chain that is not compiled here, as others are called; it cannot be launched. Null if the name is
/// that of something else.
const kernel* describe_chain(const std::string& expression);

/// Throws: std::logic_error if threads of a block wait for one another in vain.
void launch(const kernel& k, unsigned blocks, unsigned threads, void** args);

}  // namespace emulator
