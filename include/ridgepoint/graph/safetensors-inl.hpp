// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstring>

#include <ridgepoint/graph/safetensors.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace detail {

RIDGEPOINT_DEFINITION void check_once(std::vector<std::string_view> names, std::string_view file) {
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end())
    throw data_error(concat("safetensors ", file, ": \"", *twice, "\" a second time; must be once"));
}

RIDGEPOINT_DEFINITION void check_names(const safetensors_header& h, std::string_view file) {
  check_names(h.tensors, file);
  std::vector<std::string_view> texts;
  for (const auto& [key, value] : h.metadata) texts.push_back(key);
  check_once(std::move(texts), file);
}

/// Throws: data_error unless the tensors have the bytes of their type and extents and cover `bytes` without gap and
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
                        "; must at ", end, ", without gap and overlap");
    const auto most = static_cast<std::uint64_t>((std::numeric_limits<index_t>::max)() / each);
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
  const auto size = static_cast<std::uint64_t>(described.size());
  require<value_error>(size <= safetensors::most_header_bytes, "safetensors: names and extents take ", size,
                       " bytes; must take <= ", safetensors::most_header_bytes);
  std::string out(reinterpret_cast<const char*>(&size), sizeof size);
  out += described;
  for (const safetensor& t : s.tensors) out += t.values;
  return out;
}

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

RIDGEPOINT_DEFINITION void write_safetensors(const std::string& path, const safetensors& s) {
  write_file(path, to_bytes(s));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
