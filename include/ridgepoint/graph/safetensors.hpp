// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ridgepoint/core/element.hpp>
#include <ridgepoint/core/files.hpp>
#include <ridgepoint/core/printable.hpp>
#include <ridgepoint/core/shape.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Header entry of one tensor in a safetensors file.
struct safetensors_entry {
  std::string name, dtype;
  shape extents;
  std::uint64_t begin = 0, end = 0;  // byte range of its values among all
};

/// The header of a safetensors file: a JSON object of tensors, and metadata in "__metadata__".
struct safetensors_header {
  std::vector<safetensors_entry> tensors;  // in order of appearance
  std::vector<std::pair<std::string, std::string>> metadata;
};

namespace detail {

/// Parser for the JSON subset of such headers: objects of a known form, strings, and whole numbers. Nesting is limited,
/// so it does not recurse.
class safetensors_json {
 public:
  safetensors_json(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  /// Throws: data_error, naming file and position, for anything else.
  [[nodiscard]] safetensors_header header() {
    safetensors_header h;
    int described = 0;
    require<data_error>(valid_utf8(text_), "safetensors ", file_, ": header is not UTF-8; must be");
    require<data_error>(text_.starts_with('{'), "safetensors ", file_, ": header does not begin with {; must be JSON");
    members('{', '}', [&] {
      std::string name = string();
      expect(':');
      if (name != "__metadata__") return h.tensors.push_back(tensor(std::move(name)));
      once(described, name);
      members('{', '}', [&] {
        std::string key = string();
        expect(':');
        h.metadata.emplace_back(std::move(key), string());
      });
    });
    skip_blanks();
    check(at_ == text_.size(), "text after the header's object; must be none but blanks");
    return h;
  }

 private:
  template <class... What>
  void check(bool ok, const What&... what) const {
    require<data_error>(ok, "safetensors ", file_, ": header byte ", at_, ": ", what...);
  }
  void skip_blanks() { at_ = (std::min)(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
  [[nodiscard]] char next() {
    skip_blanks();
    check(at_ < text_.size(), "ends too early; must be complete");
    return text_[at_];
  }
  void expect(char wanted) {
    const char is = next();
    check(is == wanted, "is ", is, "; must be ", wanted);
    ++at_;
  }
  void once(int& times, std::string_view key) const { check(times++ == 0, key, " appears twice; must appear once"); }
  /// Calls member() for every element of a comma-separated list.
  template <class Member>
  void members(char open, char close, const Member& member) {
    expect(open);
    if (next() == close) return expect(close);
    for (;;) {
      member();
      if (next() == close) return expect(close);
      expect(',');
    }
  }

  [[nodiscard]] safetensors_entry tensor(std::string name) {
    safetensors_entry e{.name = std::move(name), .dtype = {}, .extents = {}};
    int typed = 0, shaped = 0, placed = 0;
    members('{', '}', [&] {
      const std::string key = string();
      expect(':');
      if (key == "dtype") {
        once(typed, key);
        e.dtype = string();
      } else if (key == "shape") {
        once(shaped, key);
        e.extents = extents();
      } else if (key == "data_offsets") {
        once(placed, key);
        std::uint64_t offsets[2] = {};
        std::size_t count = 0;
        members('[', ']', [&] {
          check(count < 2, "has more than 2 data_offsets; must have 2");
          offsets[count++] = number();
        });
        check(count == 2, "has ", count, " data_offsets; must have 2");
        e.begin = offsets[0], e.end = offsets[1];
      } else {
        check(false, "key \"", key, "\"; must be dtype, shape or data_offsets");
      }
    });
    check(typed + shaped + placed == 3, "\"", e.name, "\" lacks dtype, shape or data_offsets; must have all");
    return e;
  }
  [[nodiscard]] shape extents() {
    index_t all[shape::max_rank];
    int rank = 0;
    members('[', ']', [&] {
      check(rank < shape::max_rank, "rank is above ", shape::max_rank, "; must be at most that");
      all[rank++] = static_cast<index_t>(number());
    });
    try {
      return shape(all, all + rank);
    } catch (const shape_error& error) {
      throw data_error(concat("safetensors ", file_, ": ", error.what()));
    }
  }
  [[nodiscard]] std::uint64_t number() {
    static_cast<void>(next());
    const std::size_t first = at_;
    std::uint64_t value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      check(at_ - first < 18, "has more than 18 digits; must be a size");  // below 2^63
      value = 10 * value + static_cast<std::uint64_t>(text_[at_] - '0');
    }
    check(at_ > first && (text_[first] != '0' || at_ == first + 1), "is not a number; must be a whole number >= 0");
    return value;
  }
  /// Parses a string: UTF-8, with escapes resolved.
  [[nodiscard]] std::string string() {
    expect('"');
    std::string out;
    for (;;) {
      check(at_ < text_.size(), "string does not end; must end with a quote");
      const char c = text_[at_++];
      if (c == '"') return out;
      check(static_cast<unsigned char>(c) >= 0x20, "control character in a text; must be escaped");
      if (c == '\\') escape(out);
      else out += c;
    }
  }
  void escape(std::string& out) {
    check(at_ < text_.size(), "string does not end; must end with a quote");
    constexpr std::string_view letters = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
    const char c = text_[at_++];
    if (const std::size_t found = letters.find(c); found != letters.npos) {
      out += meant[found];
      return;
    }
    check(c == 'u', "escape \\", c, "; must be one of JSON's");
    std::uint32_t point = code_unit();
    if (point >= 0xD800 && point < 0xDC00) {
      check(text_.substr(at_, 2) == "\\u", "half a surrogate pair; must be a whole one");
      at_ += 2;
      const std::uint32_t low = code_unit();
      check(low >= 0xDC00 && low < 0xE000, "half a surrogate pair; must be a whole one");
      point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
    }
    check(point < 0xD800 || point >= 0xE000, "half a surrogate pair; must be a whole one");
    const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
    if (point < 0x80) return put(point);
    if (point >= 0x10000) put(0xF0 | point >> 18);
    if (point >= 0x800) put(point >= 0x10000 ? 0x80 | (point >> 12 & 0x3F) : 0xE0 | point >> 12);
    put(point >= 0x800 ? 0x80 | (point >> 6 & 0x3F) : 0xC0 | point >> 6);
    put(0x80 | (point & 0x3F));
  }
  [[nodiscard]] std::uint32_t code_unit() {
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      constexpr std::string_view digits = "0123456789abcdefABCDEF";
      const std::size_t found = at_ < text_.size() ? digits.find(text_[at_]) : digits.npos;
      check(found != digits.npos, "\\u without four hexadecimal digits; must have them");
      value = 16 * value + static_cast<std::uint32_t>(found < 16 ? found : found - 6);
    }
    return value;
  }

  std::string_view text_, file_;
  std::size_t at_ = 0;
};

/// Returns a string as JSON.
[[nodiscard]] inline std::string quoted(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') out += '\\', out += c;
    else if (byte < 0x20) out += "\\u00", out += digits[byte >> 4], out += digits[byte & 15];
    else out += c;
  }
  return out + '"';
}

}  // namespace detail

/// Returns the header as JSON, without blanks.
[[nodiscard]] inline std::string to_json(const safetensors_header& h) {
  std::string out;
  if (!h.metadata.empty()) {
    for (const auto& [key, value] : h.metadata)
      out += concat(out.empty() ? "\"__metadata__\":{" : ",", detail::quoted(key), ':', detail::quoted(value));
    out += '}';
  }
  for (const safetensors_entry& e : h.tensors) {
    std::string extents;
    for (const index_t extent : e.extents) extents += concat(extents.empty() ? "" : ",", extent);
    out += concat(out.empty() ? "" : ",", detail::quoted(e.name), ":{\"dtype\":", detail::quoted(e.dtype),
                  ",\"shape\":[", extents, "],\"data_offsets\":[", e.begin, ',', e.end, "]}");
  }
  return concat('{', out, '}');
}

/// One tensor of a safetensors file.
struct safetensor {
  std::string name;   // "dense_1.w"
  std::string dtype;  // "F32"
  shape extents;
  std::string values;  // row-major, little endian
};

/// Named tensors and metadata, compatible with Python's `safetensors` package.
///
/// File: u64 bytes of the header, little endian; the header, JSON (safetensors_header); the values, which the
/// header's offsets cover without gap or overlap.
/// Example:
///   rp::write_safetensors("w.safetensors", {.tensors = {{"w", "F32", {2, 3}, bytes}}, .metadata = {{"by", "me"}}});
struct safetensors {
  static constexpr std::uint64_t most_header_bytes = 100'000'000;  // limit of other readers
  std::vector<safetensor> tensors;
  std::vector<std::pair<std::string, std::string>> metadata = {};
};

static_assert(std::endian::native == std::endian::little, "safetensors are written as the memory is");

/// Returns the name of an element type in such a file; "" if it is not a number type.
[[nodiscard]] constexpr std::string_view safetensors_dtype(element e) noexcept {
  constexpr std::string_view names[] = {"F32", "F64", "BF16", "F16"};
  return is_number(e) ? names[static_cast<std::size_t>(e)] : "";
}
/// Returns the number type with this name; element::other for another type.
[[nodiscard]] constexpr element element_of_safetensors(std::string_view dtype) noexcept {
  for (const element e : {element::f32, element::f64, element::bf16, element::f16})
    if (dtype == safetensors_dtype(e)) return e;
  return element::other;
}

namespace detail {

/// Returns the bytes of a value; 0 for a type that is not in the format.
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

/// Throws: data_error for a duplicate name.
void check_once(std::vector<std::string_view> names, std::string_view file);
/// Throws: data_error for two tensors with one name.
template <class Tensor>
void check_names(const std::vector<Tensor>& tensors, std::string_view file) {
  std::vector<std::string_view> names = {"__metadata__"};
  for (const Tensor& t : tensors) names.push_back(t.name);
  check_once(std::move(names), file);
}
/// Throws: data_error for two tensors, or two metadata entries, with one name.
void check_names(const safetensors_header& h, std::string_view file);
/// Throws: data_error, "checkpoint run: dense_1.w holds nan; must be finite", for a number that is not finite in type
/// `held`, or is below `least`. Requires: the tensor has numbers, as many as its extents say.
void check_values(const safetensor& t, element held, double least, std::string_view what);

}  // namespace detail

/// Throws: value_error if a tensor's values do not have the bytes of its type and extents, a name is duplicate or not
/// UTF-8, or names and extents exceed most_header_bytes.
[[nodiscard]] std::string to_bytes(const safetensors& s);

/// Throws: data_error, naming the file, for bytes that are not a complete file of this format: an incomplete or
/// malformed header, a duplicate name, a gap between tensors, an overlap, anything after the last. Allocates in
/// proportion to the actual bytes, whatever sizes they state: the values, and up to 32 times the header.
[[nodiscard]] safetensors parse_safetensors(std::string_view bytes, std::string_view file = "in memory");

/// Writes the file atomically. Throws: as to_bytes(); data_error if it cannot be written.
void write_safetensors(const std::string& path, const safetensors& s);

namespace detail {

/// Reads a file of tensors. Checks the header before reading the rest: a file may state, or be sparse with, more bytes
/// than memory holds.
/// Throws: data_error if the file cannot be read, is larger than `most_bytes`, or has a header that is not valid
/// safetensors for its size.
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
