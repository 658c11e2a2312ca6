// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/trainer.hpp>

/// \file
/// Member functions of trainer, not inline, so that the archive can hold them.
namespace ridgepoint::inline RIDGEPOINT_ABI {

template <std::floating_point T, backend Backend>
trainer<T, Backend>::trainer(const graph& net, const Backend& on, std::vector<objective> objectives,
                             any_optimiser optimiser, const compile_options& options, const op_table<Backend>& ops)
    : net_(net.separate()),
      output_(net_.counterpart(objectives.at(0).output, net)),
      optimiser_(checked(std::move(optimiser))),
      options_(detail::divided_among_ranks(detail::fed_with<T>(options))),
      ops_(ops),
      core_(net_, on, in_own_graph(std::move(objectives), net), optimiser_, options_, ops_) {
  if (core_.exchange() != nullptr) agree_on_training();
  learning().set_state(state_at(0, optimiser_.learning_rate()));
  core_.learning().initialise(options.seed);
  for (const planned_block& block : learning().made().blocks)
    for (std::size_t m = 0; m < optimiser_.moments().size(); ++m) {
      if (!block.moments[m].exists()) continue;
      const std::vector<T> initial(static_cast<std::size_t>(block.size),
                                   static_cast<T>(optimiser_.moments()[m].initial));
      learning().put(block.moments[m], initial);
    }
}

template <std::floating_point T, backend Backend>
double trainer<T, Backend>::step(const values& x, const values& y) {
  const exclusive::use held = alone_.enter("trainer");
  detail::check_samples<T>(x.all(), learning().form().inputs, core_.batch_of_all());
  require<shape_error>(y.all().size() == learning().form().targets.size(), "step: targets for ", y.all().size(),
                       " losses; the network has ", learning().form().targets.size());
  for (std::size_t l = 0; l < y.all().size(); ++l) core_.check_targets(l, y.all()[l], core_.batch_of_all());
  const auto own_part = [&](const host_values<T>& all) {
    const index_t size = all.size() / core_.ranks();
    return all.part(core_.rank() * size, size);
  };
  core_.feed([&](std::size_t i) { return own_part(x.all()[i]); }, [&](std::size_t l) { return own_part(y.all()[l]); });
  return core_.learn({});
}

template <std::floating_point T, backend Backend>
history trainer<T, Backend>::fit(const any_dataset& data, const fit_options& fitting, const watcher& watch) {
  const exclusive::use held = alone_.enter("trainer");
  detail::check(fitting);
  require<value_error>(!fitting.resident || data.stays_the_same(),
                       "fit: resident is true, but the samples of the data set may change; must stay_the_same()");
  counted_feed feed(*this, data, fitting.data_threads);
  return fit_batches(feed.batches(), fitting, watch);
}

template <std::floating_point T, backend Backend>
history trainer<T, Backend>::fit(const values& x, const values& y, const fit_options& fitting, const watcher& watch) {
  const exclusive::use held = alone_.enter("trainer");
  detail::check(fitting);
  counted_feed feed(*this, x, y);
  return fit_batches(feed.batches(), fitting, watch);
}

template <std::floating_point T, backend Backend>
evaluation trainer<T, Backend>::evaluate(const any_dataset& data) {
  const exclusive::use held = alone_.enter("trainer");
  counted_feed feed(*this, data);
  return core_.judge(feed.batches());
}

template <std::floating_point T, backend Backend>
evaluation trainer<T, Backend>::evaluate(const values& x, const values& y) {
  const exclusive::use held = alone_.enter("trainer");
  counted_feed feed(*this, x, y);
  return core_.judge(feed.batches());
}

template <std::floating_point T, backend Backend>
tensor<T> trainer<T, Backend>::predict(const values& x) {
  const exclusive::use held = alone_.enter("trainer");
  return core_.predict(output_, x.all());
}

template <std::floating_point T, backend Backend>
tensor<T> trainer<T, Backend>::predict(const node& of, const values& x) {
  const exclusive::use held = alone_.enter("trainer");
  return core_.predict(net_.own(of), x.all());
}

template <std::floating_point T, backend Backend>
ridgepoint::session<T, Backend> trainer<T, Backend>::session(const compile_options& options) const {
  ridgepoint::session<T, Backend> made(net_, learning().program().on(), std::span(&output_, 1), options, ops_);
  made.load(*this);
  return made;
}

template <std::floating_point T, backend Backend>
ridgepoint::profile trainer<T, Backend>::profile(const any_dataset& data, int steps, const step_progress& on_progress) {
  const exclusive::use held = alone_.enter("trainer");
  counted_feed feed(*this, data);
  feed_of& batches = feed.batches();
  const index_t available = whole_batches("profile", batches);
  batches.shuffle(options_.seed, 0);
  profile_row row =
      data_row(batched(core_.batch(), learning().made().input_shapes.at(0)), batches.bytes(core_.batch()));
  const saved_regions<Backend> before(learning().program(), {memory_region::batch, memory_region::parameters,
                                                             memory_region::gradients, memory_region::moments});
  const scope_exit back([&] { before.restore(); });
  index_t next = 0;
  ridgepoint::profile result = measure_steps(
      learning().program(), steps, std::move(row),
      [&] {
        core_.feed(batches, next);
        next = (next + 1) % available;
      },
      [&] { static_cast<void>(learning().state()); }, on_progress, core_.exchange());
  result.title = net_.name();
  result.dtype = to_string(learning().made().precision);
  return result;
}

template <std::floating_point T, backend Backend>
void trainer<T, Backend>::save(const std::string& file) const {
  const auto write = [&] {
    const checkpoint all = learning().save(optimiser_.name(), options_.seed);
    const std::string lost = non_finite_tensor(all.tensors);
    require<value_error>(lost.empty(), "checkpoint ", file, ": after step ", steps_done(), ' ', lost,
                         "; must be finite");
    write_checkpoint(file, all);
  };
  if (core_.exchange() == nullptr) return write();
  require<unsupported>(learning().made().carried.empty(), "checkpoint ", file, ": each of ", core_.ranks(),
                       " ranks carries its own state from step to step; must be 1 rank, or layers without such state");
  core_.average_statistics();
  static_cast<void>(core_.exchange()->from_first([&] {
    write();
    return std::string();
  }));
}

template <std::floating_point T, backend Backend>
std::string trainer<T, Backend>::read(const std::string& file) const {
  const auto bytes = [&] {
    return detail::read_tensor_bytes(file, detail::most_checkpoint_bytes(net_, learning().made()));
  };
  return core_.exchange() == nullptr ? bytes() : core_.exchange()->from_first(bytes);
}

template <std::floating_point T, backend Backend>
void trainer<T, Backend>::agree_on_training() const {
  std::vector<gradient_exchange::property> own = {{"version", RIDGEPOINT_VERSION_STRING},
                                                  {"backend", learning().program().on().name()},
                                                  {"network", net_.name()},
                                                  {"optimiser", std::string(optimiser_.name())},
                                                  {"learning rate", number_text(optimiser_.learning_rate())},
                                                  {"batch", concat(core_.batch_of_all())},
                                                  {"micro_batches", concat(options_.micro_batches)},
                                                  {"seed", concat(options_.seed)},
                                                  {"clip_value", number_text(options_.clip_value)},
                                                  {"clip_norm", number_text(options_.clip_norm)},
                                                  {"precision", std::string(to_string(learning().made().precision))}};
  for (const planned_parameter& p : learning().made().parameters) own.push_back({p.name, to_string(p.spec.extents)});
  for (const planned_call& call : plan().calls)
    own.push_back({concat(call.info.layer, ' ', call.info.pass, ' ', call.op->name), call.info.shape});
  core_.exchange()->agree(own);
}

template <std::floating_point T, backend Backend>
void trainer<T, Backend>::load(const std::string& file) {
  const checkpoint c = parse_checkpoint(read(file), file);
  const auto check_same = [&](const char* what, const auto& actual, const auto& required) {
    require<data_error>(actual == required, "checkpoint ", file, ": of ", what, ' ', actual, "; must be ", required);
  };
  check_same("optimiser", std::string_view(c.optimiser), optimiser_.name());
  check_same("batch", c.batch, core_.batch_of_all());
  check_same("seed", c.seed, options_.seed);
  core_.learning().load(c, file);
  step_state now = state_at(c.step, c.learning_rate);
  now.skipped_steps = c.skipped_steps;
  if (!exactly(c.loss_scale, 0) && scales_losses(learning().made().precision))
    now.loss_scale = c.loss_scale, now.finite_steps = c.finite_steps;
  learning().set_state(now);
}

template <std::floating_point T, backend Backend>
void trainer<T, Backend>::set_learning_rate(double rate) {
  step_state changed = learning().state();
  changed.learning_rate = scheduled_rate(optimiser_.schedule(), rate, changed.step);
  changed.base_learning_rate = rate;
  check(changed);
  learning().set_state(changed);
}

template <std::floating_point T, backend Backend>
tensor<T> trainer<T, Backend>::gradient(std::string_view name) const {
  const planned_parameter& p = learning().find(name);
  require<value_error>(p.gradient.exists(), name, ": is not trainable; must be, to have a gradient");
  tensor<T> read(p.spec.extents);
  if (p.gradient_rows.exists()) learning().get_rows(p.gradient_rows, p.gradient, read);
  else learning().get(p.gradient, read.values());
  if (learning().program().plan()[p.gradient].type == element::f16) {
    const auto scale = static_cast<T>(last_loss_scale(learning().state()));
    for (T& value : read) value /= scale;
  }
  return read;
}

template <std::floating_point T, backend Backend>
any_optimiser trainer<T, Backend>::checked(any_optimiser optimiser) {
  check(step_state{.learning_rate = optimiser.learning_rate()});
  return optimiser;
}

template <std::floating_point T, backend Backend>
std::vector<objective> trainer<T, Backend>::in_own_graph(std::vector<objective> objectives, const graph& net) const {
  for (objective& each : objectives) each.output = net_.counterpart(each.output, net);
  return objectives;
}

template <std::floating_point T, backend Backend>
step_state trainer<T, Backend>::state_at(std::uint64_t step, double rate) const {
  return {.step = step,
          .learning_rate = scheduled_rate(optimiser_.schedule(), rate, step),
          .base_learning_rate = rate,
          .loss_scale = scales_losses(learning().made().precision) ? options_.scaling.first : 1};
}

template <std::floating_point T, backend Backend>
index_t trainer<T, Backend>::whole_batches(std::string_view op, const feed_of& batches) const {
  require<value_error>(batches.size() >= core_.batch_of_all(), op, ": data set has ", batches.size(),
                       " samples; must have at least a batch of ", core_.batch_of_all());
  return batches.size() / core_.batch_of_all();
}

template <std::floating_point T, backend Backend>
history trainer<T, Backend>::fit_batches(feed_of& batches, const fit_options& fitting, const watcher& watch) {
  gradient_exchange* const exchange = core_.exchange();
  if (exchange != nullptr)
    exchange->agree({{"number of samples", concat(batches.size())},
                     {"epochs", concat(fitting.epochs)},
                     {"steps done", concat(steps_done())},
                     {"progress callback", watch ? "set" : "not set"},
                     {"validation samples", fitting.validation == nullptr ? "0" : concat(fitting.validation->size())}});
  const index_t steps = whole_batches("fit", batches);
  std::optional<counted_feed> held_out;
  if (fitting.validation != nullptr) held_out.emplace(*this, *fitting.validation, fitting.data_threads);
  const std::uint64_t done = learning().state().step, per_epoch = static_cast<std::uint64_t>(steps);
  const int first = detail::epochs_finished(done, per_epoch, fitting.epochs), last = first + fitting.epochs;

  history result = history::with_room(fitting.epochs);
  detail::best_epoch best(fitting.least_gain);
  detail::training_driver<T, Backend> driver(core_, batches, fitting);
  std::optional<saved_regions<Backend>> kept;
  const scope_exit back([&] {
    if (kept) kept->restore();
  });
  bool goes_on = true;
  for (int epoch = first; epoch < last && goes_on; ++epoch) {
    driver.begin_epoch(options_.seed, static_cast<std::uint64_t>(epoch));
    double sum = 0;
    const index_t start = epoch == first ? static_cast<index_t>(done % per_epoch) : 0;
    for (index_t s = start; s < steps && goes_on;) {
      const index_t trained = driver.train(s, (std::min)(fitting.look_every, steps - s));
      for (index_t i = 0; i < trained; ++i, ++s) {
        sum += driver.loss(i);
        progress now{.epoch = epoch + 1, .epochs = last, .step = s + 1, .steps = steps};
        now.loss = sum / static_cast<double>(s + 1 - start);
        now.each = core_.judged();
        if (s + 1 == steps) end_epoch(now, fitting, held_out ? &held_out->batches() : nullptr, best, kept, result);
        goes_on = (!watch || watch(now)) && goes_on;
        if (watch && exchange != nullptr) goes_on = exchange->largest(goes_on ? 0 : 1) <= 0;
      }
      const bool ended = s == steps;
      goes_on = goes_on && !(ended && fitting.patience > 0 && best.since() >= fitting.patience);
      if (!goes_on) result.complete = ended && epoch + 1 == last;
    }
  }
  driver.finish();
  return result;
}

template <std::floating_point T, backend Backend>
void trainer<T, Backend>::end_epoch(progress& now, const fit_options& fitting, feed_of* held_out,
                                    detail::best_epoch& best, std::optional<saved_regions<Backend>>& kept,
                                    history& result) {
  result.loss.push_back(now.loss);
  if (held_out != nullptr) {
    now.validation = core_.judge(*held_out);
    result.validation_loss.push_back(now.validation->loss);
  }
  if (!best.judge(now.epoch, now.validation ? now.validation->loss : now.loss)) return;
  result.best_epoch = now.epoch;
  if (!fitting.best_checkpoint.empty()) save(fitting.best_checkpoint);
  if (!fitting.keep_best) return;
  if (kept) kept->save();
  else kept.emplace(learning().program(), std::initializer_list<memory_region>{memory_region::parameters});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
