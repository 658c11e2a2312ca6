// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ridgepoint/core/view.hpp>
#include <ridgepoint/onednn/primitive.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::onednn_detail {

/// What a primitive is given: the library's number of a role, and the memory.
using primitive_arguments = std::vector<std::pair<int, dnnl::memory>>;

/// The values of a memory: of an operand, those of the run.
[[nodiscard]] inline float* values_of(const dnnl::memory& m) { return static_cast<float*>(m.get_data_handle()); }

/// Primitives to run one after the other on the same operands: built once per shape, run with new pointers at each call
/// without allocating.
class recipe {
 public:
  explicit recipe(dnnl::engine engine) : engine_(std::move(engine)) {}

  /// The next of the operands whose pointers run() is given.
  dnnl::memory operand(const dnnl::memory::desc& layout) { return operands_.emplace_back(layout, engine_, nullptr); }
  /// Memory of the recipe's own.
  dnnl::memory scratch(const dnnl::memory::desc& layout) { return scratch_.emplace_back(layout, engine_); }
  /// The same, zero: to be read only.
  dnnl::memory zeros(const dnnl::memory::desc& layout) {
    dnnl::memory made = scratch(layout);
    std::memset(values_of(made), 0, layout.get_size());
    return made;
  }

  void then(dnnl::primitive primitive, const primitive_arguments& arguments) {
    if (algorithm_.empty()) algorithm_ = name_of(primitive);
    append(std::move(primitive), arguments);
  }
  /// A step beside those that compute: the recipe does not go by its name.
  void then_aside(dnnl::primitive primitive, const primitive_arguments& arguments) {
    append(std::move(primitive), arguments);
  }
  /// What the library has no primitive for. It must not allocate; it finds memory with values_of() when it runs.
  void then_ours(std::function<void()> compute) { steps_.push_back({{}, {}, std::move(compute)}); }
  /// What the recipe does beside that which it is named for: "brgemm:avx2 after …".
  void also(std::string_view what) { algorithm_ += what; }
  void then_reorder(const dnnl::memory& from, const dnnl::memory& to) {
    append(dnnl::reorder(from, to), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
  }
  /// What the library calls the implementation of the first primitive that computes: "brgemm:avx2". Lives as long as
  /// the recipe.
  [[nodiscard]] const char* algorithm() const noexcept { return algorithm_.c_str(); }

  /// `from` in another layout, converted at every run; `from` itself where it has that layout.
  dnnl::memory converted(const dnnl::memory& from, const dnnl::memory::desc& to) {
    if (from.get_desc() == to) return from;
    dnnl::memory result = scratch(to);
    then_reorder(from, result);
    return result;
  }
  /// Where to compute in another layout what belongs into `to`, for deliver(); `to` itself where it has that layout.
  dnnl::memory computed(const dnnl::memory& to, const dnnl::memory::desc& in) {
    return to.get_desc() == in ? to : scratch(in);
  }
  void deliver(const dnnl::memory& computed, const dnnl::memory& to) {
    if (computed != to) then_reorder(computed, to);
  }
  /// Primitives and conversions.
  [[nodiscard]] std::size_t steps() const noexcept { return steps_.size(); }

  /// Throws: backend_error.
  void run(const dnnl::stream& stream, std::span<const void* const> pointers) {
    RIDGEPOINT_ASSERT(pointers.size() == operands_.size());
    std::size_t i = 0;
    for (const void* p : pointers) set_pointer(operands_[i++], const_cast<void*>(p));
    for (const step& s : steps_)
      if (s.ours) s.ours();
      else execute(s.primitive, stream, s.arguments);
  }
  /// Zeros for each of the operands.
  [[nodiscard]] std::vector<std::vector<float>> stand_ins() const {
    std::vector<std::vector<float>> all;
    for (const dnnl::memory& m : operands_)
      all.emplace_back((m.get_desc().get_size() + sizeof(float) - 1) / sizeof(float));
    return all;
  }

 private:
  struct step {
    dnnl::primitive primitive;
    std::vector<dnnl_exec_arg_t> arguments;
    std::function<void()> ours;
  };
  void append(dnnl::primitive primitive, const primitive_arguments& arguments) {
    step& s = steps_.emplace_back(step{std::move(primitive), {}, {}});
    for (const auto& [role, memory] : arguments) s.arguments.push_back({role, memory.get()});
  }

  dnnl::engine engine_;
  std::vector<dnnl::memory> operands_, scratch_;
  std::vector<step> steps_;
  std::string algorithm_;
};

/// The fastest of recipes of one call, which run in turn on memory of their own: the first round to warm up, then ten
/// by the clock, but no more than 0.1 s; the best run of each counts.
inline recipe fastest(std::vector<recipe> recipes, const dnnl::stream& stream) {
  using clock = std::chrono::steady_clock;
  if (recipes.size() == 1) return std::move(recipes[0]);
  const std::vector<std::vector<float>> memory = recipes[0].stand_ins();
  std::vector<const void*> pointers;
  pointers.reserve(memory.size());
  for (const std::vector<float>& operand : memory) pointers.push_back(operand.data());
  std::vector<clock::duration> best(recipes.size(), (clock::duration::max)());
  const auto begin = clock::now();
  const auto in_time = [&] { return clock::now() - begin < std::chrono::milliseconds(100); };
  for (int round = 0; round <= 10 && (round <= 1 || in_time()); ++round)
    for (std::size_t i = 0; i < recipes.size(); ++i) {
      const auto start = clock::now();
      recipes[i].run(stream, pointers);
      if (round > 0) best[i] = (std::min)(best[i], clock::now() - start);
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
/// An image (n, h, w, c) of ours, whose extents the library names channels first.
inline dnnl::memory::desc image_layout(index_t n, index_t h, index_t w, index_t c,
                                       dnnl::memory::data_type type = dnnl::memory::data_type::f32) {
  return {{n, c, h, w}, type, dnnl::memory::format_tag::nhwc};
}
/// A matrix whose layout the library chooses.
inline dnnl::memory::desc any_layout(index_t rows, index_t cols) {
  return {{rows, cols}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::any};
}

/// What a recipe was made for: the op and everything that is not a pointer.
struct recipe_key {
  std::array<index_t, 21> values{};
  friend bool operator==(const recipe_key&, const recipe_key&) = default;
};
struct recipe_hash {
  std::size_t operator()(const recipe_key& key) const noexcept {
    std::uint64_t h = 0x9E3779B97F4A7C15;
    for (const index_t v : key.values) h = (h ^ static_cast<std::uint64_t>(v)) * 0xBF58476D1CE4E5B9, h ^= h >> 29;
    return h;
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::onednn_detail
