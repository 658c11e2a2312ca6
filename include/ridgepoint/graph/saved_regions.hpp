// SPDX-License-Identifier: MIT
#pragma once

#include <initializer_list>
#include <vector>

#include <ridgepoint/graph/program.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A copy of some regions of a program's memory, in the backend's memory.
/// Example:
///   rp::saved_regions before(program, {rp::memory_region::parameters});
///   program.run();
///   before.restore();
template <backend Backend>
class saved_regions {
 public:
  saved_regions(const program<Backend>& of, std::initializer_list<memory_region> regions) : of_(of), regions_(regions) {
    for (const memory_region r : regions) saved_.push_back(of.on().allocate(of.plan().bytes(r)));
    save();
  }
  /// Saves the current contents, replacing the previous copy.
  void save() {
    for (std::size_t r = 0; r < saved_.size(); ++r) of_.on().copy(saved_[r].data(), at(r), bytes(r));
  }
  void restore() const {
    for (std::size_t r = 0; r < saved_.size(); ++r) of_.on().copy(at(r), saved_[r].data(), bytes(r));
  }

 private:
  [[nodiscard]] void* at(std::size_t r) const { return of_.memory(regions_[r]); }
  [[nodiscard]] std::size_t bytes(std::size_t r) const { return of_.plan().bytes(regions_[r]); }
  const program<Backend>& of_;
  std::vector<memory_region> regions_;
  std::vector<typename Backend::buffer> saved_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
