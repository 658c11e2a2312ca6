// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <ridgepoint/core/backend.hpp>
#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/graph/layer.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {
/// One value of a graph: an input, or a layer applied to earlier values.
struct graph_node {
  std::string name;                // "dense_1"
  std::optional<any_layer> layer;  // none: an input
  std::vector<int> inputs;
  shape output;  // of one sample
};
struct graph_data {
  std::string name;
  std::vector<graph_node> nodes;
  std::map<std::string, int, std::less<>> count;  // layers so far, by kind
};

/// Throws: shape_error for a parameter of which no plan or checkpoint could hold a copy.
inline void check_size(std::string_view layer, const parameter& p) {
  index_t most = std::numeric_limits<index_t>::max() / 64;
  for (const index_t extent : p.extents) most /= std::max<index_t>(extent, 1);
  require<shape_error>(most > 0, layer, ": parameter ", p.name, " is ", p.extents, "; must have less than 2^57 values");
}
}  // namespace detail

/// A value in a graph. Copying it copies the reference, not the value; the graph's description lives as long as a node.
class node {
 public:
  node() = default;  // belongs to no graph: using it throws
  /// Extents of one sample.
  [[nodiscard]] shape extents() const { return at().output; }
  [[nodiscard]] std::string name() const { return at().name; }

 private:
  friend class graph;
  friend node apply(any_layer, std::span<const node>);
  node(std::shared_ptr<detail::graph_data> owner, int index) : owner_(std::move(owner)), index_(index) {}
  [[nodiscard]] const detail::graph_node& at() const {
    require<value_error>(owner_ != nullptr, "node: belongs to no graph; must come from input() or a layer");
    return owner_->nodes[static_cast<std::size_t>(index_)];
  }
  std::shared_ptr<detail::graph_data> owner_;
  int index_ = -1;
};

/// The value of `what` applied to nodes of one graph.
/// Throws: value_error for no nodes, a node of no graph, or nodes of different graphs; shape_error for a parameter
/// too large; what the layer throws.
node apply(any_layer what, std::span<const node> inputs);

#if RIDGEPOINT_DEFINES
RIDGEPOINT_DEFINITION node apply(any_layer what, std::span<const node> inputs) {
  require<value_error>(!inputs.empty(), what.name(), ": has no input; must have at least 1");
  std::vector<shape> shapes;
  detail::graph_node added{.name = {}, .layer = what, .inputs = {}, .output = {}};
  for (const node& in : inputs) {
    shapes.push_back(in.extents());
    require<value_error>(in.owner_ == inputs[0].owner_, what.name(), ": inputs ", inputs[0].name(), " of graph \"",
                         inputs[0].owner_->name, "\" and ", in.name(), " of graph \"", in.owner_->name,
                         "\"; must belong to one graph");
    added.inputs.push_back(in.index_);
  }
  added.output = what.output(shapes);
  for (const parameter& p : what.parameters(shapes)) detail::check_size(what.name(), p);
  detail::graph_data& data = *inputs[0].owner_;
  const std::string kind(what.name());
  added.name = concat(kind, '_', ++data.count[kind]);
  data.nodes.push_back(std::move(added));
  return node(inputs[0].owner_, static_cast<int>(data.nodes.size()) - 1);
}
#endif

namespace detail {
/// What a loss and an optimiser are told by: losses.hpp and optimisers.hpp say all that they must have.
template <class L>
concept judges = requires(const L& l, const shape& sample) {
  l.targets(sample);
};
template <class O>
concept updates = requires {
  O::moments;
};
/// What train() and compile() make of arguments that they refuse.
struct nothing {};
}  // namespace detail

/// x | layer: the layer applied to x.
template <class L>
[[nodiscard]] node operator|(const node& x, L what) {
  constexpr bool loss = detail::judges<L>, optimiser = detail::updates<L>, one = layer<L> && unary_layer<L>;
  static_assert(!loss, "a loss is no layer: give it to train()");
  static_assert(!optimiser, "an optimiser is no layer: give it to train()");
  static_assert(loss || optimiser || one,
                "not a layer of one input: must have a name, output(shape), forward() and backward()");
  if constexpr (one) return apply(any_layer(std::move(what)), std::span(&x, 1));
  else return x;
}

/// How a graph is compiled.
struct compile_options {
  index_t batch = 1;       // samples per step
  std::uint64_t seed = 0;  // of weights, shuffles and dropout
};

template <scalar T, backend Backend, class Loss, class Optimiser, class UserOps>
class trainer;
template <scalar T, backend Backend>
class session;
struct network_summary;

/// A network described as a directed acyclic graph of layers; compiled for a backend it runs or learns. A copy is the
/// same graph once more: what is added to one is in both.
///
/// Example:
///   rp::graph net("mlp");
///   auto logits = net.input({784}) | nn::dense{.units = 512} | nn::relu{} | nn::dense{.units = 10};
///   auto trainer = net.train<float>(rp::cpu{}, logits, nn::softmax_cross_entropy{}, nn::adam{}, {.batch = 128});
class graph {
 public:
  explicit graph(std::string name) : data_(std::make_shared<detail::graph_data>()) { data_->name = std::move(name); }
  [[nodiscard]] const std::string& name() const noexcept { return data_->name; }

  /// A value that is fed from outside; extents of one sample, without the batch.
  /// Throws: shape_error if an extent is 0 or there is no room for the batch.
  node input(const shape& sample) {
    require<shape_error>(sample.size() > 0 && sample.rank() < shape::max_rank, "input: sample is ", sample,
                         "; must have elements and at most ", shape::max_rank - 1, " extents");
    data_->nodes.push_back(
        {.name = concat("input_", ++data_->count["input"]), .layer = {}, .inputs = {}, .output = sample});
    return node(data_, static_cast<int>(data_->nodes.size()) - 1);
  }

  /// Makes `consumer` read `source` as its input number `input` from now on.
  /// Throws: value_error if a node is not of this graph, has no such input, or `source` comes after `consumer`, which
  /// would close a cycle; shape_error if the extents differ. The graph is then unchanged.
  void rewire(const node& consumer, std::size_t input, const node& source) {
    const int to = index_of(consumer), from = index_of(source);
    detail::graph_node& changed = data_->nodes[static_cast<std::size_t>(to)];
    require<value_error>(input < changed.inputs.size(), "rewire: input of ", changed.name, " is ", input,
                         "; must be < ", changed.inputs.size());
    const shape& before = data_->nodes[static_cast<std::size_t>(changed.inputs[input])].output;
    require<shape_error>(source.extents() == before, "rewire: ", source.name(), " is ", source.extents(), "; input ",
                         input, " of ", changed.name, " must be ", before);
    require<value_error>(!reaches(from, to), "rewire: ", source.name(), " depends on ", changed.name,
                         "; must not close a cycle");
    changed.inputs[input] = from;
  }

  /// Position of a node of this graph among nodes().
  /// Throws: value_error if it belongs to another graph or to none.
  [[nodiscard]] int index_of(const node& n) const {
    require<value_error>(n.owner_ != nullptr, "graph \"", name(),
                         "\": node belongs to no graph; must come from its input() or layers");
    require<value_error>(n.owner_ == data_, "graph \"", name(), "\": node ", n.name(), " belongs to graph \"",
                         n.owner_->name, "\"; must be its own");
    return n.index_;
  }
  [[nodiscard]] const std::vector<detail::graph_node>& nodes() const noexcept { return data_->nodes; }
  /// The parameters of one of them.
  [[nodiscard]] std::vector<parameter> parameters_of(const detail::graph_node& n) const {
    if (!n.layer) return {};
    std::vector<shape> samples;
    for (const int in : n.inputs) samples.push_back(nodes()[static_cast<std::size_t>(in)].output);
    return n.layer->parameters(samples);
  }

  /// Layers, output shapes, parameters, FLOP of a sample, and the memory of a plan that infers: graph/summary.hpp.
  /// Throws: as plan_inference().
  /// Example:
  ///   std::cout << net.summary(logits, {.batch = 128});
  template <scalar T = float>
  [[nodiscard]] network_summary summary(const node& output, compile_options options = {}) const;
  /// The same with the memory and the work of a plan that learns.
  /// Example:
  ///   std::cout << net.summary(logits, nn::softmax_cross_entropy{}, nn::adam{}, {.batch = 128});
  template <scalar T = float, class Loss, class Optimiser>
  [[nodiscard]] network_summary summary(const node& output, const Loss& loss, const Optimiser& optimiser,
                                        compile_options options = {}) const;

  /// A session<T, Backend>: gives what the node `output` is for an input. Weights start from the seed; load() takes
  /// trained ones. UserOps: type_list of argument types of ops that are not in all_ops.
  /// Throws: value_error for a node of another graph or a batch < 1; unsupported if the backend lacks an op.
  template <class T, class Backend, class Output = compile_options, class UserOps = type_list<>>
  [[nodiscard]] auto compile(const Backend& on, const Output& output, compile_options options = {}, UserOps = {}) const;

  /// A trainer<T, Backend, Loss, Optimiser, UserOps>: forward, loss, backward and update as one step.
  /// Throws: as compile(); value_error for a hyper-parameter out of its domain or a network without parameters.
  template <class T, class Backend, class Output, class Loss, class Optimiser = compile_options,
            class UserOps = type_list<>>
  [[nodiscard]] auto train(const Backend& on, const Output& output, Loss loss, Optimiser optimiser,
                           compile_options options = {}, UserOps = {}) const;

 private:
  template <scalar T, backend Backend, class Loss, class Optimiser, class UserOps>
  friend class trainer;

  /// Whether `start` is `goal` or depends on it.
  [[nodiscard]] bool reaches(int start, int goal) const {
    std::vector<bool> seen(nodes().size());  // a value may be read along 2^n paths
    std::vector<int> open = {start};
    while (!open.empty()) {
      const int v = open.back();
      open.pop_back();
      if (v == goal) return true;
      if (seen[static_cast<std::size_t>(v)]) continue;
      seen[static_cast<std::size_t>(v)] = true;
      const std::vector<int>& inputs = nodes()[static_cast<std::size_t>(v)].inputs;
      open.insert(open.end(), inputs.begin(), inputs.end());
    }
    return false;
  }
  /// A graph of the same nodes, at the same positions, that no change to this one reaches.
  [[nodiscard]] graph separate() const {
    graph copy(name());
    *copy.data_ = *data_;
    return copy;
  }
  /// This graph's node at the position of `n` in another; `n` is of that one.
  [[nodiscard]] node counterpart(const node& n, const graph& other) const { return node(data_, other.index_of(n)); }

  std::shared_ptr<detail::graph_data> data_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
