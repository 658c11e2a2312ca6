// SPDX-License-Identifier: MIT
// ridgepoint replay: draws the pages of a report again, from its JSON.
#include <memory>
#include <string>

#include <ridgepoint/core/files.hpp>

#include "command_files.hpp"
#include "commands.hpp"
#include "directory.hpp"
#include "report_page.hpp"

namespace rp = ridgepoint;

namespace tool::replay {

struct options {
  std::string file, out = ".";
};

int run(const options& o) {
  const rp::json document = rp::parse_strict(rp::read_file(o.file, 64 << 20), o.file);
  const tool::report_pages pages = tool::pages_of(document, o.file);
  const tool::report_files to(tool::made_directory("replay", o.out));
  tool::check_files({.written = {to.html, to.markdown}, .read = {o.file}});
  pages.write(to, o.file);
  return tool::ok;
}

const tool::command command(
    "replay", "Write the pages of a report again, from its JSON", [](CLI::App& app) -> tool::action {
      const auto o = std::make_shared<options>();
      app.add_option("file", o->file, "report.json of `ridgepoint report`")->check(tool::existing_path())->required();
      app.add_option("--out", o->out, "Output directory: report.html and report.md")->capture_default_str();
      app.footer("Numbers and verdicts come from the file; ParaDnn's charts are modelled again.");
      return [o] { return run(*o); };
    });

}  // namespace tool::replay
