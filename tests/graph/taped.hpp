// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <ridgepoint/reference/all.hpp>

/// The reference ops on a fake device: calls wait in a queue, in order, until the host waits for them.
namespace taped {

namespace rp = ridgepoint;

using tape = std::vector<std::function<void()>>;

struct device {
  bool recording = false;
  tape now, queue;
  int recorded = 0, replayed = 0, direct = 0;
  int replays_queued = 0, most_replays_queued = 0;
  int sends = 0, gathers = 0, fetches = 0, downloads = 0, early = 0;  // early: memory read while calls were waiting
};

/// Memory that is freed when the calls so far, which may use it, have finished.
class buffer {
 public:
  buffer(std::shared_ptr<device> of, std::size_t bytes)
      : of_(std::move(of)), held_(std::make_shared<rp::host_buffer>(bytes)) {}
  buffer(buffer&&) = default;
  buffer& operator=(buffer&&) = delete;
  ~buffer() {
    if (held_ != nullptr) of_->queue.emplace_back([held = std::move(held_)] {});
  }
  [[nodiscard]] void* data() const noexcept { return held_->data(); }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return held_->size_bytes(); }

 private:
  std::shared_ptr<device> of_;
  std::shared_ptr<rp::host_buffer> held_;
};

/// Result of fetch(): `bytes` for `to`, kept here until the host waits for them.
struct ticket {
  void* to;
  std::shared_ptr<std::vector<std::byte>> bytes;
};

/// Result of stage(): what is sent arrives when the host waits.
struct staging {
  std::shared_ptr<device> of;
  std::vector<rp::staged_part> parts;
  std::shared_ptr<std::vector<std::byte>> there = std::make_shared<std::vector<std::byte>>();
  std::vector<std::byte> here;

  staging(std::shared_ptr<device> on, std::span<const rp::staged_part> all) : of(std::move(on)) {
    parts.assign(all.begin(), all.end());
    for (const rp::staged_part& p : all) here.resize(std::max(here.size(), p.offset + p.bytes));
  }
  [[nodiscard]] void* open() noexcept { return here.data(); }
  void send() {
    ++of->sends;
    of->queue.emplace_back([to = there, sent = here] { *to = sent; });
  }
  void take() {
    of->queue.emplace_back([from = there, all = parts] {
      for (const rp::staged_part& p : all) std::memcpy(p.to, from->data() + p.offset, p.bytes);
    });
  }
  void finish() noexcept {}
};

/// Records calls with their arguments without running them; runs calls only when waited for; overwrites the destination
/// of a fetch with NaN until then.
struct backend : rp::host_memory {
  using buffer = taped::buffer;
  std::shared_ptr<device> seen = std::make_shared<device>();
  static std::string name() { return "taped"; }

  [[nodiscard]] buffer allocate(std::size_t bytes) const { return {seen, bytes}; }
  template <class Body>
  [[nodiscard]] tape record(Body&& body) const {
    seen->recording = true;
    body();
    seen->recording = false;
    return std::exchange(seen->now, {});
  }
  void replay(const tape& calls) const {
    seen->queue.emplace_back([calls] {
      for (const auto& call : calls) call();
    });
    seen->replayed += static_cast<int>(calls.size());
    seen->most_replays_queued = std::max(seen->most_replays_queued, ++seen->replays_queued);
  }
  void upload(void* dst, const void* src, std::size_t bytes) const {
    seen->queue.emplace_back([dst, held = held_from(src, bytes)] { copy_now(dst, held.data(), held.size()); });
  }
  void copy(void* dst, const void* src, std::size_t bytes) const {
    seen->queue.emplace_back([=] { copy_now(dst, src, bytes); });
  }
  void download(void* dst, const void* src, std::size_t bytes) const {
    ++seen->downloads;
    seen->early += seen->queue.empty() ? 0 : 1;
    copy_now(dst, src, bytes);
  }
  [[nodiscard]] ticket fetch(void* dst, const void* src, std::size_t bytes) const {
    ++seen->fetches;
    std::memset(dst, 0xff, bytes);  // a loss is NaN
    ticket later{dst, std::make_shared<std::vector<std::byte>>(bytes)};
    seen->queue.emplace_back([src, to = later.bytes] { copy_now(to->data(), src, to->size()); });
    return later;
  }
  void wait(const ticket& later) const {
    synchronize();
    copy_now(later.to, later.bytes->data(), later.bytes->size());
  }
  [[nodiscard]] staging stage(std::span<const rp::staged_part> parts) const { return {seen, parts}; }
  void gather_rows(void* dst, const void* src, std::size_t row_bytes, const rp::index_t* rows,
                   rp::index_t count) const {
    ++seen->gathers;
    seen->queue.emplace_back([=] {
      for (rp::index_t i = 0; i < count; ++i)
        copy_now(static_cast<std::byte*>(dst) + static_cast<std::size_t>(i) * row_bytes,
                 static_cast<const std::byte*>(src) + static_cast<std::size_t>(rows[i]) * row_bytes, row_bytes);
    });
  }
  void synchronize() const {
    for (const auto& call : std::exchange(seen->queue, {})) call();
    seen->replays_queued = 0;
  }

 private:
  static void copy_now(void* dst, const void* src, std::size_t bytes) {
    if (bytes != 0) std::memcpy(dst, src, bytes);
  }
  [[nodiscard]] static std::vector<std::byte> held_from(const void* src, std::size_t bytes) {
    const auto* from = static_cast<const std::byte*>(src);
    return {from, from + bytes};
  }
};
template <class Args>
  requires rp::executes<rp::reference_backend, Args>
void execute(const backend& on, const Args& args) {
  ++(on.seen->recording ? on.seen->recorded : on.seen->direct);
  if (on.seen->recording) on.seen->now.emplace_back([args] { execute(rp::reference, args); });
  else on.seen->queue.emplace_back([args] { execute(rp::reference, args); });
}

}  // namespace taped
