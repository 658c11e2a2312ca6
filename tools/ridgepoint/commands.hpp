// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

/// The `ridgepoint` command: one file in this folder per sub-command; adding the file is enough.
namespace tool {

/// Exit codes; documented in --help.
enum exit_code : int {
  ok = 0,
  failed = 1,         // a check failed, a backend failed, memory ran out
  bad_input = 2,      // command line or value, or a file that cannot be read or written
  not_here = 3,       // this CPU or build lacks something requested
  interrupted = 130,  // SIGINT
};

/// Runs a parsed sub-command and returns the exit code.
using action = std::function<int()>;

/// A sub-command: `setup` declares its options on `app` and returns what to do once they are parsed.
/// A static object of this type in a command's own file registers it. "mxu trace" is called as `ridgepoint mxu trace`,
/// like the other commands of the group `mxu`, which main.cpp describes.
///
/// Example:
///   const tool::command machine("machine", "Measures this machine's ceilings", [](CLI::App& app) -> tool::action {
///     auto json = std::make_shared<std::string>();
///     app.add_option("--json", *json, "Write the ceilings to this file");
///     return [json] { return measure_and_print(*json); };
///   });
struct command {
  std::string name, description;
  std::function<action(CLI::App& app)> setup;

  command(std::string name_, std::string description_, std::function<action(CLI::App&)> setup_)
      : name(std::move(name_)), description(std::move(description_)), setup(std::move(setup_)) {
    all().push_back(this);
  }
  command(const command&) = delete;
  command& operator=(const command&) = delete;

  /// Returns every command linked into this program.
  static std::vector<const command*>& all() {
    static std::vector<const command*> commands;
    return commands;
  }
};

}  // namespace tool
