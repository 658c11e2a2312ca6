// SPDX-License-Identifier: MIT
// ridgepoint versus: this library and its peers on the same problems, interleaved, each in a clean process of its own.
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <sstream>

#include <ridgepoint/core/atomic_file.hpp>
#include <ridgepoint/core/parallel.hpp>
#include <ridgepoint/simd/cpuid.hpp>

#include "commands.hpp"
#include "versus_report.hpp"
#include "versus_rounds.hpp"
#include "versus_shapes.hpp"

namespace {

namespace rp = ridgepoint;
namespace fs = std::filesystem;

struct options {
  std::vector<std::string> shapes;
  std::string shape_file, transpose = "nn", type = "f32", isa, json, peers;
  int threads = 1, rounds = 15;
};

/// Where the peer programs are: beside this one, or where they are installed.
fs::path peer_folder(const options& o) {
  if (!o.peers.empty()) return o.peers;
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  const fs::path installed = here.parent_path() / "libexec" / "ridgepoint";
  return fs::exists(installed) ? installed : here;
}

/// The instruction set to show: the one asked for, or the strongest that this CPU runs and that was built.
std::string choose_isa(const options& o, const fs::path& folder) {
  const auto built = [&](std::string_view isa) { return fs::exists(folder / rp::concat("peer_ridgepoint.", isa)); };
  if (!o.isa.empty()) {
    rp::require<rp::unsupported>(rp::simd::cpu_runs(o.isa), "versus: this CPU runs ", rp::simd::cpu_isas(),
                                 "; --isa is ", o.isa);
    rp::require<rp::unsupported>(built(o.isa), "versus: ", folder.string(), " has no peer_ridgepoint.", o.isa,
                                 "; it must be built first");
    return o.isa;
  }
  std::string best;
  for (const std::string_view isa : rp::simd::isa_names)
    if (rp::simd::cpu_runs(isa) && built(isa)) best = isa;
  rp::require<rp::unsupported>(!best.empty(), "versus: ", folder.string(),
                               " has no peer_ridgepoint.<isa> that runs here; it must be built first");
  return best;
}

/// A process for each setting of each implementation that was built.
std::vector<tool::contender> start_contenders(const options& o, const fs::path& folder, const std::string& ours) {
  const std::string n = std::to_string(o.threads);
  const std::vector<std::string> threads{"OMP_NUM_THREADS=" + n, "OPENBLAS_NUM_THREADS=" + n, "BLIS_NUM_THREADS=" + n};
  std::vector<tool::contender> contenders;
  for (const std::string& name : {ours, std::string("openblas"), std::string("onednn"), std::string("eigen"),
                                  std::string("blis"), std::string("ceiling.copy")}) {
    const fs::path program = folder / ("peer_" + name);
    if (!fs::exists(program)) continue;
    std::istringstream settings(tool::versus_child::output(program, threads));
    for (std::string line; std::getline(settings, line);) {
      std::istringstream in(line);
      std::string label;
      in >> label;
      std::vector<std::string> environment = threads;
      for (std::string variable; in >> variable;) environment.push_back(variable);
      try {
        tool::versus_child process(program, {label}, environment);
        const std::string about = process.ask("about");
        contenders.push_back({.implementation = name,
                              .setting = label,
                              .about = about.substr(about.find(' ') + 1),
                              .process = std::move(process)});
      } catch (const rp::backend_error& e) {
        std::cerr << "versus: " << name << ' ' << label << ": " << e.what() << '\n';
      }
    }
  }
  return contenders;
}

int compare(const options& o, const std::string& what, const std::string& unit,
            const std::vector<tool::versus_problem>& problems) {
  const fs::path folder = peer_folder(o);
  tool::versus_setup setup{.what = what,
                           .type = o.type,
                           .transpose = what == "gemm" ? o.transpose : "",
                           .unit = unit,
                           .threads = o.threads,
                           .rounds = o.rounds,
                           .ours = "ridgepoint." + choose_isa(o, folder),
                           .about = {}};
  std::vector<tool::contender> contenders = start_contenders(o, folder, setup.ours);
  for (const tool::contender& c : contenders)
    setup.about.push_back(c.implementation + ' ' + c.setting + ": " + c.about);

  const bool tty = ::isatty(STDERR_FILENO) != 0;
  std::vector<tool::versus_row> rows;
  for (const tool::versus_problem& problem : problems) {
    const auto progress = [&](int round) {
      if (tty)
        std::cerr << "\r\x1b[K" << rows.size() + 1 << '/' << problems.size() << "  " << problem.shape << "  round "
                  << round + 1 << std::flush;
    };
    rows.push_back(tool::versus(contenders, problem, {.rounds = o.rounds, .ours = setup.ours, .progress = progress}));
  }
  if (tty) std::cerr << "\r\x1b[K";
  tool::print_versus(std::cout, setup, rows);
  if (!o.json.empty()) {
    rp::atomic_file file(o.json);
    file.write(tool::versus_json(setup, rows));
    file.commit();
  }
  for (const tool::versus_row& row : rows)
    if (!row.rates.contains(setup.ours)) return tool::failed;
  return tool::ok;
}

int gemm(const options& o) {
  std::vector<std::vector<std::string>> shapes;
  if (!o.shape_file.empty()) shapes = tool::read_shapes(o.shape_file, 3);
  for (const std::string& text : o.shapes) shapes.push_back(tool::parse_shape(text, 3));
  if (shapes.empty())
    shapes = tool::read_shapes(peer_folder(o) / "shapes" / (o.transpose == "nn" ? "gemm.csv" : "gemm_backward.csv"), 3);
  std::vector<tool::versus_problem> problems;
  for (const auto& s : shapes) {
    problems.push_back({.shape = s[0] + 'x' + s[1] + 'x' + s[2],
                        .request = "gemm " + o.type + ' ' + o.transpose + ' ' + s[0] + ' ' + s[1] + ' ' + s[2]});
  }
  return compare(o, "gemm", "FLOP/s", problems);
}

void add_common(CLI::App& app, options& o) {
  app.add_option("--threads", o.threads, "Threads for everyone; 0: all cores")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  app.add_option("--rounds", o.rounds, "At least this many windows per implementation; the best counts")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  app.add_option("--isa", o.isa, "Instruction set of ours; default: the strongest this CPU runs");
  app.add_option("--json", o.json, "Write the result to this file");
  app.add_option("--peers", o.peers, "Folder with the peer programs; default: beside this program");
}

const tool::command versus(
    "versus", "Compares this library with its peers on this machine", [](CLI::App& app) -> tool::action {
      auto o = std::make_shared<options>();
      app.require_subcommand(1);
      CLI::App* g = app.add_subcommand("gemm", "C = A*B against OpenBLAS, oneDNN, Eigen and BLIS");
      add_common(*g, *o);
      g->add_option("--shape", o->shapes, "A problem m,n,k; may be repeated")->allow_extra_args(false);
      g->add_option(
          "--shapes", o->shape_file,
          "CSV file with columns m,n,k; default: shapes/gemm.csv, or gemm_backward.csv where an operand is transposed");
      g->add_option("--transpose", o->transpose, "Which of A and B is stored transposed")
          ->check(CLI::IsMember({"nn", "tn", "nt", "tt"}))
          ->capture_default_str();
      g->add_option("--type", o->type, "Element type")->check(CLI::IsMember({"f32", "f64"}))->capture_default_str();
      return [o] {
        if (o->threads == 0) o->threads = rp::available_threads();
        return gemm(*o);
      };
    });

}  // namespace
