// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>

#include <ridgepoint/core/view.hpp>
#include <ridgepoint/onednn/primitive.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::onednn_detail {

/// Primitives to run one after the other on the same operands: built once per shape, run with new pointers at each call
/// without allocating.
class recipe {
 public:
  explicit recipe(dnnl::engine engine) : engine_(std::move(engine)) {}

  /// The next of the operands whose pointers run() is given.
  dnnl::memory operand(const dnnl::memory::desc& layout) { return operands_.emplace_back(layout, engine_, nullptr); }
  /// Memory of the recipe's own.
  dnnl::memory scratch(const dnnl::memory::desc& layout) { return scratch_.emplace_back(layout, engine_); }

  void then(dnnl::primitive primitive, std::initializer_list<std::pair<int, dnnl::memory>> arguments) {
    step& s = steps_.emplace_back(step{std::move(primitive), {}});
    for (const auto& [role, memory] : arguments) s.arguments.push_back({role, memory.get()});
  }
  void then_reorder(const dnnl::memory& from, const dnnl::memory& to) {
    then(dnnl::reorder(from, to), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
  }

  /// `from` in another layout, converted at every run; `from` itself where it has that layout.
  dnnl::memory converted(const dnnl::memory& from, const dnnl::memory::desc& to) {
    if (from.get_desc() == to) return from;
    dnnl::memory result = scratch(to);
    then_reorder(from, result);
    return result;
  }

  /// Throws: backend_error.
  void run(const dnnl::stream& stream, std::initializer_list<const void*> pointers) {
    RIDGEPOINT_ASSERT(pointers.size() == operands_.size());
    std::size_t i = 0;
    for (const void* p : pointers) set_pointer(operands_[i++], const_cast<void*>(p));
    for (const step& s : steps_) execute(s.primitive, stream, s.arguments);
  }

 private:
  struct step {
    dnnl::primitive primitive;
    std::vector<dnnl_exec_arg_t> arguments;
  };
  dnnl::engine engine_;
  std::vector<dnnl::memory> operands_, scratch_;
  std::vector<step> steps_;
};

/// The fastest of recipes that all overwrite the same outputs: they run in turn, the first round to warm up, then ten
/// by the clock, but no more than 0.1 s; the best run of each counts.
inline recipe fastest(std::vector<recipe> recipes, const dnnl::stream& stream,
                      std::initializer_list<const void*> pointers) {
  using clock = std::chrono::steady_clock;
  std::vector<clock::duration> best(recipes.size(), clock::duration::max());
  const auto begin = clock::now();
  const auto in_time = [&] { return clock::now() - begin < std::chrono::milliseconds(100); };
  for (int round = 0; recipes.size() > 1 && round <= 10 && (round <= 1 || in_time()); ++round)
    for (std::size_t i = 0; i < recipes.size(); ++i) {
      const auto start = clock::now();
      recipes[i].run(stream, pointers);
      if (round > 0) best[i] = std::min(best[i], clock::now() - start);
    }
  return std::move(recipes[static_cast<std::size_t>(std::ranges::min_element(best) - best.begin())]);
}

/// A matrix as the library sees it. The stride along an extent of one means nothing to us, but must look dense to it.
inline dnnl::memory::desc layout(const matrix_view<const float>& v) {
  const index_t row_stride = v.rows > 1 ? v.row_stride : std::max<index_t>(1, v.cols * (v.cols > 1 ? v.col_stride : 1));
  const index_t col_stride = v.cols > 1                     ? v.col_stride
                             : v.rows > 1 && row_stride > 1 ? 1
                                                            : std::max<index_t>(1, v.rows);
  return {{v.rows, v.cols}, dnnl::memory::data_type::f32, {row_stride, col_stride}};
}
/// `size` elements, one after the other.
inline dnnl::memory::desc layout(index_t size) { return {{size}, dnnl::memory::data_type::f32, {1}}; }
/// A matrix whose layout the library chooses.
inline dnnl::memory::desc any_layout(index_t rows, index_t cols) {
  return {{rows, cols}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::any};
}

/// What a recipe was made for: the op and everything that is not a pointer.
struct recipe_key {
  std::array<index_t, 14> values{};
  friend bool operator==(const recipe_key&, const recipe_key&) = default;
};
struct recipe_hash {
  std::size_t operator()(const recipe_key& key) const noexcept {
    std::uint64_t h = 0x9E3779B97F4A7C15;
    for (const index_t v : key.values) h = (h ^ static_cast<std::uint64_t>(v)) * 0xBF58476D1CE4E5B9, h ^= h >> 29;
    return static_cast<std::size_t>(h);
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::onednn_detail
