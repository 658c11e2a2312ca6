// SPDX-License-Identifier: MIT
#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include <ridgepoint/cuda/cuda.hpp>
#include <ridgepoint/ops/prepare.hpp>

namespace peer {

/// Call on a GPU with operands in host memory, replaced by copies on the device. Operands with the same address share
/// one copy.
template <class Args>
class device_call {
 public:
  device_call(const ridgepoint::cuda& on, const Args& host) : on_(on), call_(on, moved(host)) {}

  void run() const { call_.run(); }
  /// Copies the results of the call back to their host addresses.
  void bring_back() const {
    on_.synchronize();
    for (const copied& each : copies_)
      if (each.written) on_.download(each.from, each.there.data(), each.bytes);
  }

 private:
  static_assert(std::is_trivially_copyable_v<Args> && alignof(Args) >= alignof(void*));
  struct copied {
    void* from;
    std::size_t bytes;
    bool written;
    ridgepoint::cuda::buffer there;
  };

  [[nodiscard]] static std::size_t bytes_of(const ridgepoint::operand& o) {
    if (o.empty()) return 0;
    ridgepoint::index_t last = 0;
    for (std::size_t i = 0; i < o.rank; ++i) last += (o.extents[i] - 1) * o.strides[i];
    return static_cast<std::size_t>(last + 1) * o.element_bytes;
  }
  /// Makes the copies and returns the arguments with pointers to them.
  [[nodiscard]] Args moved(const Args& host) {
    const auto all = operands(host);
    for (const ridgepoint::operand& o : all) {
      const auto same = [&](const copied& each) { return each.from == o.data; };
      const auto found = std::find_if(copies_.begin(), copies_.end(), same);
      if (o.data == nullptr) continue;
      if (found == copies_.end())
        copies_.push_back({const_cast<void*>(o.data), bytes_of(o), writes(o.role), on_.allocate(0)});
      else found->bytes = std::max(found->bytes, bytes_of(o)), found->written = found->written || writes(o.role);
    }
    for (copied& each : copies_) {
      each.there = on_.allocate(each.bytes);
      on_.upload(each.there.data(), each.from, each.bytes);
    }
    Args device = host;
    auto* const bytes = reinterpret_cast<std::byte*>(&device);
    for (std::size_t at = 0; at + sizeof(void*) <= sizeof(Args); at += sizeof(void*)) {
      void* pointer = nullptr;
      std::memcpy(&pointer, bytes + at, sizeof pointer);
      for (const copied& each : copies_)
        if (void* const there = each.there.data(); pointer == each.from) std::memcpy(bytes + at, &there, sizeof there);
    }
    return device;
  }

  ridgepoint::cuda on_;
  std::vector<copied> copies_;
  ridgepoint::prepared<ridgepoint::cuda, Args> call_;
};

}  // namespace peer
