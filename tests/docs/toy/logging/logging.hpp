// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <ridgepoint/core/backend.hpp>
#include <ridgepoint/graph/plan.hpp>
#include <ridgepoint/reference/all.hpp>

namespace toy {

namespace rp = ridgepoint;

/// Backend with its own memory that logs every op and every transferred byte. Computes with the reference definitions.
class logging {
 public:
  /// Movable owner of this backend's memory.
  class buffer {
   public:
    buffer() = default;
    explicit buffer(std::size_t bytes) : memory_(bytes), bytes_(bytes) {}
    [[nodiscard]] void* data() const noexcept { return memory_.data(); }
    [[nodiscard]] std::size_t size_bytes() const noexcept { return bytes_; }

   private:
    rp::host_buffer memory_;  // on a device: the handle of an allocation there
    std::size_t bytes_ = 0;
  };

  /// Events so far. Copies of the backend share it, because graphs keep a copy.
  struct journal {
    std::map<std::string, int> calls;  // by op
    std::size_t allocated_bytes = 0, uploaded_bytes = 0, downloaded_bytes = 0;
  };

  [[nodiscard]] buffer allocate(std::size_t bytes) const {
    log_->allocated_bytes += bytes;
    return buffer(bytes);
  }
  void upload(void* dst, const void* src, std::size_t bytes) const {
    log_->uploaded_bytes += bytes;
    rp::reference.upload(dst, src, bytes);
  }
  void download(void* dst, const void* src, std::size_t bytes) const {
    log_->downloaded_bytes += bytes;
    rp::reference.download(dst, src, bytes);
  }
  void copy(void* dst, const void* src, std::size_t bytes) const { rp::reference.copy(dst, src, bytes); }
  void synchronize() const {}  // on a device: wait for its queue
  [[nodiscard]] std::string name() const { return "logging"; }

  [[nodiscard]] const journal& log() const noexcept { return *log_; }

  /// Executes every op of the reference. A backend with its own kernels has one overload per op instead, each in a file
  /// named after the op.
  template <class Args>
    requires rp::executes<rp::reference_backend, Args>
  friend void execute(const logging& on, const Args& args) {
    ++on.log_->calls[to_string(rp::op_record_of<Args>)];
    execute(rp::reference, args);
  }

 private:
  std::shared_ptr<journal> log_ = std::make_shared<journal>();
};

static_assert(rp::backend<logging>);
static_assert(rp::executes<logging, rp::gemm_args<float>>);
static_assert(!rp::executes<logging, rp::work>, "this backend lacks the ops that the definitions lack");

}  // namespace toy
