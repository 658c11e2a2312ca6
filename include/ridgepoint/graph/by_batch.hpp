// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Networks compiled for a number of samples each: one for whole batches, and one for the rest that was last asked for.
template <class Network>
class by_batch {
 public:
  explicit by_batch(index_t whole) : whole_(whole) {}
  /// The one for `batch` samples; make() gives a unique_ptr to it where it is not kept. Valid until the next call.
  template <class Make>
  [[nodiscard]] const Network& get(index_t batch, const Make& make) {
    for (const auto& [size, made] : kept_)
      if (size == batch) return *made;
    std::erase_if(kept_, [&](const auto& each) { return each.first != whole_; });
    kept_.emplace_back(batch, make());
    return *kept_.back().second;
  }
  [[nodiscard]] std::size_t count() const noexcept { return kept_.size(); }

 private:
  index_t whole_;
  std::vector<std::pair<index_t, std::unique_ptr<Network>>> kept_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
