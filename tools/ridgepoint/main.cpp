// SPDX-License-Identifier: MIT
// The `ridgepoint` tool: finds the sub-command, runs it, turns exceptions into one line and an exit code.
#include <algorithm>
#include <exception>
#include <iostream>
#include <new>

#include <ridgepoint/core/error.hpp>

#include "commands.hpp"

namespace rp = ridgepoint;

namespace {

int complain(int code, const char* message) {
  std::cerr << "ridgepoint: " << message << '\n';
  return code;
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

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Deep-learning microkernels that know their own cost, placed on this machine's roofline.", "ridgepoint");
  app.set_version_flag("--version", "ridgepoint " RIDGEPOINT_VERSION_STRING);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 done, 1 a check failed or memory ran out, 2 wrong usage or a file that can not be read or written,\n"
      "3 not available on this CPU or in this build, 130 interrupted.\n"
      "Environment: RIDGEPOINT_ISA=scalar|sse4_2|avx|avx_fma|avx2|avx512 forces an instruction set.");

  std::vector<const tool::command*> commands = tool::command::all();
  std::ranges::sort(commands, {}, &tool::command::name);
  std::vector<tool::action> actions;
  for (const tool::command* c : commands) actions.push_back(c->setup(*app.add_subcommand(c->name, c->description)));

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    return complain(tool::bad_input, (std::string(e.what()) + "; see ridgepoint --help").c_str());
  }
  for (std::size_t i = 0; i < commands.size(); ++i)
    if (app.got_subcommand(commands[i]->name)) return run(actions[i]);
  return tool::bad_input;
}
