// SPDX-License-Identifier: MIT
// ridgepoint versus: this library and its peers on the same problems, interleaved, each in a clean process of its own.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <sstream>

#include <ridgepoint/core/atomic_file.hpp>
#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/cpu/probe.hpp>
#include <ridgepoint/roofline/format.hpp>
#include <ridgepoint/roofline/placement.hpp>

#include "commands.hpp"
#include "measurement/doubts.hpp"
#include "measurement/peers/image_task.hpp"
#include "measurement/peers/map_receipt.hpp"
#include "measurement/shapes.hpp"
#include "progress_bar.hpp"
#include "seed_option.hpp"
#include "versus_memory.hpp"
#include "versus_report.hpp"
#include "versus_rounds.hpp"
#include "writable.hpp"

namespace tool::versus {

namespace rp = ridgepoint;
namespace fs = std::filesystem;

struct options {
  std::vector<std::string> shapes, against;
  std::string shape_file, transpose = "nn", type = "f32", pass, isa, json, peers;
  int threads = 1, rounds = 15, batch = 128, random = 0;
  std::uint64_t seed = 1;
  int (*run)(const options&) = nullptr;
};

/// Where the peer programs are: beside this one, or where they are installed.
fs::path peer_folder(const options& o) {
  if (!o.peers.empty()) return o.peers;
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  const fs::path installed = here.parent_path() / "libexec" / "ridgepoint";
  return fs::exists(installed) ? installed : here;
}

/// The file of shapes: the one that is named, which may be one beside the peers, or else the usual one there.
fs::path shape_file(const options& o, const char* usual) {
  const fs::path named = o.shape_file, folder = peer_folder(o) / "shapes";
  if (named.empty()) return folder / usual;
  const bool beside_peers = !named.has_parent_path() && !fs::exists(named) && fs::exists(folder / named);
  return beside_peers ? folder / named : named;
}

/// What a peer prints of its settings: a line each, with a label and the variables it needs.
/// Nothing but a line on stderr if the program can not be run here, so that the others are compared all the same.
std::string settings_of(const std::string& name, const fs::path& program, const std::vector<std::string>& environment) {
  try {
    return tool::versus_child::output(program, environment);
  } catch (const rp::backend_error& e) {
    std::cerr << "versus: " << name << ": " << e.what() << '\n';
    return "";
  }
}

/// Whether an instruction set was asked for; nobody goes beyond it then.
bool is_capped(const options& o) { return !o.isa.empty() || std::getenv("RIDGEPOINT_ISA") != nullptr; }

/// Who computes what, and the program of it.
struct implementation {
  const char *name, *file;
};
std::vector<implementation> implementations_of(const std::string& what) {
  if (what == "conv" || what == "pool" || what == "norm")
    return {{"ridgepoint", "peer_ridgepoint"}, {"onednn", "peer_onednn_images"}};
  return {{"ridgepoint", "peer_ridgepoint"}, {"openblas", "peer_openblas"},        {"onednn", "peer_onednn"},
          {"eigen", "peer_eigen.native"},    {"eigen", "peer_eigen.avx2"},         {"blis", "peer_blis"},
          {"libxsmm", "peer_libxsmm"},       {"ceiling.copy", "peer_ceiling.copy"}};
}

/// A process for each setting of each implementation that was built.
std::vector<tool::contender> start_contenders(const options& o, const std::string& what, const fs::path& folder,
                                              const rp::cpu& ours) {
  const std::string n = std::to_string(o.threads);
  std::vector<std::string> common{"OMP_NUM_THREADS=" + n, "OPENBLAS_NUM_THREADS=" + n, "BLIS_NUM_THREADS=" + n,
                                  rp::concat("RIDGEPOINT_ISA=", ours.isa())};
  if (is_capped(o)) common.push_back(rp::concat("RIDGEPOINT_CAP=", ours.isa()));
  std::vector<tool::contender> contenders;
  for (const auto& [implementation, file] : implementations_of(what)) {
    const std::string name = implementation;
    if (name != "ridgepoint" && !o.against.empty() && std::ranges::find(o.against, name) == o.against.end()) continue;
    const fs::path program = folder / file;
    if (!fs::exists(program)) continue;
    std::istringstream settings(settings_of(name, program, common));
    for (std::string line; std::getline(settings, line);) {
      std::istringstream in(line);
      std::string operands, label;
      in >> operands >> label;
      if ((o.random > 0 || what != "gemm") && operands != "plain") continue;  // no place for others, or nothing to pack
      std::vector<std::string> environment = common;
      for (std::string variable; in >> variable;) environment.push_back(variable);
      try {
        tool::versus_child process(program, {label}, environment);
        const std::string about = process.ask("about");
        contenders.push_back({.implementation = name == "ridgepoint" ? ours.name() : name,
                              .setting = label,
                              .about = about.substr(about.find(' ') + 1),
                              .operands = operands == "plain" ? tool::form::plain : tool::form::packed,
                              .process = std::move(process)});
      } catch (const rp::backend_error& e) {
        std::cerr << "versus: " << name << ' ' << label << ": " << e.what() << '\n';
      }
    }
  }
  rp::require<rp::unsupported>(!contenders.empty() && contenders[0].implementation == ours.name(),
                               "versus: ", folder.string(),
                               " has no peer_ridgepoint that runs here; the benchmarks must be built or installed");
  return contenders;
}

bool took_part(const tool::contender& c, const tool::versus_row& row) {
  return (c.operands == tool::form::plain ? row.plain : row.packed).rates.contains(c.implementation);
}

/// The command that compares the same again: what differs from the defaults.
std::string command_line(const options& o, const std::string& what) {
  const options usual;
  std::string line = "ridgepoint versus " + what;
  const auto add = [&](const char* option, const auto& value, const auto& ordinary) {
    if (value != ordinary) line += rp::concat(' ', option, ' ', value);
  };
  for (const std::string& shape : o.shapes) add("--shape", shape, "");
  add("--shapes", o.shape_file, usual.shape_file);
  add("--random", o.random, usual.random);
  add("--seed", o.seed, usual.seed);
  add("--transpose", o.transpose, usual.transpose);
  add("--pass", o.pass, usual.pass);
  add("--type", o.type, usual.type);
  add("--batch", o.batch, usual.batch);
  for (const std::string& peer : o.against) add("--against", peer, "");
  add("--isa", o.isa, usual.isa);
  add("--threads", o.threads, usual.threads);
  add("--rounds", o.rounds, usual.rounds);
  return line;
}

/// Each problem twice, in two passes over all of them, so that a slow moment of this machine is not all that one gets;
/// for a single round one pass has to do.
std::vector<tool::versus_row> time_all(const options& o, const std::string& ours,
                                       std::vector<tool::contender>& contenders,
                                       const std::vector<tool::versus_problem>& problems) {
  std::vector<tool::versus_row> rows;
  tool::progress_bar bar("comparing");
  const std::size_t passes = o.rounds == 1 ? 1 : 2;
  for (std::size_t i = 0; i < passes * problems.size(); ++i) {
    const tool::versus_problem& problem = problems[i % problems.size()];
    const auto progress = [&](int round) {
      bar.show(static_cast<std::int64_t>(i), static_cast<std::int64_t>(passes * problems.size()),
               rp::concat(problem.shape, " round ", round + 1));
    };
    const tool::versus_row row = tool::compare(
        contenders, problem, {.rounds = (o.rounds + 1) / 2, .ours = ours, .seed = o.seed + i, .progress = progress});
    if (i < problems.size()) rows.push_back(row);
    else tool::add_rounds(rows[i - problems.size()], row, ours);
  }
  return rows;
}

int compare(const options& o, const std::string& what, const std::string& unit,
            const std::vector<tool::versus_problem>& problems) {
  rp::environment before = rp::observe_environment();
  std::erase_if(before.variables, [](const std::string& variable) {  // the others do not reach what is compared
    return !variable.starts_with("RIDGEPOINT_ISA=");
  });
  measurement::say_doubts(before);
  const rp::cpu ours(o.threads, o.isa);
  tool::versus_setup setup{.what = what,
                           .type = o.type,
                           .transpose = what == "gemm" ? o.transpose : "",
                           .unit = unit,
                           .command = command_line(o, what),
                           .threads = o.threads,
                           .rounds = o.rounds,
                           .seed = o.seed,
                           .random = o.random,
                           .class_means = what != "gemm",
                           .ours = ours.name(),
                           .about = {},
                           .at = before};
  std::vector<tool::contender> contenders = start_contenders(o, what, peer_folder(o), ours);
  tool::check_memory(problems, contenders.size());

  const std::vector<tool::versus_row> rows = time_all(o, setup.ours, contenders, problems);
  setup.at.steal_share = measurement::say_stolen_time(before);
  for (const tool::contender& c : contenders)
    if (std::ranges::any_of(rows, [&](const tool::versus_row& row) { return took_part(c, row); }))
      setup.about.push_back(c.implementation + ' ' + c.setting + ": " + c.about);
  (o.random > 0 ? tool::print_versus_summary : tool::print_versus)(std::cout, setup, rows);
  if (!o.json.empty()) rp::write_file(o.json, tool::versus_json(setup, rows));
  for (const tool::versus_row& row : rows)
    if (!row.plain.rates.contains(setup.ours)) return tool::failed;
  return tool::ok;
}

/// The products to compare: drawn, or those named one by one and those of a file.
std::vector<measurement::gemm_shape> gemm_shapes(const options& o) {
  if (o.random > 0) return measurement::random_shapes(o.random, o.seed);
  std::vector<std::string> texts = o.shapes;
  if (texts.empty() || !o.shape_file.empty())
    for (const std::string& row :
         measurement::read_rows(shape_file(o, o.transpose == "nn" ? "gemm.csv" : "gemm_backward.csv")))
      texts.push_back(row);
  std::vector<measurement::gemm_shape> shapes;
  for (const std::string& text : texts) {
    const auto s = measurement::parse_shape(text, 3);
    shapes.push_back({.m = std::stoull(s[0]), .n = std::stoull(s[1]), .k = std::stoull(s[2])});
  }
  return shapes;
}

int gemm(const options& o) {
  std::vector<tool::versus_problem> problems;
  for (const measurement::gemm_shape& s : gemm_shapes(o))
    problems.push_back({.shape = s.text(),
                        .request = rp::concat("gemm ", o.type, ' ', o.transpose, ' ', s.m, ' ', s.n, ' ', s.k),
                        .shape_class = measurement::class_of(s),
                        .multiplications = static_cast<double>(s.m * s.n * s.k),
                        .operand_bytes = (o.type == "f64" ? 8U : 4U) * (s.m * s.k + s.k * s.n + s.m * s.n)});
  return compare(o, "gemm", "FLOP/s", problems);
}

/// Elements per second on this machine's roof, as probed just before.
tool::versus_rate roof_of(const rp::machine& host, const rp::cpu& ours, const rp::work& receipt, double elements) {
  const rp::roof_query query{.isa = std::string(ours.isa()), .threads = ours.thread_count()};
  const rp::placement at = rp::place(host, receipt, 0, 0, query);
  return {.per_s = elements / at.roof_s, .setting = "probed", .detail = at.bound == "compute" ? at.bound : at.level};
}

int map(const options& o) {
  const std::vector<std::string> rows = measurement::read_rows(shape_file(o, "map.csv"));
  const rp::cpu ours(o.threads, o.isa);
  const rp::machine host = rp::probe(ours, {.budget_s = 2});
  std::vector<tool::versus_problem> problems;
  for (const std::string& row : rows) {
    const auto [op, extents] = measurement::parse_op(row);
    const auto s = measurement::parse_shape(extents, 2);
    const rp::index_t m = std::stol(s[0]), n = std::stol(s[1]);
    constexpr std::uint64_t arrays = 4;  // an optimiser with two states has the most
    problems.push_back({.shape = op + '/' + s[0] + 'x' + s[1],
                        .request = "map f32 " + op + ' ' + s[0] + ' ' + s[1],
                        .roof = roof_of(host, ours, peer::map_receipt(op, m, n), static_cast<double>(m * n)),
                        .operand_bytes = 4 * arrays * static_cast<std::uint64_t>(m * n)});
  }
  return compare(o, "map", "elements/s", problems);
}

int mlp(const options& o) {
  const std::string batch = std::to_string(o.batch);
  return compare(o, "mlp", "steps/s", {{.shape = "mnist-mlp/" + batch, .request = "mlp f32 " + batch}});
}

/// Problems on images: lines of an op and so many extents, in each of the passes.
struct image_problems {
  std::string what, unit;
  std::size_t extents = 0;
  std::vector<std::string> passes;
};

/// The lines to compare in each pass, or in the one that is asked for. Where bytes are counted, with the roof for them.
int compare_images(const options& o, const image_problems& kind, const std::vector<std::string>& lines) {
  const bool roofed = kind.unit == "B/s";
  const rp::cpu ours(o.threads, o.isa);
  const rp::machine host = roofed ? rp::probe(ours, {.budget_s = 2}) : rp::machine{};
  std::vector<tool::versus_problem> problems;
  for (const std::string& pass : kind.passes)
    for (const std::string& line : lines) {
      const auto [op, extents] = measurement::parse_op(line);
      std::string shape = rp::concat(op, '/', pass, '/'), words = rp::concat(op, " f32 ", pass);
      for (const std::string& extent : measurement::parse_shape(extents, kind.extents)) {
        shape += rp::concat(shape.back() == '/' ? "" : "x", extent);
        words += ' ' + extent;
      }
      if (!o.pass.empty() && o.pass != pass) continue;
      const rp::work receipt = peer::image_receipt(peer::split(words));
      const auto bytes = static_cast<double>(receipt.bytes.total());
      problems.push_back({.shape = shape,
                          .request = words,
                          .shape_class = pass,
                          .roof = roofed ? roof_of(host, ours, receipt, bytes) : tool::versus_rate{},
                          .operand_bytes = 2 * receipt.bytes.total()});
    }
  return compare(o, kind.what, kind.unit, problems);
}

/// The convolutions to compare: drawn, or those named one by one and those of a file.
int conv(const options& o) {
  std::vector<std::string> lines;
  if (o.random > 0) lines = measurement::random_convolutions(o.random, o.seed);
  for (const std::string& shape : o.shapes) lines.push_back("conv2d," + shape);
  if (lines.empty() || !o.shape_file.empty())
    for (const std::string& row : measurement::read_rows(shape_file(o, "conv_3x3.csv"))) lines.push_back(row);
  return compare_images(
      o, {.what = "conv", .unit = "FLOP/s", .extents = 6, .passes = {"forward", "backward-data", "backward-weights"}},
      lines);
}
int pool(const options& o) {
  return compare_images(o, {.what = "pool", .unit = "B/s", .extents = 5, .passes = {"forward", "backward"}},
                        measurement::read_rows(shape_file(o, "pool.csv")));
}
int norm(const options& o) {
  return compare_images(o,
                        {.what = "norm", .unit = "B/s", .extents = 2, .passes = {"forward", "backward", "inference"}},
                        measurement::read_rows(shape_file(o, "norm.csv")));
}

void add_common(CLI::App& app, options& o) {
  app.add_option("--threads", o.threads, "Threads for everyone; 0: all cores")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  app.add_option("--rounds", o.rounds, "At least this many windows per implementation; the best counts")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  app.add_option(
      "--isa", o.isa,
      "Instruction set of ours, and the most that a peer may use; default: the strongest this CPU runs, and no limit");
  tool::add_seed_option(app, o.seed, "Of the order of turns, and of random shapes");
  app.add_option("--against", o.against, "Only this peer; may be repeated")
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"openblas", "onednn", "eigen", "blis", "libxsmm", "ceiling.copy"}));
  app.add_option("--json", o.json, "Write the result to this file");
  app.add_option("--peers", o.peers, "Folder with the peer programs; default: beside this program");
}

void add_pass(CLI::App& app, options& o, const std::vector<std::string>& passes) {
  app.add_option("--pass", o.pass, "Only this pass; default: each of them")->check(CLI::IsMember(passes));
}

/// A comparison with its own options; `run` is called with them where it is the one on the command line.
template <class Declare>
void add(CLI::App& app, const std::shared_ptr<options>& o, std::string name, std::string description,
         int (*run)(const options&), Declare&& declare) {
  CLI::App* comparison = app.add_subcommand(std::move(name), std::move(description));
  add_common(*comparison, *o);
  declare(*comparison);
  comparison->callback([o, run] { o->run = run; });
}

const tool::command command(
    "versus", "Compares this library with its peers on this machine", [](CLI::App& app) -> tool::action {
      const auto o = std::make_shared<options>();
      app.require_subcommand(1);
      add(app, o, "gemm", "C = A*B against OpenBLAS, oneDNN, Eigen, BLIS and LIBXSMM", gemm, [&](CLI::App& a) {
        CLI::Option* const one =
            a.add_option("--shape", o->shapes, "A problem m,n,k; may be repeated")->allow_extra_args(false);
        CLI::Option* const file =
            a.add_option("--shapes", o->shape_file,
                         "CSV file with columns m,n,k, here or beside the peers; default: gemm.csv, or "
                         "gemm_backward.csv where an operand is transposed");
        a.add_option("--random", o->random, "Draw so many problems instead, log-uniform in [1, 4096]^3, to 2 GFLOP")
            ->check(CLI::Range(1, 100000))
            ->excludes(one)
            ->excludes(file);
        a.add_option("--transpose", o->transpose, "Which of A and B is stored transposed")
            ->check(CLI::IsMember({"nn", "tn", "nt", "tt"}))
            ->capture_default_str();
        a.add_option("--type", o->type, "Element type")->check(CLI::IsMember({"f32", "f64"}))->capture_default_str();
      });
      add(app, o, "map", "Element-wise ops, softmax and optimisers against oneDNN, or the roofs of this machine", map,
          [&](CLI::App& a) {
            a.add_option("--shapes", o->shape_file,
                         "CSV file with columns op,rows,cols, here or beside the peers; default: map.csv");
          });
      add(app, o, "mlp", "Training steps of the MNIST perceptron against the same graph on oneDNN", mlp,
          [&](CLI::App& a) {
            a.add_option("--batch", o->batch, "Samples per step")->check(CLI::Range(1, 65536))->capture_default_str();
          });
      add(app, o, "conv", "Convolutions in three passes against oneDNN's in each of its layouts and algorithms", conv,
          [&](CLI::App& a) {
            CLI::Option* const one =
                a.add_option("--shape", o->shapes, "A convolution n,size,c,f,kernel,stride; may be repeated")
                    ->allow_extra_args(false);
            CLI::Option* const file = a.add_option("--shapes", o->shape_file,
                                                   "CSV file with columns op,n,size,c,f,kernel,stride, here or beside "
                                                   "the peers; default: conv_3x3.csv");
            a.add_option("--random", o->random,
                         "Draw so many instead: kernel 1 to 7, stride 1 or 2, 1 to 512 channels, to 3 GFLOP")
                ->check(CLI::Range(1, 100000))
                ->excludes(one)
                ->excludes(file);
            add_pass(a, *o, {"forward", "backward-data", "backward-weights"});
          });
      add(app, o, "pool", "Poolings, forward and backward, against oneDNN and the roofs of this machine", pool,
          [&](CLI::App& a) {
            a.add_option(
                "--shapes", o->shape_file,
                "CSV file with columns op,n,size,c,window,stride, here or beside the peers; default: pool.csv");
            add_pass(a, *o, {"forward", "backward"});
          });
      add(app, o, "norm", "Batch and layer normalisation against oneDNN and the roofs of this machine", norm,
          [&](CLI::App& a) {
            a.add_option("--shapes", o->shape_file,
                         "CSV file with columns op,rows,channels, here or beside the peers; default: norm.csv");
            add_pass(a, *o, {"forward", "backward", "inference"});
          });
      return [o] {
        if (o->threads == 0) o->threads = rp::cpu().thread_count();
        tool::check_writable(o->json);
        return o->run(*o);
      };
    });

}  // namespace tool::versus
