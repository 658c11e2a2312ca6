// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include <ridgepoint/core/element.hpp>
#include <ridgepoint/core/types.hpp>
#include <ridgepoint/graph/safetensors.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace detail {

RIDGEPOINT_DEFINITION void check_once(std::vector<std::string_view> names, std::string_view file) {
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end())
    throw data_error(concat("safetensors ", file, ": \"", *twice, "\" appears twice; must appear once"));
}

RIDGEPOINT_DEFINITION void check_names(const safetensors_header& h, std::string_view file) {
  check_names(h.tensors, file);
  std::vector<std::string_view> texts;
  for (const auto& [key, value] : h.metadata) texts.push_back(key);
  check_once(std::move(texts), file);
}

RIDGEPOINT_DEFINITION void check_values(const safetensor& t, element held, double least, std::string_view what) {
  const element type = element_of_safetensors(t.dtype);
  const std::size_t each = bytes_of(type), count = t.values.size() / each;
  std::array<double, 512> as_held, values;
  for (std::size_t first = 0; first < count; first += values.size()) {
    const auto n = static_cast<index_t>((std::min)(count - first, values.size()));
    const char* const from = t.values.data() + first * each;
    convert_elements(as_held.data(), held, from, type, n);
    convert_elements(values.data(), element::f64, as_held.data(), held, n);
    const auto bad = std::find_if_not(values.begin(), values.begin() + n,
                                      [=](double value) { return std::isfinite(value) && value >= least; });
    if (bad == values.begin() + n) continue;
    double stated = 0;
    convert_elements(&stated, element::f64, from + static_cast<std::size_t>(bad - values.begin()) * each, type, 1);
    throw data_error(concat(what, ": ", t.name, " holds ", stated, "; must be finite",
                            std::isfinite(stated) && !std::isfinite(*bad) ? concat(" as ", to_string(held)) : "",
                            exactly(least, 0) ? " and >= 0" : ""));
  }
}

/// Throws: data_error unless the tensors have the bytes of their type and extents and cover `bytes` without gap or
/// overlap.
inline void check_offsets(const std::vector<safetensors_entry>& tensors, std::uint64_t bytes, std::string_view file) {
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
                        "; must begin at ", end, ", without gap or overlap");
    const auto most = static_cast<std::uint64_t>((std::numeric_limits<index_t>::max)() / each);
    const auto count = static_cast<std::uint64_t>(e->extents.size());
    require<data_error>(
        count <= most && e->end >= e->begin && e->end - e->begin == count * static_cast<std::uint64_t>(each),
        "safetensors ", file, ": \"", e->name, "\" is ", e->extents, " of ", e->dtype, ", from byte ", e->begin, " to ",
        e->end, "; must match in size");
    end = e->end;
  }
  require<data_error>(end == bytes, "safetensors ", file, ": tensors take ", end, " bytes; must take ", bytes,
                      ", all that follow the header");
}

}  // namespace detail

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
  const std::uint64_t size = described.size();
  require<value_error>(size <= safetensors::most_header_bytes, "safetensors: names and extents take ", size,
                       " bytes; must take <= ", safetensors::most_header_bytes);
  std::string out(reinterpret_cast<const char*>(&size), sizeof size);
  out += described;
  for (const safetensor& t : s.tensors) out += t.values;
  return out;
}

namespace detail {

/// Returns the header size of a file of `file_bytes` bytes that begins with `begin`.
/// Throws: data_error if it exceeds the file.
inline std::uint64_t header_bytes(std::string_view begin, std::uint64_t file_bytes, std::string_view file) {
  std::uint64_t size = 0;
  require<data_error>(begin.size() >= sizeof size, "safetensors ", file, ": has ", begin.size(),
                      " bytes; must have at least ", sizeof size);
  std::memcpy(&size, begin.data(), sizeof size);
  const std::uint64_t most = std::min<std::uint64_t>(safetensors::most_header_bytes, file_bytes - sizeof size);
  require<data_error>(size <= most, "safetensors ", file, ": header takes ", size, " bytes; must be <= ", most);
  return size;
}
/// Parses the header of a file with `value_bytes` bytes of values. Throws: data_error.
inline safetensors_header checked_header(std::string_view text, std::uint64_t value_bytes, std::string_view file) {
  safetensors_header header = safetensors_json(text, file).header();
  check_names(header, file);
  check_offsets(header.tensors, value_bytes, file);
  return header;
}

RIDGEPOINT_DEFINITION std::string read_tensor_bytes(const std::string& path, std::uint64_t most_bytes) {
  input_file file(path);
  check_size(file, most_bytes);
  const std::uint64_t all = file.size_bytes();
  std::string bytes;
  const auto read_up_to = [&](std::uint64_t end) {  // less if the file has been truncated
    const std::size_t have = bytes.size();
    bytes.resize(end);
    bytes.resize(have + file.read(bytes.data() + have, bytes.size() - have));
  };
  read_up_to(std::min<std::uint64_t>(all, sizeof all));
  const std::uint64_t values_at = sizeof all + header_bytes(bytes, all, path);
  read_up_to(values_at);
  if (bytes.size() == values_at)
    static_cast<void>(checked_header(std::string_view(bytes).substr(sizeof all), all - values_at, path));
  bytes.reserve(all);
  read_up_to(all);
  return bytes;
}

}  // namespace detail

RIDGEPOINT_DEFINITION safetensors parse_safetensors(std::string_view bytes, std::string_view file) {
  const std::uint64_t size = detail::header_bytes(bytes, bytes.size(), file);
  bytes.remove_prefix(sizeof size);
  const std::string_view values = bytes.substr(size);
  safetensors_header header = detail::checked_header(bytes.substr(0, size), values.size(), file);

  safetensors s{.tensors = {}, .metadata = std::move(header.metadata)};
  s.tensors.reserve(header.tensors.size());
  for (safetensors_entry& e : header.tensors)
    s.tensors.push_back({.name = std::move(e.name),
                         .dtype = std::move(e.dtype),
                         .extents = e.extents,
                         .values = std::string(values.substr(e.begin, e.end - e.begin))});
  return s;
}

RIDGEPOINT_DEFINITION void write_safetensors(const std::string& path, const safetensors& s) {
  write_file(path, to_bytes(s));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
