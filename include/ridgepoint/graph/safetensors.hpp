// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
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
#if RIDGEPOINT_DEFINES
RIDGEPOINT_DEFINITION void check_once(std::vector<std::string_view> names, std::string_view file) {
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end())
    throw data_error(concat("safetensors ", file, ": \"", *twice, "\" a second time; must be once"));
}
#endif
/// Throws: data_error for two tensors of one name.
template <class Tensor>
void check_names(const std::vector<Tensor>& tensors, std::string_view file) {
  std::vector<std::string_view> names = {"__metadata__"};
  for (const Tensor& t : tensors) names.push_back(t.name);
  check_once(std::move(names), file);
}
/// Throws: data_error for two tensors, or two texts, of one name.
void check_names(const safetensors_header& h, std::string_view file);
#if RIDGEPOINT_DEFINES
RIDGEPOINT_DEFINITION void check_names(const safetensors_header& h, std::string_view file) {
  check_names(h.tensors, file);
  std::vector<std::string_view> texts;
  for (const auto& [key, value] : h.metadata) texts.push_back(key);
  check_once(std::move(texts), file);
}
#endif

/// Throws: data_error unless the tensors have the bytes of their type and extents and cover `bytes` without gap and
/// overlap.
void check_offsets(const std::vector<safetensors_entry>& tensors, std::uint64_t bytes, std::string_view file);
#if RIDGEPOINT_DEFINES
RIDGEPOINT_DEFINITION void check_offsets(const std::vector<safetensors_entry>& tensors, std::uint64_t bytes,
                                         std::string_view file) {
  std::vector<const safetensors_entry*> by_offset;
  by_offset.reserve(tensors.size());
  for (const safetensors_entry& e : tensors) by_offset.push_back(&e);
  std::sort(by_offset.begin(), by_offset.end(),
            [](const auto* a, const auto* b) { return std::pair(a->begin, a->end) < std::pair(b->begin, b->end); });
  std::uint64_t end = 0;
  for (const safetensors_entry* e : by_offset) {
    const index_t each = safetensors_bytes(e->dtype);
    require<data_error>(each > 0, "safetensors ", file, ": \"", e->name, "\" is of type ", e->dtype,
                        "; must be one that this reader knows, of whole bytes");
    require<data_error>(e->begin == end, "safetensors ", file, ": \"", e->name, "\" begins at byte ", e->begin,
                        "; must at ", end, ", without gap and overlap");
    const auto most = static_cast<std::uint64_t>(std::numeric_limits<index_t>::max() / each);
    const auto count = static_cast<std::uint64_t>(e->extents.size());
    require<data_error>(
        count <= most && e->end >= e->begin && e->end - e->begin == count * static_cast<std::uint64_t>(each),
        "safetensors ", file, ": \"", e->name, "\" is ", e->extents, " of ", e->dtype, ", from byte ", e->begin, " to ",
        e->end, "; must be as many bytes");
    end = e->end;
  }
  require<data_error>(end == bytes, "safetensors ", file, ": tensors take ", end, " bytes; must take ", bytes,
                      ", all that follow the header");
}
#endif

}  // namespace detail

/// Throws: value_error where a tensor's values do not have the bytes of its type and extents, a name comes twice or is
/// not UTF-8, or names and extents take more than most_header_bytes.
[[nodiscard]] std::string to_bytes(const safetensors& s);
#if RIDGEPOINT_DEFINES
RIDGEPOINT_DEFINITION std::string to_bytes(const safetensors& s) {
  safetensors_header header{.tensors = {}, .metadata = s.metadata};
  std::uint64_t end = 0;
  for (const safetensor& t : s.tensors) {
    const std::uint64_t begin = end;
    end += t.values.size();
    header.tensors.push_back({.name = t.name, .dtype = t.dtype, .extents = t.extents, .begin = begin, .end = end});
  }
  try {
    detail::check_names(header, "to be written");
    detail::check_offsets(header.tensors, end, "to be written");
  } catch (const data_error& wrong) {
    throw value_error(wrong.what());
  }
  std::string described = to_json(header);
  require<value_error>(detail::valid_utf8(described), "safetensors: a name or a text is not UTF-8; must be");
  described.append((8 - described.size() % 8) % 8, ' ');  // values begin at a multiple of 8 bytes
  const auto size = static_cast<std::uint64_t>(described.size());
  require<value_error>(size <= safetensors::most_header_bytes, "safetensors: names and extents take ", size,
                       " bytes; must take <= ", safetensors::most_header_bytes);
  std::string out(reinterpret_cast<const char*>(&size), sizeof size);
  out += described;
  for (const safetensor& t : s.tensors) out += t.values;
  return out;
}
#endif

/// Throws: data_error, naming the file, for bytes that are not a whole file of this form: a header that is not all of
/// it or not what it must be, a name twice, a gap between tensors, an overlap, anything behind the last. Allocates for
/// what the bytes hold, whatever sizes they state: the values, and at most 32 times the header.
[[nodiscard]] safetensors parse_safetensors(std::string_view bytes, std::string_view file = "in memory");
#if RIDGEPOINT_DEFINES
RIDGEPOINT_DEFINITION safetensors parse_safetensors(std::string_view bytes, std::string_view file) {
  std::uint64_t size = 0;
  require<data_error>(bytes.size() >= sizeof size, "safetensors ", file, ": has ", bytes.size(),
                      " bytes; must have at least ", sizeof size);
  std::memcpy(&size, bytes.data(), sizeof size);
  bytes.remove_prefix(sizeof size);
  require<data_error>(size <= safetensors::most_header_bytes && size <= bytes.size(), "safetensors ", file,
                      ": header takes ", size,
                      " bytes; must be <= ", std::min<std::uint64_t>(safetensors::most_header_bytes, bytes.size()));
  const std::string_view values = bytes.substr(static_cast<std::size_t>(size));
  safetensors_header header = detail::safetensors_json(bytes.substr(0, static_cast<std::size_t>(size)), file).header();
  detail::check_names(header, file);
  detail::check_offsets(header.tensors, values.size(), file);

  safetensors s{.tensors = {}, .metadata = std::move(header.metadata)};
  s.tensors.reserve(header.tensors.size());
  for (safetensors_entry& e : header.tensors)
    s.tensors.push_back({.name = std::move(e.name),
                         .dtype = std::move(e.dtype),
                         .extents = e.extents,
                         .values = std::string(values.substr(static_cast<std::size_t>(e.begin),
                                                             static_cast<std::size_t>(e.end - e.begin)))});
  return s;
}
#endif

/// The file appears whole or not at all. Throws: as to_bytes(); data_error if it can not be written.
void write_safetensors(const std::string& path, const safetensors& s);
#if RIDGEPOINT_DEFINES
RIDGEPOINT_DEFINITION void write_safetensors(const std::string& path, const safetensors& s) {
  write_file(path, to_bytes(s));
}
#endif

/// Throws: data_error if the file can not be read, is larger than `most_bytes`, or as parse_safetensors().
[[nodiscard]] inline safetensors read_safetensors(const std::string& path,
                                                  std::uint64_t most_bytes = std::uint64_t{1} << 36) {
  return parse_safetensors(read_file(path, most_bytes), path);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
