// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

using nlohmann::json;

/// Parses JSON from an untrusted source: up to 16 levels deep, no duplicate key in an object, one value and no rest.
/// Throws: data_error that names the source and the problem.
[[nodiscard]] inline json parse_strict(const std::string& text, const std::string& source) {
  static constexpr int most_depth = 16;
  std::vector<std::set<std::string>> keys;
  const auto look = [&](int depth, json::parse_event_t event, const json& value) {
    require<data_error>(depth < most_depth, source, ": is nested deeper than ", most_depth, "; must not be");
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (event == json::parse_event_t::key)
      require<data_error>(keys.back().insert(value.get<std::string>()).second, source, ": has the key ",
                          value.get<std::string>(), " twice; must have it once");
    return true;
  };
  try {
    return json::parse(text, look);
  } catch (const json::exception& e) {
    throw data_error(concat(source, ": is not JSON: ", e.what()));
  }
}

/// Formats a document, on several lines if `indent` is >= 0. Replaces bytes that are not UTF-8, as in a file's name.
template <class Json>
[[nodiscard]] std::string json_text(const Json& document, int indent = 2) {
  return document.dump(indent, ' ', false, Json::error_handler_t::replace);
}
/// Writes a document atomically. Throws: data_error if it cannot be written.
template <class Json = json>
void save_json(const std::string& path, const Json& document) {
  write_file(path, json_text(document) + '\n');
}

/// One object of a document; every reader function checks the value and names it in errors.
/// Throws: data_error "run.json: machine.ceilings[2].per_s is -1; must be a number from 1 to 1e+24".
class json_reader {
 public:
  json_reader(const json& node, std::string where) : node_(node), where_(std::move(where)) {
    require<data_error>(node_.is_object(), where_, " is ", node_.type_name(), "; must be an object");
  }
  [[nodiscard]] std::string text(const char* key, std::size_t most = 4096) const {
    const json& value = at(key);
    expect(value.is_string(), key, value, "a string");
    const auto& found = value.get_ref<const std::string&>();
    require<data_error>(found.size() <= most, path(key), " has ", found.size(), " characters; must have at most ",
                        most);
    return found;
  }
  /// Reads a text unchanged, or a number or boolean as JSON writes it.
  [[nodiscard]] std::string scalar(const char* key) const {
    const json& value = at(key);
    expect(value.is_primitive() && !value.is_null(), key, value, "a text, a number, true or false");
    return value.is_string() ? text(key) : value.dump();
  }
  /// Reads a finite number from `least` to `most`.
  [[nodiscard]] double number(const char* key, double least, double most = HUGE_VAL) const {
    const json& value = at(key);
    const double is = value.is_number() ? value.get<double>() : std::nan("");
    const bool fits = std::isfinite(is) && is >= least && is <= most;
    const std::string must_be = most < HUGE_VAL ? concat("from ", least, " to ", most) : concat(">= ", least);
    expect(fits, key, value, "a number " + must_be);
    return is;
  }
  /// Reads a number that may be missing or null.
  [[nodiscard]] std::optional<double> optional_number(const char* key, double least, double most = HUGE_VAL) const {
    if (!has(key) || at(key).is_null()) return std::nullopt;
    return number(key, least, most);
  }
  /// Reads an array of up to 10,000 numbers, each ≥ `least`.
  [[nodiscard]] std::vector<double> numbers(const char* key, double least) const {
    static constexpr std::size_t most = 10'000;
    const json& value = at(key);
    expect(value.is_array(), key, value, "an array");
    require<data_error>(value.size() <= most, path(key), " has ", value.size(), " elements; must have at most ", most);
    std::vector<double> found;
    for (const json& element : value) {
      found.push_back(element.is_number() ? element.get<double>() : std::nan(""));
      if (!std::isfinite(found.back()) || found.back() < least)
        expect(false, concat(key, '[', found.size() - 1, ']').c_str(), element, concat("a number >= ", least));
    }
    return found;
  }
  /// Reads an array of up to `most` texts.
  [[nodiscard]] std::vector<std::string> texts(const char* key, std::size_t most) const {
    const json& value = at(key);
    expect(value.is_array(), key, value, "an array");
    require<data_error>(value.size() <= most, path(key), " has ", value.size(), " elements; must have at most ", most);
    std::vector<std::string> found;
    for (const json& element : value) {
      if (!element.is_string()) expect(false, concat(key, '[', found.size(), ']').c_str(), element, "a string");
      found.push_back(element.get<std::string>());
    }
    return found;
  }
  [[nodiscard]] std::uint64_t count(const char* key, std::uint64_t most = std::uint64_t{1} << 62) const {
    const json& value = at(key);
    const bool fits = value.is_number_unsigned() && value.get<std::uint64_t>() <= most;
    expect(fits, key, value, concat("an integer from 0 to ", most));
    return value.get<std::uint64_t>();
  }
  [[nodiscard]] bool has(const char* key) const { return node_.contains(key); }
  /// Lists every key of the object, in alphabetical order.
  [[nodiscard]] std::vector<std::string> keys() const {
    std::vector<std::string> found;
    for (const auto& entry : node_.items()) found.push_back(entry.key());
    return found;
  }
  [[nodiscard]] json_reader object(const char* key) const { return {at(key), path(key)}; }
  [[nodiscard]] std::vector<json_reader> objects(const char* key) const {
    const json& value = at(key);
    expect(value.is_array(), key, value, "an array");
    std::vector<json_reader> found;
    for (std::size_t i = 0; i < value.size(); ++i) found.emplace_back(value[i], concat(path(key), '[', i, ']'));
    return found;
  }
  /// Throws: data_error unless the document has this `schema` and version.
  void require_schema(const char* schema, std::uint64_t must_be = 1) const {
    require<data_error>(text("schema") == schema, path("schema"), " is ", text("schema"), "; must be ", schema);
    const std::uint64_t written = count("schema_version");
    require<data_error>(written == must_be, path("schema_version"), " is ", written, "; must be ", must_be);
  }
  [[nodiscard]] std::string path(const char* key) const { return where_ + (where_.ends_with(": ") ? "" : ".") + key; }
  /// Prefix of a message about the whole object: "run.json: machine: ".
  [[nodiscard]] std::string prefix() const { return where_ + (where_.ends_with(": ") ? "" : ": "); }

 private:
  [[nodiscard]] const json& at(const char* key) const {
    require<data_error>(node_.contains(key), path(key), " is missing; must be there");
    return node_.at(key);
  }
  void expect(bool ok, const char* key, const json& value, const std::string& must_be) const {
    if (ok) return;
    const std::string is = value.is_structured() ? value.type_name() : value.dump().substr(0, 80);
    throw data_error(concat(path(key), " is ", is, "; must be ", must_be));
  }
  const json& node_;
  std::string where_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
