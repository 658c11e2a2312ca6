// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <map>

#include <ridgepoint/graph/compiled.hpp>
#include <ridgepoint/graph/graph.hpp>
#include <ridgepoint/graph/optimisers.hpp>
#include <ridgepoint/graph/plan_builder.hpp>
#include <ridgepoint/ops/add.hpp>
#include <ridgepoint/ops/embedding_rows.hpp>
#include <ridgepoint/ops/sum_of_squares.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// The parameters of a plan in construction, by the node that owns them: memory, gradients, and the time and rule of
/// each update.
///
/// If several backward passes produce a gradient for one parameter, the first writes it and the others add to it in
/// order. The update follows the last pass. The gradient of a looked-up parameter is a list of rows: the lists of
/// several passes are adjacent in memory and are merged as if all their rows had been looked up at once.
class parameter_store {
 public:
  parameter_store(lowering_context& context, const compile_options& options)
      : context_(context), options_(options), named_(options.groups.size()) {}

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
  /// Announces `passes` more backward passes with a gradient for them, each of `rows` rows if they are looked up.
  void expect(int home, index_t passes, index_t rows) {
    const auto found = kept_.find(home);
    if (found == kept_.end()) return;
    found->second.passes += passes;
    found->second.listed = checked_add(found->second.listed, checked_mul(passes, rows));
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
    for (std::size_t p = 0; p < k.latest.size(); ++p)
      if (k.sizes[p] > 0 && k.latest[p] != k.gradients[p]) add_up(k, p);
    if (--k.passes == 0) learn(k);
  }
  /// Emits the updates that depend on Σ g² of all gradients.
  void update_the_rest() {
    for (std::size_t w = 0; w < waiting_.size(); ++w) {
      const auto& [k, r] = waiting_[w];
      const slot g = gradient_of(*k, *r);
      const index_t size = k->is_looked_up() ? k->listed * k->columns : r->count;
      builder().add_call({.layer = k->layer, .pass = pass::update, .shape = concat(size)},
                         [g, size, accumulate = w > 0, state = context_.state](const addresses& at) {
                           return sum_of_squares_args<stored>{
                               .size = size, .x = at(g), .accumulate = accumulate, .state = at(state)};
                         });
    }
    for (const auto& [k, r] : waiting_) update(*k, *r);
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
  struct kept {
    std::string layer;
    element read = element::f32;
    std::size_t block = 0, first = 0;  // among all blocks, and among the parameters of all
    std::vector<slot> parameters, gradients, latest;
    std::vector<index_t> sizes;  // 0 if not trainable
    std::vector<bool> frozen;
    index_t columns = 0;          // of the rows of a looked-up parameter
    index_t listed = 0;           // rows that all passes look up
    row_list all = {}, one = {};  // of all passes, adjacent; and merged
    index_t filled = 0;           // entries written by passes so far
    std::vector<run> runs;        // of the trainable ones
    index_t passes = 0;           // backward passes to come
    bool written = false;         // whether gradients holds values already
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
    if (k.learns() && !std::exchange(k.written, true)) return k.latest;
    for (std::size_t p = 0; p < k.latest.size(); ++p)
      if (k.sizes[p] > 0)
        k.latest[p] = builder().reserve(memory_region::arena, k.read, k.sizes[p], k.layer + ".gradient");
    return k.latest;
  }
  [[nodiscard]] row_list reserve_list(const kept& k, const std::string& name) {
    const index_t values = checked_mul(k.listed, k.columns);
    return {builder().reserve(memory_region::gradients, element::i32, k.listed, name + ".rows"),
            builder().reserve(memory_region::gradients, k.read, values, name)};
  }
  /// Returns the list of a pass that looks up `rows` rows: the only one, or the next part of the combined list.
  [[nodiscard]] gradient_slots next_list(kept& k, index_t rows) {
    const std::string name = k.layer + ".gradient";
    if (!k.one.rows.exists()) {
      k.one = reserve_list(k, name);
      if (rows < k.listed) k.all = reserve_list(k, name + "s");
      planned_parameter& p = all_[k.first];
      p.gradient = blocks_[k.block].gradient = k.one.sums, p.gradient_rows = k.one.rows;
    }
    if (!k.all.rows.exists()) return {{k.one.sums}, {k.one.rows}};
    const index_t from = std::exchange(k.filled, k.filled + rows);
    return {{builder().part(k.all.sums, from * k.columns, rows * k.columns, name)},
            {builder().part(k.all.rows, from, rows, name + ".rows")}};
  }
  /// Merges the lists of all passes into one.
  void join_lists(const kept& k) {
    if (!k.all.rows.exists()) return;
    const index_t vocabulary = blocks_[k.block].size / k.columns;
    builder().add_call({.layer = k.layer,
                        .pass = pass::backward_weights,
                        .shape = concat(k.listed, " of ", vocabulary, 'x', k.columns)},
                       [=, all = k.all, one = k.one, listed = k.listed, columns = k.columns](const addresses& at) {
                         return embedding_rows_args<stored>{.tokens = listed,
                                                            .vocabulary = vocabulary,
                                                            .width = columns,
                                                            .ids = at(all.rows),
                                                            .dy = at(all.sums),
                                                            .rows = at(one.rows),
                                                            .sums = at(one.sums)};
                       });
  }

  void add_up(const kept& k, std::size_t p) {
    builder().add_call({.layer = k.layer, .pass = pass::backward_weights, .shape = concat(k.sizes[p])},
                       [size = k.sizes[p], sum = k.gradients[p], more = k.latest[p]](const addresses& at) {
                         return add_args<stored>{.size = size, .a = at(sum), .b = at(more), .y = at(sum)};
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
    for (run& r : k.runs)
      if (!exactly(options_.clip_norm, 0) || context_.scale_state.exists()) waiting_.emplace_back(&k, &r);
      else update(k, r);
  }
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
        .listed = k.listed,
        .columns = k.columns});
    if (block.rounded.exists())
      emit_conversion(builder(), part_of(k, r, block.values, ""), part_of(k, r, block.rounded, ".rounded"),
                      {.layer = k.layer, .pass = pass::update});
  }

  lowering_context& context_;
  const compile_options& options_;
  const any_optimiser* optimiser_ = nullptr;
  std::map<int, kept> kept_;
  std::vector<std::pair<const kept*, run*>> waiting_;
  std::vector<planned_parameter> all_;
  std::vector<planned_block> blocks_;
  std::vector<bool> named_;  // whether a group names a parameter
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
