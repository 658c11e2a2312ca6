// SPDX-License-Identifier: MIT
#include "flags_cache.hpp"

#include <algorithm>

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/roofline/strict_json.hpp>

namespace tool {
namespace {

namespace rp = ridgepoint;

constexpr const char* record_name = "build.json";
constexpr std::uint64_t largest_file = 256 << 20;

}  // namespace

std::string hash_text(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  std::string digits(16, '0');
  for (std::size_t i = digits.size(); i-- > 0; hash >>= 4) digits[i] = "0123456789abcdef"[hash & 15];
  return digits;
}

std::string content_hashes::of(const std::string& file) {
  const std::lock_guard lock(mutex_);
  const auto [at, is_new] = known_.emplace(file, "");
  try {
    if (is_new) at->second = hash_text(rp::read_file(file, largest_file));
  } catch (const rp::data_error&) {  // unreadable: the hash stays empty
  }
  return at->second;
}

bool build_record::holds(content_hashes& now) const {
  return std::ranges::all_of(contents, [&](const auto& file) { return now.of(file.first) == file.second; });
}

void build_record::save(const std::filesystem::path& folder) const {
  rp::save_json((folder / record_name).string(), {{"schema", "ridgepoint.flags.build"},
                                                  {"schema_version", 1},
                                                  {"key", key},
                                                  {"compile_s", compile_s},
                                                  {"contents", contents}});
}

std::optional<build_record> build_record::load(const std::filesystem::path& folder) {
  const std::string file = (folder / record_name).string();
  try {
    const rp::json document = rp::parse_strict(rp::read_file(file, largest_file), file);
    const rp::json_reader in(document, file + ": ");
    in.require_schema("ridgepoint.flags.build");
    build_record record{.key = in.text("key", 1 << 20), .compile_s = in.number("compile_s", 0)};
    const rp::json_reader contents = in.object("contents");
    for (const std::string& name : contents.keys()) record.contents[name] = contents.text(name.c_str());
    return record;
  } catch (const rp::data_error&) {
    return std::nullopt;
  }
}

}  // namespace tool
