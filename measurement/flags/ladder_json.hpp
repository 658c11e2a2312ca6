// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <set>
#include <string_view>

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/roofline/strict_json.hpp>

#include "flag_set.hpp"
#include "shell_word.hpp"

namespace measurement {

namespace detail {

/// Returns true if a flag only affects code generation. A ladder may be untrusted: it must not write files (-o,
/// -fdump-…), load code into the compiler (-fplugin=…) or name files (@file, -include, -Wl,…).
inline bool chooses_code(std::string_view flag) {
  constexpr std::string_view allowed[] = {"-O", "-m", "-f", "-D", "-U", "-std="};
  constexpr std::string_view alone[] = {"-g", "-g0", "-g1", "-g2", "-g3", "-pthread"};
  constexpr std::string_view refused[] = {
      "-mllvm",         "-fplugin",     "-fpass-plugin",  "-fdump",         "-fopt-info",     "-fprofile",
      "-fauto-profile", "-fcs-profile", "-fcallgraph",    "-fsave",         "-fmodule",       "-fprebuilt",
      "-fdiagnostics",  "-fdebug",      "-fcrash",        "-foffload",      "-fuse-ld",       "-fcompare-debug",
      "-foptimization", "-fproc-stat",  "-fthin-link",    "-fthinlto",      "-ftime-trace",   "-fxray",
      "-fdeps",         "-frewrite",    "-fsanitize-ign", "-fsanitize-bla", "-fbuild-session"};
  const auto begins = [&](std::string_view with) { return flag.starts_with(with); };
  const bool is_printed = std::ranges::all_of(flag, [](char c) { return c > ' ' && c <= '~'; });
  const bool names_file = !flag.starts_with("-D") && flag.find('/') != std::string_view::npos;
  const bool is_known = std::ranges::any_of(allowed, begins) || std::ranges::find(alone, flag) != std::end(alone);
  return is_printed && flag.size() <= 200 && !names_file && is_known && std::ranges::none_of(refused, begins);
}

inline bool names_a_set(std::string_view name) {
  return !name.empty() && name.size() <= 40 && is_made_of_letters_digits_and("+-._=", name);
}

inline std::vector<std::string> read_flags(const ridgepoint::json_reader& in, const char* key) {
  std::vector<std::string> flags = in.texts(key, 100);
  for (const std::string& flag : flags)
    ridgepoint::require<ridgepoint::data_error>(
        chooses_code(flag), in.path(key), " has ", ridgepoint::json(flag).dump(),
        "; must be flags that choose code: -O, -m, -f, -D, -U, -std=, -g or -pthread, without files and plugins");
  return flags;
}

inline bool is_profile_guided(const ridgepoint::json_reader& set) {
  if (!set.has("profile_guided")) return false;
  const std::string is = set.scalar("profile_guided");
  ridgepoint::require<ridgepoint::data_error>(is == "true" || is == "false", set.path("profile_guided"), " is ", is,
                                              "; must be true or false");
  return is == "true";
}

}  // namespace detail

/// Reads a ladder from a JSON document, schema "ridgepoint.flags.ladder", version 1:
///
///     {"schema": "ridgepoint.flags.ladder", "schema_version": 1,
///      "base": "plain", "common": ["-O3"],
///      "sets": [{"name": "plain", "flags": []}, {"name": "fast", "flags": ["-ffast-math"]}]}
///
/// `common` (optional) precedes the flags of every set. A set with "profile_guided": true is compiled with a profile.
/// At most 1000 sets of 100 flags each.
/// Throws: ridgepoint::data_error naming the place and the expected value.
inline ladder read_ladder(const std::string& text, const std::string& source) {
  namespace rp = ridgepoint;
  constexpr std::size_t most_sets = 1000;
  const rp::json document = rp::parse_strict(text, source);
  const rp::json_reader in(document, source + ": ");
  in.require_schema("ridgepoint.flags.ladder");
  ladder read{.base = in.text("base")};
  const std::vector<std::string> common =
      in.has("common") ? detail::read_flags(in, "common") : std::vector<std::string>();
  const std::vector<rp::json_reader> sets = in.objects("sets");
  rp::require<rp::data_error>(!sets.empty() && sets.size() <= most_sets, in.path("sets"), " has ", sets.size(),
                              " sets; must have from 1 to ", most_sets);
  std::set<std::string> names;
  for (const rp::json_reader& set : sets) {
    flag_set of{.name = set.text("name"), .flags = common, .profile_guided = detail::is_profile_guided(set)};
    rp::require<rp::data_error>(detail::names_a_set(of.name), set.path("name"), " is ", rp::json(of.name).dump(),
                                "; must be 1 to 40 letters, digits and + - . _ =");
    rp::require<rp::data_error>(names.insert(of.name).second, set.path("name"), " is ", of.name,
                                " once more; must differ from the others");
    const std::vector<std::string> flags = detail::read_flags(set, "flags");
    of.flags.insert(of.flags.end(), flags.begin(), flags.end());
    read.sets.push_back(std::move(of));
  }
  rp::require<rp::data_error>(names.contains(read.base), in.path("base"), " is ", rp::json(read.base).dump(),
                              "; must be the name of a set");
  return read;
}

/// Reads a file of at most 1 MiB. Throws: as read_ladder(), and if it cannot be read.
inline ladder load_ladder(const std::string& path) { return read_ladder(ridgepoint::read_file(path, 1 << 20), path); }

}  // namespace measurement
