// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <numeric>

#include <ridgepoint/core/atomic_file.hpp>
#include <ridgepoint/core/element.hpp>
#include <ridgepoint/core/input_file.hpp>
#include <ridgepoint/graph/safetensors_header.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// One tensor of a safetensors file.
struct safetensor {
  std::string name;   // "dense_1.w"
  std::string dtype;  // "F32"
  shape extents;
  std::string values;  // row-major, little endian
};

/// Named tensors and texts, as Python's `safetensors` package and others write and read them.
///
/// File: u64 bytes of the header, little endian; the header, JSON (safetensors_header.hpp); the values, which the
/// header's offsets cover without gap and overlap.
/// Example:
///   rp::write_safetensors("w.safetensors", {.tensors = {{"w", "F32", {2, 3}, bytes}}, .metadata = {{"by", "me"}}});
struct safetensors {
  static constexpr std::uint64_t most_header_bytes = 100'000'000;  // what other readers take
  std::vector<safetensor> tensors;
  std::vector<std::pair<std::string, std::string>> metadata = {};
};

static_assert(std::endian::native == std::endian::little, "safetensors are written as the memory is");

/// The name of a type of numbers in such a file; "" of another.
[[nodiscard]] constexpr std::string_view safetensors_dtype(element e) noexcept {
  constexpr std::string_view names[] = {"F32", "F64", "BF16", "F16"};
  return is_number(e) ? names[static_cast<std::size_t>(e)] : "";
}
/// The numbers that have this name; element::other for another type.
[[nodiscard]] constexpr element element_of_safetensors(std::string_view dtype) noexcept {
  for (const element e : {element::f32, element::f64, element::bf16, element::f16})
    if (dtype == safetensors_dtype(e)) return e;
  return element::other;
}

namespace detail {

/// Bytes of a value; 0 for a type that is not one of the format's.
[[nodiscard]] constexpr index_t safetensors_bytes(std::string_view dtype) noexcept {
  for (const std::string_view one : {"BOOL", "U8", "I8", "F8_E5M2", "F8_E4M3"})
    if (dtype == one) return 1;
  for (const std::string_view two : {"U16", "I16", "F16", "BF16"})
    if (dtype == two) return 2;
  for (const std::string_view four : {"U32", "I32", "F32"})
    if (dtype == four) return 4;
  for (const std::string_view eight : {"U64", "I64", "F64"})
    if (dtype == eight) return 8;
  return 0;
}

/// Throws: data_error for a name that comes twice.
void check_once(std::vector<std::string_view> names, std::string_view file);
/// Throws: data_error for two tensors of one name.
template <class Tensor>
void check_names(const std::vector<Tensor>& tensors, std::string_view file) {
  std::vector<std::string_view> names = {"__metadata__"};
  for (const Tensor& t : tensors) names.push_back(t.name);
  check_once(std::move(names), file);
}
/// Throws: data_error for two tensors, or two texts, of one name.
void check_names(const safetensors_header& h, std::string_view file);
/// Throws: data_error, "checkpoint run: dense_1.w holds nan; must be finite", for a number that as `held` is not finite
/// or is below `least`. Requires: the tensor has numbers, as many as its extents say.
void check_values(const safetensor& t, element held, double least, std::string_view what);

}  // namespace detail

/// Throws: value_error where a tensor's values do not have the bytes of its type and extents, a name comes twice or is
/// not UTF-8, or names and extents take more than most_header_bytes.
[[nodiscard]] std::string to_bytes(const safetensors& s);

/// Throws: data_error, naming the file, for bytes that are not a whole file of this form: a header that is not all of
/// it or not what it must be, a name twice, a gap between tensors, an overlap, anything behind the last. Allocates for
/// what the bytes hold, whatever sizes they state: the values, and at most 32 times the header.
[[nodiscard]] safetensors parse_safetensors(std::string_view bytes, std::string_view file = "in memory");

/// The file appears whole or not at all. Throws: as to_bytes(); data_error if it cannot be written.
void write_safetensors(const std::string& path, const safetensors& s);

namespace detail {

/// What checkpoints of older versions begin with: see parse_old_checkpoint().
inline constexpr std::string_view old_checkpoint_magic("RPCHKPT\0", 8);

[[nodiscard]] inline bool is_old_checkpoint(std::string_view bytes) noexcept {
  return bytes.starts_with(old_checkpoint_magic);
}
/// The bytes of a file of tensors, of which the header is checked before the rest is read: a file may promise, or be
/// with holes, more than there is memory for.
/// Throws: data_error if the file cannot be read, is larger than `most_bytes`, or has a header that is not one of
/// safetensors of its size. Of another form of file no more is checked.
[[nodiscard]] std::string read_tensor_bytes(const std::string& path, std::uint64_t most_bytes);

}  // namespace detail

/// Throws: data_error if the file cannot be read, is larger than `most_bytes`, or as parse_safetensors().
[[nodiscard]] inline safetensors read_safetensors(const std::string& path,
                                                  std::uint64_t most_bytes = std::uint64_t{1} << 36) {
  return parse_safetensors(detail::read_tensor_bytes(path, most_bytes), path);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if !RIDGEPOINT_COMPILED
#include <ridgepoint/graph/safetensors-inl.hpp>
#endif
