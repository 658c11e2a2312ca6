// SPDX-License-Identifier: MIT
// The `ridgepoint` tool: finds the sub-command, runs it, turns exceptions into one line and an exit code.
#include <algorithm>
#include <csignal>
#include <exception>
#include <iostream>
#include <map>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/nearest_name.hpp>

#include "commands.hpp"
#include "old_names.hpp"

namespace rp = ridgepoint;

namespace {

int complain(int code, std::string_view message) {
  std::cerr << "ridgepoint: " << rp::printable(message) << '\n';
  return code;
}

/// Returns `code`, or an error if the output could not be written.
int printed(int code) {
  if (std::cout.flush() || code != tool::ok) return code;
  return complain(tool::bad_input, "standard output: cannot be written; must be open and have space");
}

int run(const tool::action& action) {
  try {
    return action();
  } catch (const rp::unsupported& e) {
    return complain(tool::not_here, e.what());
  } catch (const rp::backend_error& e) {
    return complain(tool::failed, e.what());
  } catch (const rp::error& e) {
    return complain(tool::bad_input, e.what());
  } catch (const std::bad_alloc&) {
    return complain(tool::failed, "out of memory");
  } catch (const std::exception& e) {
    return complain(tool::failed, e.what());
  }
}

/// Returns the description of a group of commands.
std::string group_description(std::string_view group) {
  if (group == "calibrate") return "Refit the constants of the GPU or TPU model to published measurements";
  if (group == "mxu") return "Simulate a TPU's matrix unit, a systolic array";
  if (group == "validate") return "Compare the CPU, GPU or TPU model with measurements";
  return "";
}

/// Formats help with lines of up to 100 columns: longer descriptions continue in their column.
class help_formatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    constexpr std::size_t most_columns = 100;
    const std::string indentation(get_column_width(), ' ');
    std::string lines;
    std::istringstream help(CLI::Formatter::make_help(app, std::move(name), mode));
    for (std::string line; std::getline(help, line);) {
      while (line.size() > most_columns) {
        std::size_t end = line.rfind(' ', most_columns), next = end + 1;
        if (end == std::string::npos || end < indentation.size())  // names with only commas between
          end = next = line.rfind(',', most_columns - 1) + 1;
        if (end <= indentation.size()) break;
        lines += line.substr(0, end) + '\n';
        line.replace(0, next, indentation);
      }
      lines += line + '\n';
    }
    return lines;
  }
};

/// Declares the parser of a command. "mxu trace" is `trace` under `mxu`, which the first command of the group creates.
CLI::App* declare(CLI::App& app, std::map<std::string, CLI::App*>& groups, const tool::command& c) {
  const auto space = c.name.find(' ');
  if (space == std::string::npos) return app.add_subcommand(c.name, c.description);
  const std::string name = c.name.substr(space + 1);
  const std::string group_name = c.name.substr(0, space);
  CLI::App*& group = groups[group_name];
  if (group == nullptr) group = app.add_subcommand(group_name, group_description(group_name))->require_subcommand(1);
  return group->add_subcommand(name, c.description);
}

/// Returns the error in the command line, any unknown command, and whose --help to read.
std::string refusal(const CLI::App& app, const CLI::ParseError& e) {
  const CLI::App* at = &app;
  std::string called = app.get_name();
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    called += ' ' + at->get_name();
  }
  const std::string see = "; see " + called + " --help";
  const std::vector<std::string> unknown = at->remaining();
  if (at->get_require_subcommand_min() == 0 || unknown.empty() || unknown[0].starts_with('-')) return e.what() + see;
  std::vector<std::string_view> known;
  for (const CLI::App* command : at->get_subcommands({})) known.push_back(command->get_name());
  return rp::concat("no command ", at == &app ? "" : "of " + at->get_name() + ' ', "is called ", unknown[0],
                    "; must be one of ", rp::names_of(known), rp::did_you_mean(unknown[0], known), see);
}

}  // namespace

int main(int argc, char** argv) {
  // Makes a too large file an error of the writing call, here and in child processes.
  std::signal(SIGXFSZ, SIG_IGN);
  if (const std::string spelling = tool::new_spelling({argv + 1, argv + argc}); !spelling.empty())
    return complain(tool::bad_input, rp::concat("this command has a new name; call ridgepoint ", spelling,
                                                "; for its options see its --help"));
  CLI::App app("Train, measure and model deep-learning networks, and compare them with rooflines.", "ridgepoint");
  app.set_version_flag("--version", "ridgepoint " RIDGEPOINT_VERSION_STRING);
  app.require_subcommand(1);
  app.ignore_case();  // for command names; sub-commands inherit it
  app.footer(
      "Exit codes: 0 done, 1 a check failed, a backend failed or memory ran out, 2 wrong usage or a file\n"
      "that cannot be read or written, 3 not available on this CPU or in this build, 130 interrupted.\n"
      "Environment: RIDGEPOINT_ISA=scalar|sse4_2|avx|avx2|avx512 forces an instruction set;\n"
      "RIDGEPOINT_CACHES=L1,L2,L3 (as 48K,2M,480M) plans for these cache sizes.");
  app.formatter(std::make_shared<help_formatter>());  // sub-commands inherit it

  std::vector<const tool::command*> commands = tool::command::all();
  std::ranges::sort(commands, {}, &tool::command::name);
  std::map<std::string, CLI::App*> groups;
  std::vector<CLI::App*> parsers;
  std::vector<tool::action> actions;
  for (const tool::command* c : commands) {
    parsers.push_back(declare(app, groups, *c));
    actions.push_back(c->setup(*parsers.back()));
  }

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return printed(app.exit(e));
  } catch (const CLI::ParseError& e) {
    return complain(tool::bad_input, refusal(app, e));
  }
  for (std::size_t i = 0; i < commands.size(); ++i)
    if (parsers[i]->parsed()) return printed(run(actions[i]));
  return tool::bad_input;
}
