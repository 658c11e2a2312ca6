// SPDX-License-Identifier: MIT
// ridgepoint replay: draws the pages of a report again, from its JSON.
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/core/printable.hpp>

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
  const std::filesystem::path directory = tool::made_directory("replay", o.out);
  const std::string html = (directory / "report.html").string(), markdown = (directory / "report.md").string();
  tool::check_files({.written = {html, markdown}, .read = {o.file}});
  rp::write_file(html, pages.html);
  rp::write_file(markdown, pages.markdown);
  std::cout << pages.summary << "wrote " << rp::printable(html) << " and " << rp::printable(markdown) << '\n';
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
