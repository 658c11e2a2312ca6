// SPDX-License-Identifier: MIT
#include "emulator.hpp"

#include <setjmp.h>
#include <ucontext.h>

#include <memory>
#include <stdexcept>

#include "builtins.hpp"

emulated_extent gridDim, blockDim, blockIdx, threadIdx;

namespace {

/// The threads of a launch, with separate stacks that the next block reuses. The running thread continues until it ends
/// or waits. Only its first turn needs setcontext(), which makes a system call for its signals.
class block_of_threads {
 public:
  block_of_threads(const emulator::kernel& k, unsigned threads, void** args) : kernel_(k), args_(args) {
    static std::vector<std::unique_ptr<std::byte[]>> stacks;  // reused: allocating them takes longer than most kernels
    while (stacks.size() < threads) stacks.emplace_back(new std::byte[stack_bytes]);
    for (unsigned i = 0; i < threads; ++i) threads_.push_back({.stack = stacks[i].get()});
    now = this;
  }
  block_of_threads(const block_of_threads&) = delete;
  block_of_threads& operator=(const block_of_threads&) = delete;
  ~block_of_threads() { now = nullptr; }

  void run() {
    for (thread& t : threads_) t.ended = false;
    for (std::size_t ended = 0; ended < threads_.size();) {
      bool somebody_waits = false;
      for (std::size_t i = 0; i < threads_.size(); ++i) {
        thread& t = threads_[i];
        if (t.ended) continue;
        threadIdx.x = static_cast<unsigned>(i);
        take_turn(t);
        if (t.ended) ++ended;
        else somebody_waits = true;
      }
      if (somebody_waits && ended != 0)
        throw std::logic_error("some threads of a block have ended, others wait for them");
    }
  }
  static void wait() { now->back_to_host(*now->running_); }

 private:
  static constexpr std::size_t stack_bytes = 64 << 10;
  struct thread {
    std::byte* stack = nullptr;
    jmp_buf at = {};
    bool started = false, ended = false;
  };

  void take_turn(thread& t) {
    running_ = &t;
    if (_setjmp(host_) != 0) return;
    if (t.started) _longjmp(t.at, 1);
    t.started = true;
    ucontext_t first{};
    ::getcontext(&first);
    first.uc_stack.ss_sp = t.stack;
    first.uc_stack.ss_size = stack_bytes;
    ::makecontext(&first, &block_of_threads::live, 0);
    ::setcontext(&first);
  }
  void back_to_host(thread& t) {
    if (_setjmp(t.at) == 0) _longjmp(host_, 1);
  }
  static void live() {
    thread& t = *now->running_;
    for (;;) {
      now->kernel_.run(now->args_);
      t.ended = true;
      now->back_to_host(t);
    }
  }

  static block_of_threads* now;
  const emulator::kernel& kernel_;
  void** args_;
  std::vector<thread> threads_;
  jmp_buf host_{};
  thread* running_ = nullptr;
};
block_of_threads* block_of_threads::now = nullptr;

}  // namespace

void __syncthreads() { block_of_threads::wait(); }

void emulator::launch(const kernel& k, unsigned blocks, unsigned threads, void** args) {
  gridDim = {.x = blocks};
  blockDim = {.x = threads};
  block_of_threads block(k, threads, args);
  for (unsigned b = 0; b < blocks; ++b) {
    blockIdx = {.x = b, .y = 0, .z = 0};
    block.run();
  }
}
