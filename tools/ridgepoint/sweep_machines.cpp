// SPDX-License-Identifier: MIT
#include "sweep_machines.hpp"

#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/core/parallel.hpp>
#include <ridgepoint/core/quantile.hpp>
#include <ridgepoint/cpu/caches.hpp>
#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/cpu/probe.hpp>
#include <ridgepoint/models/random_batch.hpp>
#include <ridgepoint/roofline/environment.hpp>
#include <ridgepoint/roofline/text_table.hpp>

#include "available_memory.hpp"
#include "bounded_process.hpp"
#include "command_files.hpp"
#include "commands.hpp"
#include "directory.hpp"
#include "interruption.hpp"
#include "measurement/decimal.hpp"
#include "measurement/doubts.hpp"
#include "measurement/shown.hpp"
#include "named_machine.hpp"
#include "own_program.hpp"
#include "progress_bar.hpp"
#include "step_memory.hpp"
#include "step_options.hpp"
#include "sweep_page.hpp"
#include "sweep_rows.hpp"
#include "trained_network.hpp"

namespace tool {
namespace {

namespace rp = ridgepoint;
using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point start) { return std::chrono::duration<double>(clock::now() - start).count(); }

/// Names this machine in rows by CPU model, threads and caches.
std::string this_host_name() {
  const auto kib = [](std::size_t bytes) { return rp::concat(bytes >> 10, 'K'); };
  const rp::cache_sizes& has = rp::host_caches();
  return rp::concat(rp::detail::cpu_model(), ", ", rp::available_threads(), " threads, ", kib(has.l1_bytes), ' ',
                    kib(has.l2_bytes), ' ', kib(has.l3_bytes));
}

rp::json row_document(const recorded_row& row) {
  rp::json set = rp::json::object();
  for (const auto& [name, value] : row.point.parameters) set[name] = value;
  rp::json document{{"schema", "ridgepoint.sweep"}, {"schema_version", 1},      {"network", row.point.network},
                    {"set", std::move(set)},        {"batch", row.point.batch}, {"machine", row.machine},
                    {"setting", row.setting}};
  if (!row.host.empty()) document["host"] = row.host;
  return document;
}

/// Adds the work and memory of a step's plan.
void add_plan(rp::json& row, const rp::compiled& made) {
  const rp::work receipt = made.plan.receipt();
  row["parameters"] = made.trainable_size();
  row["matrix_flop"] = receipt.matrix_flop;
  row["flop"] = receipt.flop;
  row["bytes"] = receipt.bytes.total();
  row["plan_bytes"] = made.plan.memory().bytes();
}

/// Times steps for `seconds`, at least three, after one that is not timed.
std::vector<double> step_times(const trained_network& of, const rp::graph& net,
                               const std::vector<rp::objective>& objectives, const rp::models::random_batch& data,
                               int threads, double seconds) {
  const rp::cpu on(threads);
  auto trainer = of.trainer(on, net, objectives);
  std::vector<rp::host_values<float>> x, y;
  const auto& made = trainer.learning().made();
  for (const rp::slot slot : made.inputs)
    for (const auto& column : data.inputs())
      if (column.name == trainer.plan()[slot].name) x.push_back(column.values());
  for (const auto& column : data.targets()) y.push_back(column.values());
  std::vector<double> times;
  double sum = 0;
  for (int step = 0; step <= 3 || (sum < seconds && times.size() < 10'000); ++step) {
    const auto start = clock::now();
    static_cast<void>(
        trainer.step(std::span<const rp::host_values<float>>(x), std::span<const rp::host_values<float>>(y)));
    if (step == 0) continue;
    times.push_back(seconds_since(start));
    sum += times.back();
  }
  return times;
}

/// The host's peaks with all threads and with one, as utilisation relates to them.
struct host_peaks {
  double all = 0, one = 0;  // FLOP/s
};
host_peaks measured_peaks(int threads) {
  const rp::machine m = rp::probe(rp::cpu(threads), {.budget_s = 0.5});
  const auto peak = [&](int count) { return m.peak({.dtype = "f32", .threads = count})->per_s; };
  return {peak(0), peak(1)};
}

/// A sweep's machines, its file and its options, while it runs.
class running_sweep {
 public:
  running_sweep(const sweep_grid& grid, const machine_sweep& o)
      : options_(o),
        on_(o.threads),
        software_(rp::gpu::find_software(o.software)),
        machines_(machines_of(grid, o)),
        host_(this_host_name()),
        rows_((made_directory("sweep", o.out) / rp::concat("sweep_", grid.name, ".jsonl")).string(), host_) {}

  /// Returns the rows of its machines in its settings; the file may hold others.
  [[nodiscard]] std::vector<recorded_row> rows() const {
    std::vector<recorded_row> expected, own;  // expected: of each machine, without a point
    for (const named_machine& m : machines_) expected.push_back(row_of({}, m));
    std::ranges::copy_if(rows_.rows(), std::back_inserter(own), [&](const recorded_row& row) {
      return std::ranges::any_of(expected, [&](const recorded_row& e) {
        return e.machine == row.machine && e.host == row.host && e.setting == row.setting;
      });
    });
    return own;
  }
  [[nodiscard]] std::size_t rows_in_file() const noexcept { return rows_.rows().size(); }
  [[nodiscard]] const std::vector<named_machine>& machines() const noexcept { return machines_; }
  [[nodiscard]] const std::string& path() const noexcept { return rows_.path(); }

  /// Returns the number of points that still lack a row.
  std::size_t run(const std::vector<sweep_point>& points) {
    if (std::ranges::any_of(points, [&](const sweep_point& p) { return lacks_row(p, &named_machine::is_host); })) {
      measurement::say_doubts(rp::observe_environment());
      std::cerr << "measuring the peak of " << rp::printable(host_) << " ...\n";
      peaks_ = measured_peaks(options_.threads);
    }
    add_rows(points);
    const auto of_any = [](const named_machine&) { return true; };
    return static_cast<std::size_t>(
        std::ranges::count_if(points, [&](const sweep_point& p) { return lacks_row(p, of_any); }));
  }

 private:
  static std::vector<named_machine> machines_of(const sweep_grid& grid, const machine_sweep& o) {
    std::vector<named_machine> machines = machines_named("sweep", o.on, grid.networks.at(0));
    for (const named_machine& m : machines)
      rp::require<rp::value_error>(!std::holds_alternative<saved_step>(m.is), "sweep: --on has ", m.name,
                                   ", a step of one network; must be a machine");
    rp::require<rp::value_error>(o.fed_per_s == 0 || std::ranges::any_of(machines, has_feed), "sweep: --on is ",
                                 rp::printable(o.on), ", without a feed; must have a GPU or TPU for --feed");
    return machines;
  }
  [[nodiscard]] recorded_row row_of(const sweep_point& p, const named_machine& m) const {
    return {.point = p, .machine = m.name, .host = m.is_host() ? host_ : "", .setting = setting_of(m)};
  }
  [[nodiscard]] std::string setting_of(const named_machine& m) const {
    if (m.is_host()) return rp::concat(on_.name(), ", ", on_.thread_count(), " threads");
    const auto* const processor = std::get_if<study_processor>(&m.is);
    if (processor != nullptr) return processor->software;
    return options_.fed_per_s > 0 && has_feed(m)
               ? rp::concat(software_.name, ", feed of ", options_.fed_per_s, " samples/s")
               : software_.name;
  }
  /// True if the point lacks a row of a machine for which `of(machine)` holds.
  template <class Of>
  [[nodiscard]] bool lacks_row(const sweep_point& p, const Of& of) const {
    return std::ranges::any_of(machines_, [&](const named_machine& m) {
      return std::invoke(of, m) && !rows_.has(row_of(p, m), options_.limit_s);
    });
  }
  /// Adds the rows of the points, in their order, until all are done, the time is over, or the user interrupts. Several
  /// threads model points; measured points run alone.
  void add_rows(const std::vector<sweep_point>& points) {
    const interruption stop;
    const auto start = clock::now();
    progress_bar bar("sweep");
    std::atomic<std::size_t> next = 0;
    std::mutex mutex;  // of the variables below and of the file
    std::size_t done = 0;
    std::map<std::size_t, std::vector<row_line>> waiting;  // rows of points after the first one that is not done
    const auto out_of_time = [&] { return options_.budget_s > 0 && seconds_since(start) >= options_.budget_s; };
    const auto add_next = [&] {
      const std::size_t i = next++;
      if (i >= points.size()) return false;
      std::unique_lock lock(mutex);
      std::vector<recorded_row> lacking = lacking_rows(points[i]);
      lock.unlock();
      std::vector<row_line> rows = rows_of(points[i], lacking);
      lock.lock();
      waiting.emplace(i, std::move(rows));
      for (auto first = waiting.begin(); first != waiting.end() && first->first == done; first = waiting.begin()) {
        ++done;
        rows = std::move(first->second);
        waiting.erase(first);
        for (row_line& row : rows) rows_.append(std::move(row));
      }
      bar.show(static_cast<std::int64_t>(done), static_cast<std::int64_t>(points.size()), points[i].text());
      return true;
    };
    const int threads = std::ranges::any_of(machines_, &named_machine::is_host) ? 1 : on_.thread_count();
    rp::parallel_for(threads, threads, [&](rp::index_t) {
      try {
        while (!interruption::wanted() && !out_of_time() && add_next()) continue;
      } catch (...) {
        next = points.size();  // ends the other threads
        throw;
      }
    });
  }
  /// Returns the rows that a point lacks, without results, one per name of a machine.
  [[nodiscard]] std::vector<recorded_row> lacking_rows(const sweep_point& p) const {
    std::vector<recorded_row> lacking;
    for (const named_machine& m : machines_) {
      recorded_row row = row_of(p, m);
      if (!rows_.has(row, options_.limit_s) && std::ranges::count(lacking, m.name, &recorded_row::machine) == 0)
        lacking.push_back(std::move(row));
    }
    return lacking;
  }
  [[nodiscard]] std::vector<row_line> rows_of(const sweep_point& p, const std::vector<recorded_row>& lacking) {
    std::optional<modelled_network> network;
    std::map<rp::index_t, shared_plan> plans;
    std::vector<row_line> rows;
    for (const recorded_row& row : lacking) {
      const named_machine& m = *std::ranges::find(machines_, row.machine, &named_machine::name);
      rp::json to = row_document(row);
      to["origin"] = m.is_host() ? "measured" : "modelled";
      try {
        if (!network) network = described(p, plans);
        const shared_plan made = network->training(p.batch);
        add_plan(to, *made);
        if (m.is_host()) add_measured(to, p, *made);
        else add_modelled(to, m, *network);
      } catch (const memory_error& e) {
        to["state"] = "out of memory", to["how"] = e.what();
      } catch (const rp::error& e) {  // of this point, such as a network that cannot be built
        to["state"] = "not possible", to["how"] = e.what();
      }
      if (!m.is_host() || !interruption::wanted()) rows.push_back(line_of(to));  // an interrupted child has no result
    }
    return rows;
  }

  /// Machines share plans of the same batch.
  [[nodiscard]] modelled_network described(const sweep_point& p, std::map<rp::index_t, shared_plan>& plans) const {
    modelled_network network = modelled_training(p.trained(), p.step(), software_);
    network.fed_per_s = static_cast<double>(options_.fed_per_s);
    network.training = [&plans, compile = network.training](rp::index_t batch) {
      const auto found = plans.find(batch);
      return found != plans.end() ? found->second : plans.emplace(batch, compile(batch)).first->second;
    };
    return network;
  }

  void add_modelled(rp::json& to, const named_machine& m, const modelled_network& network) const {
    const step_on_machine made = placed_on(m, network);
    const rp::study::chart_step& placed = made.step;
    to["how"] = placed.how;
    to["state"] = "ok";
    to["step_s"] = placed.profile.step_s;
    if (options_.fed_per_s > 0 && made.feed_share) to["feed_share"] = *made.feed_share;
    if (const rp::ceiling* const peak = placed.machine.peak({.dtype = placed.profile.dtype})) {
      to["peak_flop_per_s"] = peak->per_s;
      to["utilisation"] =
          static_cast<double>(placed.profile.receipt().matrix_flop) / (placed.profile.step_s * peak->per_s);
    }
  }

  /// Measures the point in a child process, unless the plan and the peak say that it cannot end well.
  void add_measured(rp::json& to, const sweep_point& p, const rp::compiled& made) {
    const auto needed = static_cast<double>(made.plan.memory().bytes()),
               available = static_cast<double>(available_bytes()),
               flop = static_cast<double>(made.plan.receipt().matrix_flop);
    const bool convolves = std::ranges::any_of(made.plan.calls, [](const rp::planned_call& call) {
      return to_string(*call.op).find("conv2d") != std::string::npos;
    });
    constexpr double fewest_steps = 4, winograd = 4;  // Winograd multiplies up to four times less
    const double least_s = fewest_steps * flop / (convolves ? winograd : 1) *
                           (1 / peaks_.all + (on_.thread_count() > 1 ? 1 / peaks_.one : 0));
    if (available > 0 && needed > available) {
      to["state"] = "out of memory";
      to["how"] = rp::concat("predicted: the step needs ", rp::capacity(static_cast<std::uint64_t>(needed)), ", ",
                             rp::capacity(static_cast<std::uint64_t>(available)), " are available");
    } else if (least_s > options_.limit_s) {
      to["state"] = "out of time", to["limit_s"] = options_.limit_s;
      to["how"] = rp::concat("predicted: its steps take at least ", rp::figures(least_s), " s at the peak, --limit is ",
                             rp::figures(options_.limit_s), " s");
    } else {
      measure(to, p);
    }
  }
  void measure(rp::json& to, const sweep_point& p) {
    std::vector<std::string> words{"sweep",
                                   p.network,
                                   "--row",
                                   "--batch",
                                   rp::concat(p.batch),
                                   "--threads",
                                   rp::concat(options_.threads),
                                   "--step-seconds",
                                   rp::concat(options_.step_seconds)};
    for (const auto& [name, value] : p.parameters) words.insert(words.end(), {"--set", rp::concat(name, '=', value)});
    std::string text = "ridgepoint";
    for (const std::string& word : words) text += ' ' + word;
    to["command"] = text;
    words.insert(words.begin(), own_program().string());
    const process_limits limits{.seconds = options_.limit_s};
    const process_end end = run_bounded(words, own_environment(), limits);
    if (end.well()) {
      const rp::json measured = rp::parse_strict(end.printed, p.text() + ": ");
      for (const auto& [key, value] : measured.items()) to[key] = value;
      to["state"] = "ok";
      to["peak_flop_per_s"] = peaks_.all;
      const double flop = to.at("matrix_flop").get<double>();
      to["utilisation"] = flop / (to.at("step_s").get<double>() * peaks_.all);
      to["one_core_utilisation"] = flop / (to.at("one_core_step_s").get<double>() * peaks_.one);
      return;
    }
    using enum process_end::kind;
    const bool no_memory = (end.how == killed && end.code == SIGKILL) ||
                           (end.how == exited && end.complained.find("out of memory") != std::string::npos);
    to["state"] = end.how == late ? "out of time" : no_memory ? "out of memory" : "failed";
    if (end.how == late) to["limit_s"] = options_.limit_s;
    const std::string said = end.complained.substr(0, end.complained.find('\n'));
    to["how"] = rp::concat(end.text(limits), said.empty() ? "" : ": ", measurement::shown(said));
  }

  machine_sweep options_;
  rp::cpu on_;
  rp::gpu::software software_;
  std::vector<named_machine> machines_;
  std::string host_;
  sweep_file rows_;
  host_peaks peaks_;
};

/// Prints a line per machine: states, the highest utilisation, and samples/s relative to the first machine.
void print_summary(const std::vector<recorded_row>& rows, const std::vector<named_machine>& machines) {
  std::map<std::string, double> base;  // step_s of the first machine by point
  for (const recorded_row& row : rows)
    if (row.machine == machines[0].name && row.step_s) base[row.point.text()] = *row.step_s;
  rp::text_table table{.head = {"machine", "rows", "steps", "out of memory", "out of time", "other",
                                "highest utilisation", "times " + machines[0].name},
                       .units = {"", "", "", "", "", "", "%", "median"},
                       .align = "lrrrrrrr"};
  for (const named_machine& m : machines) {
    std::map<std::string, int> states;
    std::vector<double> used{0}, faster;
    int all = 0;
    for (const recorded_row& row : rows) {
      if (row.machine != m.name) continue;
      ++all, ++states[row.state == "failed" || row.state == "not possible" ? "other" : row.state];
      if (row.utilisation) used.push_back(*row.utilisation);
      if (!row.step_s) continue;
      if (const double ratio = base[row.point.text()] / *row.step_s; ratio > 0) faster.push_back(ratio);
    }
    table.rows.push_back({m.name, rp::concat(all), rp::concat(states["ok"]), rp::concat(states["out of memory"]),
                          rp::concat(states["out of time"]), rp::concat(states["other"]),
                          rp::figures(100 * *std::ranges::max_element(used)),
                          faster.empty() ? "" : rp::figures(rp::median(faster))});
  }
  std::cout << table.text();
}

}  // namespace

int sweep_here(const sweep_point& point, const machine_sweep& o) {
  const trained_network of = point.trained();
  rp::graph net(of.name);
  const std::vector<rp::objective> objectives = of.build(net);
  const rp::models::random_batch data(net, objectives, of.batch);
  const rp::host_watch watch;
  const int threads = rp::cpu(o.threads).thread_count();
  // A virtual machine's host can hold a core for a second without a trace in any counter: of three rounds, with all
  // threads and with one in turn, the round with the least median counts. Long steps are measured in one round.
  std::vector<double> all, one;
  rusage used{};
  for (int round = 0; round < 3; ++round) {
    const auto measure = [&](std::vector<double>& best, int with) {
      std::vector<double> times = step_times(of, net, objectives, data, with, o.step_seconds / 3);
      if (best.empty() || rp::median(times) < rp::median(best)) best = std::move(times);
    };
    measure(all, o.threads);
    if (round == 0) ::getrusage(RUSAGE_SELF, &used);  // of the steps with all threads
    if (threads > 1) measure(one, 1);
    if (3 * rp::median(all) > o.step_seconds / 3) break;
  }
  const double middle = rp::median(all);
  rp::json row{{"step_s", middle},
               {"step_min_s", rp::quantile(all, 0)},
               {"step_max_s", rp::quantile(all, 1)},
               {"threads", threads},
               {"peak_memory_bytes", static_cast<std::uint64_t>(used.ru_maxrss) << 10},
               {"one_core_step_s", one.empty() ? middle : rp::median(one)},
               {"time", rp::detail::now_in_utc()},
               {"version", RIDGEPOINT_VERSION_STRING}};
  const rp::disturbance others = watch.so_far();
  row["other_cores"] = others.other_cores, row["steal_share"] = others.steal_share;
  std::cout << rp::json_text(row, -1) << '\n';
  return ok;
}

int sweep_machines(const sweep_grid& grid, const machine_sweep& o) {
  std::vector<sweep_point> points = grid.points();
  std::erase_if(points, [&](const sweep_point& p) { return p.hash() % o.shards != o.shard - 1; });
  running_sweep sweep(grid, o);
  const std::string page = std::filesystem::path(sweep.path()).replace_extension(".html").string();
  check_files({.written = {page}, .read = {}});
  const std::size_t left = sweep.run(spread_out(std::move(points)));
  const std::vector<recorded_row> rows = sweep.rows();
  print_summary(rows, sweep.machines());
  std::vector<std::string> machines;
  for (const named_machine& m : sweep.machines()) machines.push_back(m.name);
  rp::write_file(page, rows_page(grid, rows, machines));
  std::cout << sweep.rows_in_file() << " rows in " << rp::printable(sweep.path()) << ", maps in .html";
  if (left > 0) std::cout << "; " << left << " points are left: repeat the command to resume";
  std::cout << '\n';
  return interruption::wanted() ? interrupted : ok;
}

double seconds_in(const std::string& text) {
  const std::size_t end = text.find_first_not_of("0123456789.");
  const std::string unit = end == std::string::npos ? "s" : text.substr(end);
  const std::optional<double> value = measurement::decimal<double>(text.substr(0, end));
  const double scale = unit == "s" ? 1 : unit == "min" ? 60 : unit == "h" ? 3600 : std::nan("");
  return value ? *value * scale : std::nan("");
}

}  // namespace tool
