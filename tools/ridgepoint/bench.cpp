// SPDX-License-Identifier: MIT
// ridgepoint bench: compares this library and its peers on the same problems, interleaved, each in its own clean
// process.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/cpu/probe.hpp>
#include <ridgepoint/roofline/format.hpp>
#include <ridgepoint/roofline/placement.hpp>

#include "bench_memory.hpp"
#include "bench_network.hpp"
#include "bench_report.hpp"
#include "bench_rounds.hpp"
#include "bench_steps.hpp"
#include "command_files.hpp"
#include "commands.hpp"
#include "found_program.hpp"
#include "interruption.hpp"
#include "measurement/doubts.hpp"
#include "measurement/peers/image_task.hpp"
#include "measurement/peers/map_receipt.hpp"
#include "measurement/peers/recurrent_problem.hpp"
#include "measurement/shapes.hpp"
#include "number_option.hpp"
#include "one_of.hpp"
#include "own_program.hpp"
#include "progress_bar.hpp"
#include "seed_option.hpp"
#include "step_options.hpp"
#include "temporary_folder.hpp"

namespace tool::bench {

namespace rp = ridgepoint;
namespace fs = std::filesystem;

struct options {
  std::vector<std::string> shapes, against;
  std::string shape_file, transpose = "nn", type = "f32", pass, cell, isa, json, peers;
  std::string network, python;  // which; as requested
  std::string backend = "cpu";
  bool tensor_floats = false;
  rp::models::parameter_values network_parameters = {};
  int threads = 1, rounds = 15, batch = 128, network_batch = 0, random = 0, losses = 2;
  std::uint64_t seed = 1;
  int (*run)(const options&) = nullptr;
};

/// Returns the folder of the peer programs: next to this one, or where they are installed.
fs::path peer_folder(const options& o) {
  if (!o.peers.empty()) return o.peers;
  const fs::path here = tool::own_program().parent_path();
  const fs::path installed = here.parent_path() / "libexec" / "ridgepoint";
  return fs::exists(installed) ? installed : here;
}

/// Returns the file of shapes: the named file, also from the peers' folder, or else the default one there.
fs::path shape_file(const options& o, const char* usual) {
  const fs::path named = o.shape_file, folder = peer_folder(o) / "shapes";
  if (named.empty()) return folder / usual;
  const bool with_peers = !named.has_parent_path() && !fs::exists(named) && fs::exists(folder / named);
  return with_peers ? folder / named : named;
}

/// An implementation and its program.
struct implementation {
  enum class one_per { implementation, setting };  // column of the table
  std::string name;
  fs::path program;
  std::vector<std::string> arguments = {};
  one_per columns = one_per::implementation;

  /// Returns "onednn", or "pytorch.eager".
  [[nodiscard]] std::string column_of(const std::string& setting) const {
    return columns == one_per::setting ? name + '.' + setting : name;
  }
};

/// Returns the Python with the frameworks; empty, with a line on stderr, if none is requested and none is found.
/// Throws: data_error if the requested one cannot be executed.
fs::path python_of(const options& o) {
  const std::string name = o.python.empty() ? "python3" : o.python;
  fs::path python = tool::found_program(name);
  rp::require<rp::data_error>(!python.empty() || o.python.empty(), "bench: --python is ", name,
                              ", which cannot be executed; must be a Python");
  if (python.empty())
    std::cerr << "bench: pytorch and tensorflow are left out: there is no " << rp::printable(name) << '\n';
  return python;
}

/// Returns the settings a peer prints: a line each, with a label and its variables, or why it has none here. If the
/// program cannot be run, returns nullopt with a line on stderr, so that the others are still compared.
std::optional<std::string> settings_of(const implementation& who, const std::vector<std::string>& environment) {
  try {
    return tool::bench_child::output(who.program, who.arguments, environment);
  } catch (const rp::backend_error& e) {
    std::cerr << "bench: " << who.name << ": " << e.what() << '\n';
    return std::nullopt;
  }
}

/// Returns true if this library is compared on a GPU, with PyTorch on it.
bool on_gpu(const options& o) { return o.backend == "cuda"; }

/// This library in the comparison: its name, and its variables in the environment of all contenders.
struct own {
  std::string name;
  std::vector<std::string> environment;
};
own own_of(const options& o) {
  if (on_gpu(o))
    return {"ridgepoint", {"RIDGEPOINT_DEVICE=cuda", rp::concat("RIDGEPOINT_TF32=", o.tensor_floats ? 1 : 0)}};
  const rp::cpu cpu(o.threads, o.isa);
  own found{cpu.name(), {rp::concat("RIDGEPOINT_ISA=", cpu.isa())}};
  if (const char* const caches = std::getenv("RIDGEPOINT_CACHES"))
    found.environment.push_back(rp::concat("RIDGEPOINT_CACHES=", caches));
  return found;
}

/// Returns true if an instruction set is requested; peers are then limited to it.
bool is_capped(const options& o) { return !o.isa.empty() || std::getenv("RIDGEPOINT_ISA") != nullptr; }

/// Returns the implementations: the programs next to this one; for a network also a Python with its frameworks.
std::vector<implementation> implementations_of(const options& o, const std::string& what) {
  const fs::path folder = peer_folder(o);
  if (on_gpu(o)) {
    std::vector<implementation> all{
        {.name = "ridgepoint", .program = folder / "peer_cuda", .columns = implementation::one_per::setting}};
    const char* const script = what == "network" ? "serve.py" : what == "rnn" ? "recurrent.py" : "ops.py";
    if (const fs::path python = python_of(o); !python.empty())
      all.push_back({.name = "pytorch",
                     .program = python,
                     .arguments = {(folder / "network" / script).string(), "pytorch"},
                     .columns = implementation::one_per::setting});
    return all;
  }
  const implementation ours{.name = "ridgepoint", .program = folder / "peer_ridgepoint"};
  if (what == "conv" || what == "pool" || what == "norm")
    return {ours, {.name = "onednn", .program = folder / "peer_onednn_images"}};
  std::vector<implementation> all{ours};
  if (what == "rnn") {
    all.push_back({.name = "onednn", .program = folder / "peer_onednn_recurrent"});
    const fs::path script = folder / "network" / "recurrent.py";
    if (const fs::path python = python_of(o); !python.empty() && fs::exists(script))
      all.push_back({.name = "pytorch", .program = python, .arguments = {script.string(), "pytorch"}});
    return all;
  }
  if (what == "network") {
    all.push_back({.name = "onednn", .program = folder / "peer_onednn"});
    const std::string script = (folder / "network" / "serve.py").string();
    if (const fs::path python = python_of(o); !python.empty())
      for (const char* framework : {"pytorch", "tensorflow"})
        all.push_back({.name = framework,
                       .program = python,
                       .arguments = {script, framework},
                       .columns = implementation::one_per::setting});
    return all;
  }
  for (const auto& [name, file] : {std::pair("openblas", "peer_openblas"),
                                   {"onednn", "peer_onednn"},
                                   {"eigen", "peer_eigen.native"},
                                   {"eigen", "peer_eigen.avx2"},
                                   {"blis", "peer_blis"},
                                   {"libxsmm", "peer_libxsmm"},
                                   {"ceiling.copy", "peer_ceiling.copy"}})
    all.push_back({.name = name, .program = folder / file});
  return all;
}

/// Returns true if it is requested, by its name or by the name of its implementation.
bool is_asked_for(const options& o, const std::string& name) {
  const auto names = [&](const std::string& peer) { return name == peer || name.starts_with(peer + '.'); };
  return o.against.empty() || name == "ridgepoint" || std::ranges::any_of(o.against, names);
}
/// Returns true if one of its settings may be requested.
bool may_be_asked_for(const options& o, const std::string& name) {
  const auto begins = [&](const std::string& peer) { return peer.starts_with(name + '.'); };
  return is_asked_for(o, name) || std::ranges::any_of(o.against, begins);
}

/// The started contenders, and how many failed to start.
struct starters {
  std::vector<tool::contender> contenders;
  int lost = 0;
};

/// Starts a process of one setting, from a line of a peer's settings.
void start_setting(starters& to, const implementation& who, const std::string& line, const own& ours,
                   std::vector<std::string> environment) {
  std::istringstream in(line);
  std::string operands, label;
  in >> operands >> label;
  for (std::string variable; in >> variable;) environment.push_back(variable);
  std::vector<std::string> arguments = who.arguments;
  arguments.push_back(label);
  try {
    tool::bench_child process(who.program, arguments, environment);
    const std::string about = process.ask("about");
    const bool in_one_column = who.columns == implementation::one_per::implementation;
    const bool is_ours = who.name == "ridgepoint" && (in_one_column || label == "recorded");
    to.contenders.push_back({.implementation = is_ours ? ours.name : who.column_of(label),
                             .setting = label,
                             .about = about.substr(about.find(' ') + 1),
                             .operands = operands == "plain" ? tool::form::plain : tool::form::packed,
                             .process = std::move(process)});
  } catch (const rp::backend_error& e) {
    std::cerr << "bench: " << who.name << ' ' << rp::printable(label) << ": " << e.what() << '\n';
    ++to.lost;
  }
}

/// Starts a process for each setting of each available implementation.
/// Throws: unsupported if this library is not among them.
starters start_contenders(const options& o, const std::string& what, const own& ours,
                          const std::vector<std::string>& variables) {
  const std::string n = std::to_string(o.threads);
  std::vector<std::string> common{"OMP_NUM_THREADS=" + n, "OPENBLAS_NUM_THREADS=" + n, "BLIS_NUM_THREADS=" + n};
  common.insert(common.end(), ours.environment.begin(), ours.environment.end());
  if (is_capped(o)) common.push_back(rp::concat("RIDGEPOINT_CAP=", rp::cpu(o.threads, o.isa).isa()));
  common.insert(common.end(), variables.begin(), variables.end());
  starters all;
  for (const implementation& who : implementations_of(o, what)) {
    if (!may_be_asked_for(o, who.name)) continue;
    if (!fs::exists(who.program)) {
      if (what == "network") std::cerr << "bench: " << who.name << " is left out: it was not built\n";
      continue;
    }
    const std::optional<std::string> printed = settings_of(who, common);
    if (!printed) ++all.lost;
    if (printed == "" && what == "network") {
      std::cerr << "bench: " << who.name << ": printed no settings; expected a line starting with 'plain' or 'no'\n";
      ++all.lost;
    }
    std::istringstream settings(printed.value_or(""));
    for (std::string line; std::getline(settings, line);) {
      const bool plain = line.starts_with("plain "), packed = line.starts_with("packed ");
      if (line.starts_with("no ")) {
        std::cerr << "bench: " << who.name << " is left out: " << rp::printable(line.substr(3)) << '\n';
      } else if (!plain && !packed) {
        std::cerr << "bench: " << who.name << ": printed '" << rp::printable(line)
                  << "' as a setting; expected 'plain' or 'no'\n";
        ++all.lost;
      } else if (plain || (o.random == 0 && what == "gemm")) {  // packed ones have no column, or nothing to pack
        const std::string label = line.substr(line.find(' ') + 1);
        if (is_asked_for(o, who.column_of(label.substr(0, label.find(' ')))))
          start_setting(all, who, line, ours, common);
      }
    }
  }
  rp::require<rp::unsupported>(!all.contenders.empty() && all.contenders[0].implementation == ours.name,
                               "bench: ", peer_folder(o).string(),
                               " has no peer_ridgepoint that runs here; the benchmarks must ", "be built or installed");
  return all;
}

bool took_part(const tool::contender& c, const tool::bench_row& row) {
  return (c.operands == tool::form::plain ? row.plain : row.packed).rates.contains(c.implementation);
}

/// Returns the command that repeats this comparison: the options that differ from the defaults.
std::string command_line(const options& o, const std::string& what) {
  const options usual;
  std::string line = rp::concat("ridgepoint bench ", what, o.network.empty() ? "" : " ", o.network);
  const auto add = [&](const char* option, const auto& value, const auto& ordinary) {
    if (value != ordinary) line += rp::concat(' ', option, ' ', value);
  };
  for (const std::string& shape : o.shapes) add("--shape", shape, "");
  add("--shapes", o.shape_file, usual.shape_file);
  add("--random", o.random, usual.random);
  add("--seed", o.seed, usual.seed);
  add("--transpose", o.transpose, usual.transpose);
  add("--cell", o.cell, usual.cell);
  add("--pass", o.pass, usual.pass);
  add("--type", o.type, usual.type);
  add("--batch", o.batch, usual.batch);
  add("--batch", o.network_batch, usual.network_batch);
  line += tool::set_option(o.network_parameters);
  add("--python", o.python, usual.python);
  add("--backend", o.backend, usual.backend);
  add("--losses", o.losses, usual.losses);
  if (o.tensor_floats) line += " --tensor-floats";
  for (const std::string& peer : o.against) add("--against", peer, "");
  add("--isa", o.isa, usual.isa);
  add("--threads", o.threads, usual.threads);
  add("--rounds", o.rounds, usual.rounds);
  return line;
}

/// Thrown before a round if a signal asked this program to end.
struct interrupted_rounds {};

/// Times each problem twice, in two passes over all of them, so that a slow moment of this machine does not hit one
/// problem alone; a single round, or a network, takes one pass.
std::vector<tool::bench_row> time_all(const options& o, const std::string& ours,
                                      std::vector<tool::contender>& contenders,
                                      const std::vector<tool::bench_problem>& problems) {
  std::vector<tool::bench_row> rows;
  tool::progress_bar bar("comparing");
  const int passes_of_each = o.rounds == 1 || !o.network.empty() ? 1 : 2;
  const auto passes = static_cast<std::size_t>(passes_of_each);
  for (std::size_t i = 0; i < passes * problems.size(); ++i) {
    const tool::bench_problem& problem = problems[i % problems.size()];
    const auto progress = [&](int round) {
      if (tool::interruption::wanted()) throw interrupted_rounds();
      bar.show(static_cast<std::int64_t>(i), static_cast<std::int64_t>(passes * problems.size()),
               rp::concat(problem.shape, " round ", round + 1));
    };
    const tool::bench_row row = tool::compare(contenders, problem,
                                              {.rounds = (o.rounds + passes_of_each - 1) / passes_of_each,
                                               .window_s = on_gpu(o) ? 2e-2 : 2e-4,
                                               .limit_s = o.network.empty() ? 2.0 : 30.0,
                                               .ours = ours,
                                               .seed = o.seed + i,
                                               .progress = progress});
    if (i < problems.size()) rows.push_back(row);
    else tool::add_rounds(rows[i - problems.size()], row, ours);
  }
  return rows;
}

/// Prints the rows in their format. Returns `failed` if a row has no rate of ours, or if a contender failed to train a
/// network.
int report(const options& o, const tool::bench_setup& setup, const std::vector<tool::bench_row>& rows, int lost) {
  const bool of_network = setup.what == "network";
  (of_network     ? tool::print_bench_steps
   : o.random > 0 ? tool::print_bench_summary
                  : tool::print_bench)(std::cout, setup, rows);
  if (!o.json.empty()) rp::write_file(o.json, tool::bench_json(setup, rows));
  const bool complete = std::ranges::all_of(rows, [&](const tool::bench_row& row) {
    return row.plain.rates.contains(setup.ours) && (!of_network || row.broken.empty());
  });
  return complete && (!of_network || lost == 0) ? tool::ok : tool::failed;
}

/// `variables`: more environment variables of the contenders.
int compare(const options& o, const std::string& what, const std::string& unit,
            const std::vector<tool::bench_problem>& problems, const std::vector<std::string>& variables = {}) {
  rp::environment before = rp::observe_environment();
  std::erase_if(before.variables, [](const std::string& variable) {  // the others do not reach the contenders
    return !variable.starts_with("RIDGEPOINT_ISA=") && !variable.starts_with("RIDGEPOINT_CACHES=");
  });
  measurement::say_doubts(before);
  const own ours = own_of(o);
  tool::bench_setup setup{.what = what,
                          .type = o.type,
                          .transpose = what == "gemm" ? o.transpose : "",
                          .unit = unit,
                          .command = command_line(o, what),
                          .threads = o.threads,
                          .rounds = o.rounds,
                          .seed = o.seed,
                          .random = o.random,
                          .class_means = what != "gemm",
                          .ours = ours.name,
                          .about = {},
                          .at = before};
  auto [contenders, lost] = start_contenders(o, what, ours, variables);
  tool::check_memory(problems, contenders.size());

  const std::vector<tool::bench_row> rows = time_all(o, setup.ours, contenders, problems);
  setup.at.steal_share = measurement::say_stolen_time(before);
  for (const tool::contender& c : contenders)
    if (std::ranges::any_of(rows, [&](const tool::bench_row& row) { return took_part(c, row); }))
      setup.about.push_back(c.implementation + (c.implementation.ends_with('.' + c.setting) ? "" : ' ' + c.setting) +
                            ": " + c.about);
  return report(o, setup, rows, lost);
}

/// Returns the products to compare: random ones, or the named ones and those in a file.
std::vector<measurement::gemm_shape> gemm_shapes(const options& o) {
  if (o.random > 0) return measurement::random_shapes(o.random, o.seed);
  std::vector<std::string> texts = o.shapes;
  if (texts.empty() || !o.shape_file.empty())
    for (const std::string& row : measurement::read_rows(
             shape_file(o, o.transpose == "nn" ? "gemm.csv" : "gemm_backward.csv"), measurement::columns::gemm))
      texts.push_back(row);
  std::vector<measurement::gemm_shape> shapes;
  for (const std::string& text : texts) {
    const auto s = measurement::parse_shape(text, 3);
    shapes.push_back({.m = std::stoull(s[0]), .n = std::stoull(s[1]), .k = std::stoull(s[2])});
  }
  return shapes;
}

/// Returns the size of an element.
std::uint64_t bytes_of(std::string_view type) { return type == "f64" ? 8 : type == "bf16" ? 2 : 4; }

int gemm(const options& o) {
  std::vector<tool::bench_problem> problems;
  for (const measurement::gemm_shape& s : gemm_shapes(o))
    problems.push_back({.shape = s.text(),
                        .request = rp::concat("gemm ", o.type, ' ', o.transpose, ' ', s.m, ' ', s.n, ' ', s.k),
                        .shape_class = measurement::class_of(s),
                        .multiplications = static_cast<double>(s.m * s.n * s.k),
                        .operand_bytes = bytes_of(o.type) * (s.m * s.k + s.k * s.n + s.m * s.n)});
  return compare(o, "gemm", "FLOP/s", problems);
}

/// Returns elements per second on this machine's roof, as just probed.
tool::bench_rate roof_of(const rp::machine& host, const rp::cpu& ours, const rp::work& receipt, double elements) {
  const rp::roof_query query{.isa = std::string(ours.isa()), .threads = ours.thread_count()};
  const rp::placement at = rp::place(host, receipt, 0, 0, query);
  return {.per_s = elements / at.roof_s, .setting = "probed", .detail = at.bound == "compute" ? at.bound : at.level};
}

int map(const options& o) {
  const std::vector<std::string> rows = measurement::read_rows(shape_file(o, "map.csv"), measurement::columns::map);
  const rp::cpu ours(o.threads, o.isa);
  const rp::machine host = on_gpu(o) ? rp::machine{} : rp::probe(ours, {.budget_s = 2});
  std::vector<tool::bench_problem> problems;
  for (const std::string& row : rows) {
    const auto [op, extents] = measurement::parse_op(row);
    const auto s = measurement::parse_shape(extents, 2);
    const rp::index_t m = std::stol(s[0]), n = std::stol(s[1]);
    constexpr std::uint64_t arrays = 4;  // an optimiser with two states has the most
    problems.push_back({.shape = op + '/' + s[0] + 'x' + s[1],
                        .request = "map f32 " + op + ' ' + s[0] + ' ' + s[1],
                        .roof = on_gpu(o)
                                    ? tool::bench_rate{}
                                    : roof_of(host, ours, peer::map_receipt(op, m, n), static_cast<double>(m * n)),
                        .operand_bytes = 4 * arrays * static_cast<std::uint64_t>(m * n)});
  }
  return compare(o, "map", "elements/s", problems);
}

int mlp(const options& o) {
  const std::string batch = std::to_string(o.batch);
  return compare(o, "mlp", "steps/s", {{.shape = "mnist-mlp/" + batch, .request = "mlp f32 " + batch}});
}

/// Throws: value_error for a type that is compared on a GPU only; products in bf16 have a peer on CPUs.
void check_type(const options& o) {
  rp::require<rp::value_error>(o.type != "bf16" || on_gpu(o) || o.run == gemm,
                               "bench: --type is bf16, which is compared on a GPU; must be f32, or --backend cuda");
}

/// Throws: unsupported, before any work, for a comparison on a GPU without one.
void check_gpu(const options& o) {
  if (!on_gpu(o)) return;
  const fs::path program = peer_folder(o) / "peer_cuda";
  rp::require<rp::unsupported>(fs::exists(program), "bench: ", program.parent_path().string(),
                               " has no peer_cuda; it must have been built with CUDA's libraries");
  try {
    const std::string said = tool::bench_child::output(program, {}, {});
    if (said.starts_with("no ")) throw rp::unsupported("bench: " + said.substr(3, said.find('\n') - 3));
  } catch (const rp::backend_error& e) {
    throw rp::unsupported(rp::concat("bench: ", e.what()));
  }
}

int network(const options& o) {
  if (!o.python.empty()) static_cast<void>(python_of(o));  // validates before the work
  const tool::interruption at_a_round;                     // otherwise the folder would remain
  const tool::temporary_folder folder;
  const rp::cpu ours(o.threads, o.isa);
  try {
    return compare(
        o, "network", "steps/s",
        {tool::write_network(folder.path(), o.network, o.network_parameters, o.network_batch, o.losses, o.type, ours)},
        {"RIDGEPOINT_NETWORK=" + folder.path().string(), rp::concat("RIDGEPOINT_LOSSES=", o.losses)});
  } catch (const interrupted_rounds&) {
    std::cerr << "ridgepoint: interrupted\n";
    return tool::interrupted;
  }
}

/// Problems with passes: lines of an op and `extents` extents, compared in each pass.
struct problems_in_passes {
  std::string what, unit;
  std::size_t extents = 0;
  std::vector<std::string> passes;
};

/// Compares the lines in each pass, or in the requested one. Byte counts get a roof as well.
int compare_passes(const options& o, const problems_in_passes& kind, const std::vector<std::string>& lines) {
  const bool roofed = kind.unit == "B/s" && !on_gpu(o);
  const rp::cpu ours(o.threads, o.isa);
  const rp::machine host = roofed ? rp::probe(ours, {.budget_s = 2}) : rp::machine{};
  std::vector<tool::bench_problem> problems;
  for (const std::string& pass : kind.passes)
    for (const std::string& line : lines) {
      const auto [op, extents] = measurement::parse_op(line);
      std::string shape = rp::concat(op, '/', pass, '/'), words = rp::concat(op, " f32 ", pass);
      for (const std::string& extent : measurement::parse_shape(extents, kind.extents)) {
        shape += rp::concat(shape.back() == '/' ? "" : "x", extent);
        words += ' ' + extent;
      }
      if (!o.pass.empty() && o.pass != pass) continue;
      const peer::words split = peer::split(words);
      const rp::work receipt =
          peer::recurrent_pass::names(split) ? peer::recurrent_pass(split).receipt() : peer::image_receipt(split);
      const std::uint64_t all_bytes = receipt.bytes.total() * bytes_of(o.type) / sizeof(float);
      const auto bytes = static_cast<double>(all_bytes);
      problems.push_back({.shape = shape,
                          .request = words.replace(op.size() + 1, 3, o.type),
                          .shape_class = pass,
                          .roof = roofed ? roof_of(host, ours, receipt, bytes) : tool::bench_rate{},
                          .operand_bytes = 2 * all_bytes,
                          .work = !on_gpu(o)           ? 0
                                  : kind.unit == "B/s" ? bytes
                                                       : static_cast<double>(receipt.matrix_flop)});
    }
  return compare(o, kind.what, kind.unit, problems);
}

/// Compares convolutions: random ones, or the named ones and those in a file.
int conv(const options& o) {
  std::vector<std::string> lines;
  if (o.random > 0) lines = measurement::random_convolutions(o.random, o.seed);
  for (const std::string& shape : o.shapes) lines.push_back("conv2d," + shape);
  if (lines.empty() || !o.shape_file.empty())
    for (const std::string& row : measurement::read_rows(shape_file(o, "conv_3x3.csv"), measurement::columns::conv))
      lines.push_back(row);
  return compare_passes(
      o, {.what = "conv", .unit = "FLOP/s", .extents = 6, .passes = {"forward", "backward-data", "backward-weights"}},
      lines);
}
/// Compares recurrent layers, selected likewise; all of the requested cell.
int rnn(const options& o) {
  std::vector<std::string> lines;
  if (o.random > 0) lines = measurement::random_sequences(o.random, o.seed);
  for (const std::string& shape : o.shapes) lines.push_back("lstm," + shape);
  if (lines.empty() || !o.shape_file.empty())
    for (const std::string& row : measurement::read_rows(shape_file(o, "rnn.csv"), measurement::columns::rnn))
      lines.push_back(row);
  for (std::string& line : lines)
    if (!o.cell.empty()) line = o.cell + ',' + measurement::parse_op(line).second;
  return compare_passes(
      o, {.what = "rnn", .unit = "FLOP/s", .extents = 4, .passes = {"inference", "forward", "backward"}}, lines);
}
int pool(const options& o) {
  return compare_passes(o, {.what = "pool", .unit = "B/s", .extents = 5, .passes = {"forward", "backward"}},
                        measurement::read_rows(shape_file(o, "pool.csv"), measurement::columns::pool));
}
int norm(const options& o) {
  return compare_passes(o,
                        {.what = "norm", .unit = "B/s", .extents = 2, .passes = {"forward", "backward", "inference"}},
                        measurement::read_rows(shape_file(o, "norm.csv"), measurement::columns::norm));
}

void add_common(CLI::App& app, options& o) {
  const std::vector<std::string> peers{"openblas",
                                       "onednn",
                                       "eigen",
                                       "blis",
                                       "libxsmm",
                                       "ceiling.copy",
                                       "pytorch",
                                       "pytorch.eager",
                                       "pytorch.channels_last",
                                       "pytorch.compile",
                                       "pytorch.graphed",
                                       "pytorch.graphed_channels_last",
                                       "tensorflow",
                                       "tensorflow.graph",
                                       "tensorflow.xla"};
  app.add_option("--threads", o.threads, "Threads of each library; 0: all cores")
      ->check(tool::thread_counts())
      ->capture_default_str();
  app.add_option("--rounds", o.rounds, "Minimum timed windows per library; the fastest counts")
      ->check(tool::number_in(1, 10000))
      ->capture_default_str();
  app.add_option("--isa", o.isa,
                 "Instruction set of this library, and limit of the peers (default: strongest, no limit)");
  tool::add_seed_option(app, o.seed, "Seed for run order and random shapes");
  app.add_option("--against", o.against, "Compare with this peer only; may be repeated")
      ->allow_extra_args(false)
      ->transform(tool::one_of(peers));
  app.add_option("--json", o.json, "Write the result to this file");
  app.add_option("--peers", o.peers, "Directory of the peer programs (default: this program's)")
      ->check(tool::existing_directory());
}

/// Declares the options of GPU comparisons, and --python unless declared already.
void add_backend(CLI::App& app, options& o) {
  app.add_option("--backend", o.backend, "cpu; or cuda: a GPU, against PyTorch only")
      ->transform(tool::one_of({"cpu", "cuda"}))
      ->capture_default_str();
  app.add_flag("--tensor-floats", o.tensor_floats, "Allow TF32 in f32 products on a GPU");
  if (app.get_option_no_throw("--python") == nullptr)
    app.add_option("--python", o.python, "Python that has PyTorch, for --backend cuda (default: python3)");
}

void add_type(CLI::App& app, options& o, const std::vector<std::string>& types, std::string help) {
  app.add_option("--type", o.type, std::move(help))->transform(tool::one_of(types))->capture_default_str();
}
void add_pass(CLI::App& app, options& o, const std::vector<std::string>& passes) {
  app.add_option("--pass", o.pass, "Only this pass (default: all)")->transform(tool::one_of(passes));
}

/// Declares a comparison with its own options; the parsed command line calls `run`.
template <class Declare>
void add(CLI::App& app, const std::shared_ptr<options>& o, std::string name, std::string description,
         int (*run)(const options&), Declare&& declare) {
  CLI::App* comparison = app.add_subcommand(std::move(name), std::move(description));
  add_common(*comparison, *o);
  declare(*comparison);
  comparison->callback([o, run] { o->run = run; });
}

const tool::command command(
    "bench", "Compare the speed of this library with others (peers) on this machine",
    [](CLI::App& app) -> tool::action {
      const auto o = std::make_shared<options>();
      app.require_subcommand(1);
      add(app, o, "gemm", "C = A*B against OpenBLAS, oneDNN, Eigen, BLIS and LIBXSMM", gemm, [&](CLI::App& a) {
        CLI::Option* const one =
            a.add_option("--shape", o->shapes, "Shape m,n,k; may be repeated")->allow_extra_args(false);
        CLI::Option* const file = a.add_option("--shapes", o->shape_file,
                                               "CSV file of m,n,k, also one in --peers (default: gemm.csv; "
                                               "gemm_backward.csv if an operand is transposed)");
        a.add_option("--random", o->random, "Number of random shapes: log-uniform in [1, 4096]^3, up to 2 GFLOP")
            ->check(tool::number_in(1, 100000))
            ->excludes(one)
            ->excludes(file);
        a.add_option("--transpose", o->transpose, "Storage of A and B: n as is, t transposed")
            ->transform(tool::one_of({"nn", "tn", "nt", "tt"}))
            ->capture_default_str();
        add_type(a, *o, {"f32", "f64", "bf16"}, "Element type");
        add_backend(a, *o);
      });
      add(app, o, "map", "Element-wise ops, softmax, optimisers against oneDNN or the roofs", map, [&](CLI::App& a) {
        a.add_option("--shapes", o->shape_file, "CSV file of op,rows,cols, also one in --peers (default: map.csv)");
        add_backend(a, *o);
      });
      add(app, o, "mlp", "Training steps of an MLP against the same graph on oneDNN", mlp, [&](CLI::App& a) {
        a.add_option("--batch", o->batch, "Samples per step")->check(tool::number_in(1, 65536))->capture_default_str();
      });
      add(app, o, "network", "Training steps of a network against oneDNN, PyTorch and TensorFlow", network,
          [&](CLI::App& a) {
            tool::add_compared_network(a, o->network)->required();
            a.add_option("--batch", o->network_batch, tool::compared_batches())->check(tool::number_in(1, 65536));
            tool::add_set_option(a, o->network_parameters);
            a.add_option("--losses", o->losses, "First steps whose losses are recorded; the first two are compared")
                ->check(tool::number_in(2, 10000))
                ->capture_default_str();
            a.add_option("--python", o->python, "Python that has PyTorch, TensorFlow or both (default: python3)");
            add_type(a, *o, {"f32", "bf16"}, "Element type; bf16 needs --backend cuda (PyTorch: autocast)");
            add_backend(a, *o);
          });
      add(app, o, "conv", "Convolutions in three passes against oneDNN's layouts and algorithms", conv,
          [&](CLI::App& a) {
            CLI::Option* const one =
                a.add_option("--shape", o->shapes, "Shape n,size,c,f,kernel,stride; may be repeated")
                    ->allow_extra_args(false);
            CLI::Option* const file =
                a.add_option("--shapes", o->shape_file,
                             "CSV file of op,n,size,c,f,kernel,stride, also one in --peers (default: conv_3x3.csv)");
            a.add_option("--random", o->random,
                         "Number of random shapes: kernels 1 to 7, stride 1 or 2, 1 to 512 channels, up to 3 GFLOP")
                ->check(tool::number_in(1, 100000))
                ->excludes(one)
                ->excludes(file);
            add_pass(a, *o, {"forward", "backward-data", "backward-weights"});
            add_type(a, *o, {"f32", "bf16"}, "Element type; bf16 needs --backend cuda (PyTorch: autocast)");
            add_backend(a, *o);
          });
      add(app, o, "rnn", "Recurrent layers in three passes against oneDNN and PyTorch", rnn, [&](CLI::App& a) {
        CLI::Option* const one =
            a.add_option("--shape", o->shapes, "Shape steps,n,in,units; may be repeated")->allow_extra_args(false);
        CLI::Option* const file = a.add_option(
            "--shapes", o->shape_file, "CSV file of op,steps,n,in,units, also one in --peers (default: rnn.csv)");
        a.add_option(
             "--random", o->random,
             "Number of random shapes: 1 to 100 steps, 1 to 256 samples, 8 to 1024 inputs and units, up to 20 GFLOP")
            ->check(tool::number_in(1, 100000))
            ->excludes(one)
            ->excludes(file);
        a.add_option("--cell", o->cell, "Cell of all layers (default: the file's, or lstm)")
            ->transform(tool::one_of({"lstm", "gru_reset_after", "gru_reset_before", "rnn"}));
        add_pass(a, *o, {"inference", "forward", "backward"});
        a.add_option("--python", o->python, "Python that has PyTorch (default: python3)");
        add_backend(a, *o);
      });
      add(app, o, "pool", "Poolings against oneDNN and the roofs of this machine", pool, [&](CLI::App& a) {
        a.add_option("--shapes", o->shape_file,
                     "CSV file of op,n,size,c,window,stride, also one in --peers (default: pool.csv)");
        add_pass(a, *o, {"forward", "backward"});
        add_backend(a, *o);
      });
      add(app, o, "norm", "Normalisations against oneDNN and the roofs of this machine", norm, [&](CLI::App& a) {
        a.add_option("--shapes", o->shape_file,
                     "CSV file of op,rows,channels, also one in --peers (default: norm.csv)");
        add_pass(a, *o, {"forward", "backward", "inference"});
        add_backend(a, *o);
      });
      return [o] {
        if (o->threads == 0) o->threads = rp::cpu().thread_count();
        tool::check_files({.written = {o->json},
                           .read = {o->shape_file.empty() ? "" : shape_file(*o, "").string(), o->python,
                                    (peer_folder(*o) / "shapes").string()}});
        check_type(*o);
        check_gpu(*o);
        return o->run(*o);
      };
    });

}  // namespace tool::bench
