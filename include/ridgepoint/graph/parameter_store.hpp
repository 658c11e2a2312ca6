// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <map>

#include <ridgepoint/distributed/distributed.hpp>
#include <ridgepoint/graph/compiled.hpp>
#include <ridgepoint/graph/graph.hpp>
#include <ridgepoint/graph/optimisers.hpp>
#include <ridgepoint/graph/plan_builder.hpp>
#include <ridgepoint/ops/add.hpp>
#include <ridgepoint/ops/embedding_rows.hpp>
#include <ridgepoint/ops/sum_of_squares.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Emits the copy of `count` values of every rank into `all`.
template <class T>
void emit_gather(plan_builder& builder, gradient_exchange& with, slot own, slot all, index_t count,
                 const std::string& layer, pass which) {
  builder.add_call({.layer = layer, .pass = which, .shape = concat(with.size(), 'x', count)},
                   [=, ranks = with.size(), exchange = &with](const addresses& at) {
                     return gather_args<T>{
                         .size = count, .ranks = ranks, .own = at(own), .all = at(all), .with = exchange};
                   });
}

/// The parameters of a plan in construction, by the node that owns them: memory, gradients, and the time and rule of
/// each update.
///
/// If several backward passes of one micro-batch produce a gradient for one parameter, the first writes it and the
/// others add to it in order. The gradients of micro-batches are summed as a balanced tree, neighbours first: (0 + 1) +
/// (2 + 3). A communicator continues this tree over the ranks. The update follows the last pass. The gradient of a
/// looked-up parameter is a list of rows: the lists of several passes, and then of all ranks, are adjacent in memory
/// and are merged as if all their rows had been looked up at once.
///
/// With an exchange, gradients that are adjacent in memory are summed over the ranks together, up to about 4 MB, as
/// soon as they are ready; the updates follow at the end.
class parameter_store {
 public:
  parameter_store(lowering_context& context, const compile_options& options)
      : context_(context), options_(options), exchange_(options.exchange.get()), named_(options.groups.size()) {}

  /// Returns the slots of these parameters; the same ones for the same `home`. Ops read them as values of type `read`.
  [[nodiscard]] std::vector<slot> reserve(int home, const std::string& layer, const std::vector<parameter>& specs,
                                          element read) {
    if (const auto found = kept_.find(home); found != kept_.end()) return found->second.parameters;
    kept& k = kept_[home];
    k.layer = layer;
    k.read = read;
    k.first = all_.size();
    planned_block block{.layer = layer};
    for (const parameter& p : specs)
      if (p.trainable) {
        add_to_runs(k, concat(layer, '.', p.name), block.size, p.extents.size());
        block.size = checked_add(block.size, p.extents.size());
      }
    block.values = builder().reserve(memory_region::parameters, context_.master, block.size, layer);
    if (read != context_.master && block.size > 0) {
      block.rounded = builder().reserve(memory_region::parameters, read, block.size, layer + ".rounded");
      emit_conversion(builder(), block.values, block.rounded, {.layer = layer}, when::parameters_change);
    }
    for (const parameter& p : specs) {
      if (p.looked_up == 0) continue;
      require<value_error>(specs.size() == 1 && p.trainable && p.extents.rank() > 1, layer, '.', p.name,
                           ": is looked up; must be its layer's only parameter, trainable, of rank > 1");
      k.columns = p.extents.size() / p.extents[0];
    }
    if (k.learns() && !k.is_looked_up())
      block.gradient = builder().reserve(memory_region::gradients, read, block.size, layer + ".gradient");
    index_t first = 0;
    for (const parameter& p : specs) {
      const index_t count = p.extents.size();
      const std::string name = concat(layer, '.', p.name);
      const slot values = p.trainable ? builder().part(block.values, first, count, name)
                                      : builder().reserve(memory_region::parameters, read, count, name);
      k.parameters.push_back(p.trainable && block.rounded.exists()
                                 ? builder().part(block.rounded, first, count, name + ".rounded")
                                 : values);
      k.gradients.push_back(block.gradient.exists() && p.trainable
                                ? builder().part(block.gradient, first, count, name + ".gradient")
                                : slot{});
      k.sizes.push_back(p.trainable ? count : 0);
      note_groups(name, p);
      k.frozen.push_back(is_frozen(group_of(name)));
      all_.push_back({name, p, values, k.gradients.back()});
      first += k.sizes.back();
    }
    if (block.size == 0) return k.parameters;
    k.block = blocks_.size();
    blocks_.push_back(block);
    return k.parameters;
  }
  /// Returns, for each parameter of this node, trainable or not, whether a frozen group names it.
  [[nodiscard]] const std::vector<bool>& frozen(int home) const { return kept_.at(home).frozen; }
  /// Returns true if this node has parameters to train.
  [[nodiscard]] bool learns(int home) const {
    const auto found = kept_.find(home);
    return found != kept_.end() && found->second.learns();
  }
  /// Announces one more backward pass per micro-batch with a gradient for them, of `rows` rows if they are looked up.
  void expect(int home, index_t micro_batches, index_t rows) {
    const auto found = kept_.find(home);
    if (found == kept_.end()) return;
    found->second.uses += 1;
    found->second.passes += micro_batches;
    found->second.listed = checked_add(found->second.listed, checked_mul(micro_batches, rows));
  }

  /// Throws: value_error if there is nothing to train, a group names nothing trainable, or an option is out of its
  /// domain.
  void set_optimiser(const any_optimiser& optimiser) {
    optimiser_ = &optimiser;
    const auto any = [](const auto& each) { return each.second.learns(); };
    require<value_error>(!blocks_.empty(), "train: the output depends on no parameter; must depend on at least 1");
    require<value_error>(std::any_of(kept_.begin(), kept_.end(), any),
                         "train: all parameters are frozen; must learn at least 1");
    for (std::size_t g = 0; g < named_.size(); ++g) {
      require<value_error>(named_[g], "train: group \"", options_.groups[g].names,
                           "\" names no trainable parameter; must name one");
      check(rule_of(static_cast<int>(g)), "train");
    }
    check(rule_of(-1), "train");
  }

  /// Gradients of a layer's parameters, and their rows if they are lists.
  struct gradient_slots {
    std::vector<slot> values, rows;
  };
  /// Returns the slots that the next backward pass, which looks up `rows` rows, writes its gradients to; no slot for
  /// parameters without a gradient.
  [[nodiscard]] gradient_slots gradients(int home, index_t rows) {
    const auto found = kept_.find(home);
    if (found == kept_.end()) return {};
    kept& k = found->second;
    if (k.learns() && k.is_looked_up()) return next_list(k, rows);
    return {dense_gradients(k), {}};
  }
  /// Call after that pass, whose calls begin with number `first_call`: removes gradients that are not needed,
  /// accumulates, and emits the update after the last pass.
  void used(int home, std::size_t first_call) {
    const auto found = kept_.find(home);
    if (found == kept_.end()) return;
    kept& k = found->second;
    if (!k.learns()) return builder().drop_calls(first_call, k.latest);
    if (k.is_looked_up()) {
      if (--k.passes == 0) join_lists(k), learn(k);
      return;
    }
    add_pass(k);
    if (--k.passes == 0) learn(k);
  }
  /// Emits the updates that depend on other ranks, or on Σ g² of all gradients.
  void update_the_rest() {
    start_sum();
    for (std::size_t w = 0; w < waiting_.size() && needs_squares(); ++w) {
      const auto& [k, r] = waiting_[w];
      finish_sums(*k);
      const slot g = gradient_of(*k, *r);
      const index_t size = k->is_looked_up() ? listed_by_all(*k) * k->columns : r->count;
      builder().add_call({.layer = k->layer, .pass = pass::update, .shape = concat(size)},
                         [g, size, accumulate = w > 0, state = context_.state](const addresses& at) {
                           return sum_of_squares_args<stored>{
                               .size = size, .x = at(g), .accumulate = accumulate, .state = at(state)};
                         });
    }
    for (const auto& [k, r] : waiting_) {
      finish_sums(*k);
      update(*k, *r);
    }
  }

  [[nodiscard]] const std::vector<planned_parameter>& all() const noexcept { return all_; }
  [[nodiscard]] const std::vector<planned_block>& blocks() const noexcept { return blocks_; }

 private:
  /// Consecutive trainable parameters of a block with the same training settings.
  struct run {
    index_t first, count;
    int group;  // -1: none
    std::string name;
    slot gradient = {};  // type as the update reads it
  };
  /// The gradient of a looked-up parameter.
  struct row_list {
    slot rows = {}, sums = {};
  };
  /// The sum of the gradients of some micro-batches, by parameter.
  struct partial_sum {
    std::vector<slot> values;
    index_t micro_batches;
  };
  struct kept {
    std::string layer;
    element read = element::f32;
    std::size_t block = 0, first = 0;  // among all blocks, and among the parameters of all
    std::vector<slot> parameters, gradients, latest;
    std::vector<index_t> sizes;  // 0 if not trainable
    std::vector<bool> frozen;
    index_t columns = 0;                // of the rows of a looked-up parameter
    index_t listed = 0;                 // rows that all passes of this rank look up
    row_list own = {};                  // of all passes of this rank, adjacent
    row_list all = {}, one = {};        // of all ranks, adjacent; and merged
    index_t filled = 0;                 // entries written by passes so far
    std::vector<run> runs;              // of the trainable ones
    index_t uses = 0;                   // backward passes of one micro-batch
    index_t passes = 0;                 // backward passes to come
    index_t used = 0;                   // of the current micro-batch
    std::vector<partial_sum> partials;  // with ever fewer micro-batches
    std::size_t summed_with = 0;        // number of the sum over ranks that holds their gradients
    [[nodiscard]] bool learns() const noexcept { return !runs.empty(); }
    [[nodiscard]] bool is_looked_up() const noexcept { return columns > 0; }
  };

  [[nodiscard]] plan_builder& builder() const noexcept { return *context_.builder; }

  /// Records which groups name a parameter. A group that is not frozen must name a trainable one.
  void note_groups(const std::string& name, const parameter& p) {
    for (std::size_t g = 0; g < named_.size(); ++g)
      if ((p.trainable || options_.groups[g].frozen) && matches(options_.groups[g].names, name)) named_[g] = true;
  }
  /// Returns the first group that names a parameter; -1: none.
  [[nodiscard]] int group_of(const std::string& name) const {
    const auto names = [&](const parameter_group& g) { return matches(g.names, name); };
    const auto first = std::ranges::find_if(options_.groups, names);
    return first == options_.groups.end() ? -1 : static_cast<int>(first - options_.groups.begin());
  }
  [[nodiscard]] bool is_frozen(int group) const {
    return group >= 0 && options_.groups[static_cast<std::size_t>(group)].frozen;
  }
  void add_to_runs(kept& k, const std::string& name, index_t first, index_t count) {
    const int group = group_of(name);
    if (!context_.training || is_frozen(group)) return;
    const bool goes_on =
        !k.runs.empty() && k.runs.back().group == group && k.runs.back().first + k.runs.back().count == first;
    if (goes_on) k.runs.back().count += count;
    else k.runs.push_back({.first = first, .count = count, .group = group, .name = name});
  }
  [[nodiscard]] update_rule rule_of(int group) const {
    const parameter_group none, &g = group < 0 ? none : options_.groups[static_cast<std::size_t>(group)];
    update_rule rule = optimiser_->rule(g.weight_decay);
    rule.rate_factor = g.rate_factor;
    rule.clip_value = options_.clip_value;
    rule.clip_norm = options_.clip_norm;
    rule.skips_non_finite = context_.scale_state.exists();
    return rule;
  }

  [[nodiscard]] std::vector<slot> dense_gradients(kept& k) {
    k.latest = k.gradients;
    if (k.learns() && k.partials.empty()) return k.latest;
    for (std::size_t p = 0; p < k.latest.size(); ++p)
      if (k.sizes[p] > 0)
        k.latest[p] = builder().reserve(memory_region::arena, k.read, k.sizes[p], k.layer + ".gradient");
    return k.latest;
  }
  [[nodiscard]] index_t listed_by_all(const kept& k) const {
    return exchange_ == nullptr ? k.listed : checked_mul(k.listed, exchange_->size());
  }
  [[nodiscard]] row_list reserve_list(const kept& k, index_t listed, const std::string& name) {
    const index_t values = checked_mul(listed, k.columns);
    return {builder().reserve(memory_region::gradients, element::i32, listed, name + ".rows"),
            builder().reserve(memory_region::gradients, k.read, values, name)};
  }
  /// Returns the list of a pass that looks up `rows` rows: the only one, or the next part of the combined list.
  [[nodiscard]] gradient_slots next_list(kept& k, index_t rows) {
    const std::string name = k.layer + ".gradient";
    if (!k.one.rows.exists()) {
      k.one = reserve_list(k, listed_by_all(k), name);
      if (exchange_ != nullptr || rows < k.listed) k.own = k.all = reserve_list(k, k.listed, name + "s");
      if (exchange_ != nullptr) k.all = reserve_list(k, listed_by_all(k), name + "s.all");
      planned_parameter& p = all_[k.first];
      p.gradient = blocks_[k.block].gradient = k.one.sums, p.gradient_rows = k.one.rows;
    }
    if (!k.own.rows.exists()) return {{k.one.sums}, {k.one.rows}};
    const index_t from = std::exchange(k.filled, k.filled + rows);
    return {{builder().part(k.own.sums, from * k.columns, rows * k.columns, name)},
            {builder().part(k.own.rows, from, rows, name + ".rows")}};
  }
  /// Merges the lists of all passes, of all ranks, into one.
  void join_lists(const kept& k) {
    if (!k.all.rows.exists()) return;
    const index_t vocabulary = blocks_[k.block].size / k.columns, all_listed = listed_by_all(k);
    if (exchange_ != nullptr) {
      emit_gather<std::int32_t>(builder(), *exchange_, k.own.rows, k.all.rows, k.listed, k.layer,
                                pass::backward_weights);
      emit_gather<stored>(builder(), *exchange_, k.own.sums, k.all.sums, k.listed * k.columns, k.layer,
                          pass::backward_weights);
    }
    builder().add_call({.layer = k.layer,
                        .pass = pass::backward_weights,
                        .shape = concat(all_listed, " of ", vocabulary, 'x', k.columns)},
                       [=, all = k.all, one = k.one, listed = all_listed, columns = k.columns](const addresses& at) {
                         return embedding_rows_args<stored>{.tokens = listed,
                                                            .vocabulary = vocabulary,
                                                            .width = columns,
                                                            .ids = at(all.rows),
                                                            .dy = at(all.sums),
                                                            .rows = at(one.rows),
                                                            .sums = at(one.sums)};
                       });
  }

  /// Adds the gradient of the latest pass to the sums so far.
  void add_pass(kept& k) {
    if (k.used == 0) k.partials.push_back({k.latest, 1});
    else add_up(k, k.partials.back().values, k.latest);
    if (++k.used < k.uses) return;
    k.used = 0;
    const auto joins = [&] {
      const std::size_t count = k.partials.size();
      return count > 1 && (k.passes == 1 || k.partials[count - 2].micro_batches == k.partials[count - 1].micro_batches);
    };
    while (joins()) {
      const partial_sum later = std::move(k.partials.back());
      k.partials.pop_back();
      add_up(k, k.partials.back().values, later.values);
      k.partials.back().micro_batches += later.micro_batches;
    }
  }
  void add_up(const kept& k, std::span<const slot> sums, std::span<const slot> more) {
    for (std::size_t p = 0; p < sums.size(); ++p) {
      if (k.sizes[p] == 0) continue;
      builder().add_call({.layer = k.layer, .pass = pass::backward_weights, .shape = concat(k.sizes[p])},
                         [size = k.sizes[p], sum = sums[p], other = more[p]](const addresses& at) {
                           return add_args<stored>{.size = size, .a = at(sum), .b = at(other), .y = at(sum)};
                         });
    }
  }

  /// Adds the gradients of a layer to those that are summed over the ranks next.
  void sum_over_ranks(kept& k) {
    const slot gradient = blocks_[k.block].gradient;
    const bool fits = to_sum_.exists() && builder().bytes(to_sum_) + builder().bytes(gradient) <= most_summed_bytes;
    if (fits && builder().adjacent(gradient, to_sum_)) to_sum_ = builder().joined(gradient, to_sum_, "gradients");
    else if (fits && builder().adjacent(to_sum_, gradient)) to_sum_ = builder().joined(to_sum_, gradient, "gradients");
    else start_sum(), to_sum_ = gradient;
    k.summed_with = sums_.size();
  }
  /// Emits the start of the next sum over the ranks.
  void start_sum() {
    if (!to_sum_.exists()) return;
    sums_.push_back(std::exchange(to_sum_, {}));
    emit_sum<start_sum_args>(sums_.back(), pass::backward_weights);
  }
  /// Emits the end of all sums up to that of the gradients of a layer.
  void finish_sums(const kept& k) {
    if (exchange_ == nullptr || k.is_looked_up()) return;
    for (; finished_ <= k.summed_with; ++finished_) emit_sum<finish_sum_args>(sums_[finished_], pass::update);
  }
  template <template <class> class Args>
  void emit_sum(slot values, pass which) {
    const auto size = static_cast<index_t>(builder().bytes(values) / bytes_of(builder().type(values)));
    builder().add_call({.layer = "gradients", .pass = which, .shape = concat(size)},
                       [size, values, with = exchange_](const addresses& at) {
                         return Args<stored>{.size = size, .values = at(values), .with = with};
                       });
  }
  void learn(kept& k) {
    planned_block& block = blocks_[k.block];
    for (std::size_t m = 0; m < optimiser_->moments().size(); ++m) {
      const moment& of = optimiser_->moments()[m];
      block.moments[m] =
          builder().reserve(memory_region::moments, context_.master, block.size, concat(k.layer, '.', of.name));
      block.are_squares[m] = of.is_square;
    }
    if (exchange_ != nullptr && !k.is_looked_up()) sum_over_ranks(k);
    for (run& r : k.runs)
      if (exchange_ != nullptr || needs_squares()) waiting_.emplace_back(&k, &r);
      else update(k, r);
  }
  /// Returns true if updates depend on Σ g² of all gradients.
  [[nodiscard]] bool needs_squares() const { return !exactly(options_.clip_norm, 0) || context_.scale_state.exists(); }
  /// Returns the part of a slot of the whole block that belongs to a run.
  [[nodiscard]] slot part_of(const kept& k, const run& r, slot whole, std::string_view suffix) {
    if (!whole.exists() || r.count == blocks_[k.block].size) return whole;
    return builder().part(whole, r.first, r.count, concat(r.name, suffix));
  }
  [[nodiscard]] slot gradient_of(const kept& k, run& r) {
    if (!r.gradient.exists())
      r.gradient = converted(builder(), part_of(k, r, blocks_[k.block].gradient, ".gradient"), context_.master,
                             {.layer = k.layer, .pass = pass::update}, context_.scale_state);
    return r.gradient;
  }
  void update(const kept& k, run& r) {
    const planned_block& block = blocks_[k.block];
    optimiser_->lower(update_slots{
        .builder = &builder(),
        .layer = k.layer,
        .size = r.count,
        .weights = part_of(k, r, block.values, ""),
        .gradient = gradient_of(k, r),
        .moments = {part_of(k, r, block.moments[0], ".moment"), part_of(k, r, block.moments[1], ".moment")},
        .state = context_.state,
        .rule = rule_of(r.group),
        .rows = k.one.rows,
        .listed = listed_by_all(k),
        .columns = k.columns});
    if (block.rounded.exists())
      emit_conversion(builder(), part_of(k, r, block.values, ""), part_of(k, r, block.rounded, ".rounded"),
                      {.layer = k.layer, .pass = pass::update});
  }

  static constexpr std::size_t most_summed_bytes = std::size_t{4} << 20;  // over ranks together

  lowering_context& context_;
  const compile_options& options_;
  gradient_exchange* exchange_;  // null: one rank
  const any_optimiser* optimiser_ = nullptr;
  std::map<int, kept> kept_;
  std::vector<std::pair<const kept*, run*>> waiting_;
  std::vector<planned_parameter> all_;
  std::vector<planned_block> blocks_;
  std::vector<bool> named_;  // whether a group names a parameter
  slot to_sum_ = {};         // gradients of the next sum over the ranks
  std::vector<slot> sums_;   // started
  std::size_t finished_ = 0;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
