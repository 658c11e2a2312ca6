// SPDX-License-Identifier: MIT
// ridgepoint train: trains a reference network on its data set, with checkpoints that survive an interruption.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string_view>

#include <ridgepoint/core/nearest_name.hpp>
#include <ridgepoint/graph/trainer.hpp>

#include "backends.hpp"
#include "command_files.hpp"
#include "commands.hpp"
#include "directory.hpp"
#if defined(RIDGEPOINT_HAS_PNG)
#include "embryo_pictures.hpp"
#endif
#include "given_options.hpp"
#include "interruption.hpp"
#include "launched_ranks.hpp"
#include "measurement/flags/shell_word.hpp"
#include "number_option.hpp"
#include "one_of.hpp"
#include "seed_option.hpp"
#include "step_options.hpp"
#include "text_samples.hpp"
#include "trained_network.hpp"
#include "training_history.hpp"
#include "training_page.hpp"

namespace rp = ridgepoint;

namespace tool::train {

struct options {
  std::string model = "mnist-mlp", data, checkpoint, resume, html, json, backend = "cpu";
  std::string evaluate;  // "end" or "epochs"; "": the default
  std::string given;     // the user's options but --resume
  int epochs = -1, threads = 0;
  bool resident = false;
  std::uint64_t seed = 42, steps = 0;
  rp::index_t sample = 0, micro_batches = 1;
  double rank_timeout_s = 300;
  tool::embryo_choice embryos;
  tool::step_options step;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Wall time of the phases, each summed over the epochs.
class phases {
 public:
  template <class Body>
  decltype(auto) time(const char* name, Body&& body) {
    const auto start = std::chrono::steady_clock::now();
    struct at_end {
      phases& all;
      const char* name;
      std::chrono::steady_clock::time_point start;
      ~at_end() { all.add(name, seconds_since(start)); }
    } const end{*this, name, start};
    return body();
  }
  void add(const char* name, double elapsed_s) { elapsed_s_[name] += elapsed_s; }
  /// Moves time from one phase to another.
  void move(double elapsed_s, const char* from, const char* to) {
    add(from, -elapsed_s);
    add(to, elapsed_s);
  }
  /// Returns a line for each phase, with its share. "pre-process" includes the time that training and evaluation waited
  /// for samples. The time of loader threads, `ahead_s`, is in no share. Adds the rate at which one thread prepares
  /// samples, if it is known.
  [[nodiscard]] std::string text(double ahead_s, double fed_per_s) const {
    double all_s = 0;
    for (const auto& [name, elapsed_s] : elapsed_s_) all_s += elapsed_s;
    std::ostringstream out;
    const auto row = [&](const char* name, double elapsed_s) -> std::ostream& {
      return out << std::left << std::setw(12) << name << std::right << std::fixed << std::setprecision(3)
                 << std::setw(10) << elapsed_s << " s";
    };
    for (const char* phase : {"load", "pre-process", "compile", "train", "evaluate"}) {
      const auto at = elapsed_s_.find(phase);
      const double elapsed_s = at == elapsed_s_.end() ? 0.0 : at->second;
      row(phase, elapsed_s) << std::setprecision(1) << std::setw(7) << (all_s > 0 ? 100 * elapsed_s / all_s : 0.0)
                            << " %\n";
    }
    if (ahead_s > 0) row("prefetched", ahead_s) << "  of samples, by other threads\n";
    if (fed_per_s > 0)
      out << "feed" << std::setw(20) << std::setprecision(0) << fed_per_s << " samples/s by one thread\n";
    return out.str();
  }

 private:
  std::map<std::string_view, double> elapsed_s_;
};

/// Returns "  test accuracy 97.5 %", or of each loss that has one; "" if none has.
std::string accuracy_text(const rp::evaluation& result) {
  std::vector<std::string> percent;
  for (const double accuracy : tool::accuracies_of(result)) percent.push_back(rp::concat(100 * accuracy, " %"));
  return percent.empty() ? "" : "  test accuracy " + rp::names_of(percent);
}

/// Trains on one rank, or together with the ranks of an exchange.
template <class Backend>
int train(const options& o, const Backend& on, const std::shared_ptr<rp::gradient_exchange>& exchange) {
  const bool writes = exchange == nullptr || exchange->rank() == 0;
  rp::require<rp::value_error>(!o.resident || rp::trains_ahead<Backend>,
                               "train: --resident keeps samples on a GPU, but --backend is ", o.backend,
                               "; must be cuda");
  tool::check_trains("train", o.model, on, o.step.stored(), tool::smallest_training(o.model, o.step.stored()));
  // A resumed training may write to the checkpoint that it read.
  const bool goes_on = !o.resume.empty() && measurement::same_file(o.resume, o.checkpoint);
  if (writes)
    tool::check_files(
        {.written = {o.checkpoint, o.html, o.json}, .read = {tool::data_directory(o.data), goes_on ? "" : o.resume}});
  phases times;
  tool::trained_network of = times.time("compile", [&] { return tool::network_named(o.model, o.step, o.seed); });
  rp::require<rp::value_error>(of.batch % o.micro_batches == 0, "train: --micro-batches is ", o.micro_batches,
                               " for a batch of ", of.batch, "; must divide it");
  of.options.exchange = exchange;
  of.options.micro_batches = o.micro_batches;
  of.options.batch = of.batch / o.micro_batches;
  rp::require<rp::value_error>(o.sample == 0 || of.writes, "train: ", of.name, " writes no text; --sample needs ",
                               "lstm-text-generation or text-generator-keras");
  rp::require<rp::value_error>(o.embryos == tool::embryo_choice{} || of.embryos, "train: ", of.name,
                               " learns from no embryos; --per-class and --rotated-test need embryo-cnn");
  const auto load = [&] { return of.load({.path = o.data, .threads = o.threads, .embryos = o.embryos}); };
  const tool::training_data data = times.time("load", [&] {
    if (exchange == nullptr) return load();
    std::optional<tool::training_data> first;  // rank 0 loads first: it may generate the files
    static_cast<void>(exchange->from_first([&] {
      first.emplace(load());
      return std::string();
    }));
    return first ? std::move(*first) : load();
  });
  times.move(data.preprocess_s(), "load", "pre-process");
  const rp::any_dataset &trained = data.train(), &test = data.test();
  const rp::index_t batch = of.batch;
  const int epochs = o.epochs >= 0 ? o.epochs : of.epochs;
  std::string images;  // of the page
#if defined(RIDGEPOINT_HAS_PNG)
  if (of.embryos && !o.html.empty()) images = tool::embryo_section(data.embryo_tree(), tool::options_of(o.embryos));
#endif
  tool::check_batch(trained, batch);
  rp::require<rp::value_error>(!o.resident || trained.stays_the_same(), "train: the samples of ", of.name,
                               " change from epoch to epoch; --resident must not be given");
  const rp::fit_options fitting{.epochs = 1, .resident = o.resident};

  rp::graph net(of.name);
  auto trainer = times.time("compile", [&] { return of.trainer(on, net, of.build(net)); });
  if (!o.resume.empty()) trainer.load(o.resume);
  const auto save = [&] {
    if (!o.checkpoint.empty()) trainer.save(o.checkpoint);
  };
  const auto per_epoch = static_cast<std::uint64_t>(trained.size() / batch);
  const int done = static_cast<int>(std::min(trainer.steps_done() / per_epoch, static_cast<std::uint64_t>(epochs)));
  std::cout << of.name << o.step.network_text() << " on " << rp::printable(on.name()) << ", batch " << batch
            << (exchange == nullptr ? "" : rp::concat(" of ", exchange->size(), " ranks (", exchange->name(), ')'))
            << ", seed " << o.seed << ", " << done << " of " << epochs
            << " epochs done\nmemory of a step: " << to_string(trainer.memory(trained, fitting)) << std::endl;
  tool::pace steps;
  tool::training_history history{of.name, batch, o.step};
  /// True on all ranks if a signal has reached any of them.
  const auto stopped = [&] {
    const bool wanted = tool::interruption::wanted();
    return exchange == nullptr ? wanted : exchange->largest(wanted ? 1 : 0) > 0;
  };
  const auto enough = [&] { return o.steps > 0 && trainer.steps_done() >= o.steps; };
  if (done == epochs || enough()) save();

  // A page and a history are about epochs.
  const bool at_epochs = o.evaluate.empty() ? !o.html.empty() || !o.json.empty() : o.evaluate == "epochs";
  bool interrupted = false;
  double waited_in_training_s = 0;
  const tool::interruption guard;  // over all epochs: also catches signals between epochs and in evaluations
  double samples = 0;              // trained and evaluated with
  const auto evaluate = [&] {
    samples += static_cast<double>(test.size());
    rp::evaluation result = times.time("evaluate", [&] { return trainer.evaluate(test); });
    std::cout << "  test loss " << rp::concat(result.loss) << accuracy_text(result) << std::endl;
    return result;
  };
  if (!o.resume.empty() && done == epochs && epochs > 0) {  // that run may have ended before its evaluation
    std::cout << "epoch " << epochs << '/' << epochs;
    evaluate();
  }
  for (int epoch = done; epoch < epochs && !interrupted && !enough(); ++epoch) {
    double loss = 0;
    const auto start = std::chrono::steady_clock::now();
    {
      tool::progress_bar bar(rp::concat("epoch ", epoch + 1, '/', epochs));
      waited_in_training_s -= trainer.data_times().waited_s;
      times.time("train", [&] {
        double before = 0, seen = 0;  // p.loss is the mean over the epoch's steps in this run
        steps.resume();
        trainer.fit(trained, fitting, [&](const rp::progress& p) {
          loss = p.loss;
          samples += static_cast<double>(batch);
          const double sum = p.loss * ++seen;
          steps.step(sum - std::exchange(before, sum));
          bar.show(p.step, p.steps, rp::concat("loss ", p.loss));
          return !tool::interruption::wanted() && !enough();
        });
      });
      waited_in_training_s += trainer.data_times().waited_s;
      interrupted = stopped();
    }
    const double train_s = seconds_since(start);
    save();
    if (interrupted) break;
    std::cout << (enough() ? rp::concat("step ", trainer.steps_done()) : rp::concat("epoch ", epoch + 1, '/', epochs))
              << "  loss " << rp::concat(loss);
    if (!at_epochs && epoch + 1 < epochs && !enough()) {
      std::cout << std::endl;
      continue;
    }
    const rp::evaluation result = evaluate();
    if (trainer.steps_done() % per_epoch == 0)
      history.epochs.push_back(
          {epoch + 1, trainer.steps_done(), loss, result.loss, train_s, tool::accuracies_of(result)});
    interrupted = stopped();
  }
  times.move(waited_in_training_s, "train", "pre-process");
  times.move(trainer.data_times().waited_s - waited_in_training_s, "evaluate", "pre-process");
  const rp::making_times fed = trainer.data_times();
  const double fed_s = fed.made_s + fed.waited_s;
  const std::string phases = times.text(fed.made_s, fed_s > 0 ? samples / fed_s : 0);
  std::cout << phases;
  if (o.sample > 0 && !interrupted) std::cout << tool::text_samples(trainer, *data.text(), o.sample, o.seed);
  if (!o.html.empty() && writes) {
    const std::string title = rp::concat(of.name, o.step.network_text(), " on ", on.name());
    const std::vector<std::string> lines{rp::concat("batch ", batch, ", seed ", o.seed, ", ", trained.size(),
                                                    " training and ", test.size(), " test samples"),
                                         rp::concat("memory of a step: ", to_string(trainer.memory(trained, fitting)))};
    rp::write_file(o.html, tool::training_page(title, lines, steps, history.epochs, phases, images));
  }
  if (!o.json.empty() && writes) rp::save_json(o.json, document(history));
  if (!interrupted) return tool::ok;
  if (!writes) return tool::interrupted;
  std::cerr << "ridgepoint: interrupted after step " << trainer.steps_done();
  if (!o.checkpoint.empty())
    std::cerr << "; continue with ridgepoint train " << of.name << rp::printable(o.given) << " --resume "
              << rp::printable(measurement::shell_word(o.checkpoint));
  std::cerr << '\n';
  return tool::interrupted;
}

int run(const options& o) {
  const std::optional<rp::any_communicator> ranks = tool::launched_ranks(o.rank_timeout_s);
  const tool::first_rank_output output(ranks);
  rp::require<rp::value_error>(!ranks || !rp::same_name(o.backend, "cuda"), "train: ", ranks ? ranks->size() : 1,
                               " ranks with --backend cuda; must be cpu, onednn or reference");
  const auto exchange = ranks ? std::make_shared<rp::gradient_exchange>(*ranks) : nullptr;
  const int threads = o.threads > 0 || !ranks ? o.threads : tool::threads_of_rank();
  return tool::with_backend(o.backend, threads, [&](const auto& on) { return train(o, on, exchange); });
}

const tool::command command("train", "Train a reference network", [](CLI::App& app) -> tool::action {
  const auto o = std::make_shared<options>();
  tool::add_network_argument(app, "network", o->model, tool::known_networks())->capture_default_str();
  app.add_option("--data", o->data, rp::concat(tool::which_data, ')'))->check(tool::existing_path());
  app.add_option("--epochs", o->epochs, "Total epochs, including a resumed checkpoint's (default: the model's)")
      ->check(tool::number_in(0, 1'000'000));
  app.add_option("--steps", o->steps, "Stop after this many training steps in total")
      ->check(tool::number_in<std::uint64_t>(1, UINT64_MAX).description("1 or more"));
  tool::add_step_options(app, o->step);
  app.add_option("--precision", o->step.precision, "Stored format of activations, gradients and weights (default: f32)")
      ->transform(tool::one_of({"f32", "bf16", "f16"}));
  app.add_option("--threads", o->threads, "Threads (default: all cores)")->check(tool::thread_counts());
  app.add_option("--micro-batches", o->micro_batches,
                 "Parts of a batch; with as many, 1, 2 and 4 ranks have equal losses (default: 1)")
      ->check(tool::number_in(1, 1'000'000));
  app.add_option("--rank-timeout", o->rank_timeout_s, "Longest wait for another rank of mpirun, in s (default: 300)")
      ->check(tool::number_in(1, 1'000'000));
  tool::add_seed_option(app, o->seed);
  app.add_option("--checkpoint", o->checkpoint,
                 "Write training state after each epoch, when interrupted and at the end; replaces a file");
  app.add_option("--resume", o->resume, "Continue from this checkpoint; same network, --optimizer, --batch and --seed")
      ->check(tool::existing_path());
  app.add_option("--sample", o->sample,
                 "Print this many generated characters after training, at temperatures 0.2, 0.5, 1 and 1.2")
      ->check(tool::number_in(1, 1'000'000));
  app.add_option("--per-class", o->embryos.per_class,
                 "Images of each class, one in five of them for testing (embryo-cnn; default: all)")
      ->check(tool::number_in(5, 1'000'000));
  app.add_flag("--rotated-test", o->embryos.rotated_test,
               "Rotate test images to the angles of training images (embryo-cnn)");
  app.add_option("--evaluate", o->evaluate,
                 "Evaluate at the end or after each epoch (default: end; epochs with --html or --json)")
      ->transform(tool::one_of({"end", "epochs"}));
  app.add_option("--html", o->html, "Write an HTML page: speed, loss and test accuracy over time, time of each phase");
  app.add_option("--json", o->json, "Write loss, test accuracy and time of each evaluated epoch, for cost --history");
  app.add_option("--backend", o->backend, rp::concat("Backend: ", tool::backend_names))->capture_default_str();
  app.add_flag("--resident", o->resident, "Keep all samples on the GPU (--backend cuda)");
  return [o, &app] {
    o->given = tool::given_options(app, "--resume");
    return run(*o);
  };
});

}  // namespace tool::train
