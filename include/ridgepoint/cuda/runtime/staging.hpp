// SPDX-License-Identifier: MIT
#pragma once

#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <ridgepoint/cuda/runtime/context.hpp>

/// \file
/// Copies between the host and a device that overlap with the device's computation.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Host memory that a device reads and writes asynchronously.
class pinned_memory {
 public:
  explicit pinned_memory(std::size_t bytes)
      : held_([&](void** made) {
          check_call(cudaMallocHost(made, bytes), concat("cudaMallocHost of ", bytes, " bytes"));
        }) {}
  [[nodiscard]] void* data() const noexcept { return held_.get(); }

 private:
  owned_handle<void*, cudaFreeHost> held_;
};

/// The stream of copies from the host, separate from that of a context.
struct copy_stream {
  cuda_stream stream;
  explicit copy_stream(const cuda_context&)
      : stream([](cudaStream_t* made) {
          check_call(cudaStreamCreateWithFlags(made, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
        }) {}
};

/// Host and device buffers of equal size, with a separate stream for copies between them. Two events mark when each may
/// be overwritten.
class staging {
 public:
  staging(cuda_context& on, std::span<const ridgepoint_cuda_part> parts)
      : on_(on),
        parts_(parts.begin(), parts.end()),
        bytes_(bytes_of(parts)),
        host_(bytes_),
        arrived_(make_event(cudaEventDisableTiming)),
        taken_(make_event(cudaEventDisableTiming)),
        device_(on.allocate(bytes_), {&on}) {
    static_cast<void>(copies());
    record_event(taken_, on.stream());  // the memory is allocated
  }
  staging(const staging&) = delete;
  staging& operator=(const staging&) = delete;
  ~staging() {
    if (sent_) static_cast<void>(cudaEventSynchronize(arrived_.get()));  // copies must not outlive their memory
  }

  [[nodiscard]] void* open() {
    finish();
    return host_.data();
  }
  void send() {
    on_.use();
    wait_for_event(copies(), taken_);
    if (bytes_ != 0)
      check_call(cudaMemcpyAsync(device_.get(), host_.data(), bytes_, cudaMemcpyHostToDevice, copies()),
                 "cudaMemcpyAsync");
    sent_ = true;
    record_event(arrived_, copies());
  }
  void take() {
    on_.use();
    wait_for_event(on_.stream(), arrived_);
    for (const ridgepoint_cuda_part& p : parts_)
      on_.copy(p.to, static_cast<std::byte*>(device_.get()) + p.offset, p.bytes, cudaMemcpyDeviceToDevice);
    record_event(taken_, on_.stream());
  }
  void finish() {
    if (std::exchange(sent_, false)) wait_for_event(arrived_);
  }

 private:
  struct release {
    cuda_context* on;
    void operator()(void* memory) const noexcept { on->release(memory); }
  };
  [[nodiscard]] static std::size_t bytes_of(std::span<const ridgepoint_cuda_part> parts) noexcept {
    std::size_t all = 0;
    for (const ridgepoint_cuda_part& p : parts) all = (std::max)(all, p.offset + p.bytes);
    return all;
  }
  [[nodiscard]] cudaStream_t copies() { return on_.kept<copy_stream>().stream.get(); }

  cuda_context& on_;
  std::vector<ridgepoint_cuda_part> parts_;
  std::size_t bytes_;
  pinned_memory host_;
  cuda_event arrived_, taken_;  // the copy has finished; the device buffer was read and may be overwritten
  std::unique_ptr<void, release> device_;
  bool sent_ = false;
};

/// A pending copy to the host.
struct fetched_copy {
  pinned_memory staged;
  cuda_event done;
  std::size_t room;
  void* to = nullptr;
  std::size_t bytes = 0;

  explicit fetched_copy(std::size_t most) : staged(most), done(make_event(cudaEventDisableTiming)), room(most) {}
};

/// Copies to the host. Finished copies are reused, because allocating pinned memory stops the device.
class fetches {
 public:
  explicit fetches(const cuda_context&) {}

  [[nodiscard]] std::unique_ptr<fetched_copy> start(cuda_context& on, void* dst, const void* src, std::size_t bytes) {
    std::unique_ptr<fetched_copy> copy = idle_of(bytes);
    copy->to = dst;
    copy->bytes = bytes;
    on.copy(copy->staged.data(), src, bytes, cudaMemcpyDeviceToHost);
    record_event(copy->done, on.stream());
    return copy;
  }
  void finish(std::unique_ptr<fetched_copy> copy) {
    wait_for_event(copy->done);
    std::memcpy(copy->to, copy->staged.data(), copy->bytes);
    idle_.push_back(std::move(copy));
  }

 private:
  [[nodiscard]] std::unique_ptr<fetched_copy> idle_of(std::size_t bytes) {
    for (std::unique_ptr<fetched_copy>& each : idle_) {
      if (each->room < bytes) continue;
      std::swap(each, idle_.back());
      std::unique_ptr<fetched_copy> found = std::move(idle_.back());
      idle_.pop_back();
      return found;
    }
    return std::make_unique<fetched_copy>(bytes);
  }
  std::vector<std::unique_ptr<fetched_copy>> idle_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
