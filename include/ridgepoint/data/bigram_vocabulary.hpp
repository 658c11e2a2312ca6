// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The pairs of ids that stand side by side in texts, with ids of their own: `first_id` and up, in ascending order of
/// the pairs.
///
/// Example:
///   const std::vector<std::int32_t> texts[] = {{1, 4, 5}, {1, 4}};
///   const rp::bigram_vocabulary pairs(texts, 100);           // (1, 4) is 100, (4, 5) is 101
///   pairs.append_to(text);                                   // {1, 4, 7} becomes {1, 4, 7, 100}
class bigram_vocabulary {
 public:
  /// Throws: value_error if there are more than `most` different pairs, or their ids would not be below 2³¹.
  bigram_vocabulary(std::span<const std::vector<std::int32_t>> texts, std::int32_t first_id, index_t most)
      : first_id_(first_id) {
    for (const auto& text : texts)
      for (std::size_t i = 1; i < text.size(); ++i) pairs_.push_back(pair(text, i));
    std::sort(pairs_.begin(), pairs_.end());
    pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
    pairs_.shrink_to_fit();
    require<value_error>(size() <= most && size() <= 0x7FFFFFFF - index_t{first_id}, "bigram_vocabulary: there are ",
                         size(), " different pairs; must be at most ", most);
  }

  /// Pairs.
  [[nodiscard]] index_t size() const noexcept { return static_cast<index_t>(pairs_.size()); }
  /// Puts the ids of the pairs of a text behind it, of those that have one.
  void append_to(std::vector<std::int32_t>& text) const {
    const std::size_t end = text.size();
    for (std::size_t i = 1; i < end; ++i) {
      const auto found = std::lower_bound(pairs_.begin(), pairs_.end(), pair(text, i));
      if (found != pairs_.end() && *found == pair(text, i))
        text.push_back(first_id_ + static_cast<std::int32_t>(found - pairs_.begin()));
    }
  }

 private:
  /// What stands at i − 1 and at i.
  [[nodiscard]] static std::uint64_t pair(std::span<const std::int32_t> text, std::size_t i) noexcept {
    return std::uint64_t{static_cast<std::uint32_t>(text[i - 1])} << 32 | static_cast<std::uint32_t>(text[i]);
  }

  std::int32_t first_id_;
  std::vector<std::uint64_t> pairs_;  // in ascending order
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
