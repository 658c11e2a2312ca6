// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ridgepoint/core/backend.hpp>
#include <ridgepoint/core/config.hpp>
#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/graph/compiled.hpp>
#include <ridgepoint/graph/layer.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Training settings for parameters selected by name ("dense_1.w"). If several groups match a parameter, the first
/// applies.
/// Example:
///   {.groups = {{.names = "conv2d_1.*", .frozen = true}, {.names = "*.b", .weight_decay = 0.0}}}
struct parameter_group {
  std::string names;       // * matches any text: "dense_1.w", "conv2d_1.*", "*.b"
  bool frozen = false;     // unchanged, moving statistics too; no gradient if all of a layer are frozen
  double rate_factor = 1;  // multiplies the learning rate
  std::optional<double> weight_decay = {};  // instead of the optimiser's
};

namespace detail {

/// Returns true if `name` matches the pattern, where * matches any text.
[[nodiscard]] constexpr bool matches(std::string_view pattern, std::string_view name) noexcept {
  std::size_t p = 0, n = 0, star = pattern.npos, tail = 0;  // the last *, and the end of its text so far
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') star = p++, tail = n;
    else if (p < pattern.size() && pattern[p] == name[n]) ++p, ++n;
    else if (star != pattern.npos) p = star + 1, n = ++tail;
    else return false;
  }
  return pattern.find_first_not_of('*', p) == pattern.npos;
}

/// One value of a graph: an input, or a layer applied to earlier values.
struct graph_node {
  std::string name;                // "dense_1"
  std::optional<any_layer> layer;  // none: an input
  std::vector<int> inputs;
  shape output;                          // of one sample
  element type = element::stored;        // element::stored: the network's numbers; otherwise the type of an input
  int home = -1;                         // the earlier node whose parameters it shares
  std::shared_ptr<const void> key = {};  // equal for the nodes of a shared layer
};
struct graph_data {
  std::string name;
  std::vector<graph_node> nodes;
  std::vector<std::pair<std::string, int>> count;  // layers so far, by kind
};

/// Returns "dense_1" for the first layer of this kind, "dense_2" for the next.
[[nodiscard]] inline std::string next_name(graph_data& data, std::string_view kind) {
  for (auto& [counted, layers] : data.count)
    if (counted == kind) return concat(kind, '_', ++layers);
  data.count.emplace_back(kind, 1);
  return concat(kind, "_1");
}
/// Returns the parameters of one node of a graph.
[[nodiscard]] inline std::vector<parameter> parameters_at(const graph_data& data, const graph_node& n) {
  if (!n.layer) return {};
  std::vector<shape> samples;
  for (const int in : n.inputs) samples.push_back(data.nodes[static_cast<std::size_t>(in)].output);
  return n.layer->parameters(samples);
}
/// Throws: value_error unless a node has the type that its reader takes.
inline void check_type(std::string_view reader, const graph_node& read, element wanted) {
  const auto say = [](element type) { return type == element::stored ? "numbers" : to_string(type); };
  require<value_error>(read.type == wanted, reader, ": ", read.name, " is of ", say(read.type), "; must be of ",
                       say(wanted), wanted == element::stored ? "" : ": net.input(shape, rp::element::i32)");
}
}  // namespace detail

/// A value in a graph. Copying it copies the reference; the graph's description lives as long as its nodes.
class node {
 public:
  node() = default;  // belongs to no graph: using it throws
  /// Extents of one sample.
  [[nodiscard]] shape extents() const { return at().output; }
  [[nodiscard]] std::string name() const { return at().name; }

 private:
  friend class graph;
  friend node apply(any_layer, std::span<const node>, std::shared_ptr<const void>);
  node(std::shared_ptr<detail::graph_data> owner, int index) : owner_(std::move(owner)), index_(index) {}
  [[nodiscard]] const detail::graph_node& at() const {
    require<value_error>(owner_ != nullptr, "node: belongs to no graph; must come from input() or a layer");
    return owner_->nodes[static_cast<std::size_t>(index_)];
  }
  std::shared_ptr<detail::graph_data> owner_;
  int index_ = -1;
};

/// Applies `what` to nodes of one graph. With a `key`, it shares the parameters of the first node with that key.
/// Throws: value_error for no nodes, a node of no graph, nodes of different graphs, ids in place of numbers, or numbers
/// in place of ids; shape_error for a parameter too large or shared parameters of different extents; any exception of
/// the layer.
node apply(any_layer what, std::span<const node> inputs, std::shared_ptr<const void> key = nullptr);

namespace detail {
/// Recognises losses and optimisers; the full concepts are in losses.hpp and optimisers.hpp.
template <class L>
concept judges = requires(const L& l, const shape& sample) {
  l.targets(sample);
};
template <class O>
concept updates = requires {
  O::moments;
};
/// Return type of train() and compile() for rejected arguments.
struct nothing {};
}  // namespace detail

/// x | layer: applies the layer to x.
template <class L>
[[nodiscard]] node operator|(const node& x, L what) {
  constexpr bool loss = detail::judges<L>, optimiser = detail::updates<L>, one = layer<L> && unary_layer<L>;
  static_assert(!loss, "a loss is not a layer: pass it to train()");
  static_assert(!optimiser, "an optimiser is not a layer: pass it to train()");
  static_assert(loss || optimiser || one,
                "not a layer of one input: must have a name, output(shape), forward() and backward()");
  if constexpr (one) return apply(any_layer(std::move(what)), std::span(&x, 1));
  else return x;
}

/// A layer that shares its parameters between applications. Created by shared().
class shared_layer {
 public:
  explicit shared_layer(any_layer what) : what_(std::move(what)) {}
  friend node operator|(const node& x, const shared_layer& l) { return apply(l.what_, std::span(&x, 1), l.key_); }

 private:
  any_layer what_;
  std::shared_ptr<const void> key_ = std::make_shared<char>();
};

/// Creates a layer to apply several times with one set of parameters: their gradients are added up in a fixed order,
/// and they are updated once a step. They are named after the first node: "dense_1.w".
/// Example:
///   const auto encoder = rp::shared(nn::dense{.units = 64});
///   const rp::node same = rp::add(left | encoder, right | encoder);
template <layer L>
[[nodiscard]] shared_layer shared(L what) {
  return shared_layer(any_layer(std::move(what)));
}

class gradient_exchange;

/// Options of compiling a graph.
struct compile_options {
  index_t batch = 1;                                       // samples per step
  std::uint64_t seed = 0;                                  // of weights, shuffles and dropout
  std::optional<ridgepoint::precision> precision = {};     // default: that of the values it is fed, else f32
  conv_algorithm convolution = conv_algorithm::automatic;  // of layers set to automatic; winograd: where possible
  bool fold = true;  // in sessions: fuse batch normalisation and sums into the layers before them
  // For training:
  index_t micro_batches = 1;                 // of `batch` samples each, followed by one update
  double clip_value = 0;                     // limit of each value of a gradient; 0: none
  double clip_norm = 0;                      // limit of the global gradient norm; 0: none. Delays updates to the end
  loss_scaling scaling = {};                 // in f16
  std::vector<parameter_group> groups = {};  // parameters with their own training settings
  std::shared_ptr<gradient_exchange> exchange = {};  // with other ranks: set by train() on a distributed() backend
};

namespace detail {
/// Sets the precision to that of the values fed, unless it is set already.
template <std::floating_point T>
[[nodiscard]] compile_options fed_with(compile_options options) {
  if (!options.precision) options.precision = precision_of<T>;
  return options;
}
}  // namespace detail

template <std::floating_point T, backend Backend>
class trainer;
template <std::floating_point T, backend Backend>
class session;
struct network_summary;
class any_loss;
class any_optimiser;
struct objective;

/// A network described as a directed acyclic graph of layers, to be compiled for a backend. Copies share one graph: a
/// node added to one is in both.
///
/// Example:
///   rp::graph net("mlp");
///   auto logits = net.input({784}) | nn::dense{.units = 512} | nn::relu{} | nn::dense{.units = 10};
///   auto trainer = net.train<float>(rp::cpu{}, logits, nn::softmax_cross_entropy{}, nn::adam{}, {.batch = 128});
class graph {
 public:
  explicit graph(std::string name) : data_(std::make_shared<detail::graph_data>()) { data_->name = std::move(name); }
  [[nodiscard]] const std::string& name() const noexcept { return data_->name; }

  /// Adds a value that is fed from outside, with the extents of one sample, without the batch. It holds numbers, in the
  /// network's precision, or with element::i32 ids, such as tokens.
  /// Throws: shape_error if an extent is 0 or the rank leaves none for the batch; value_error for another type.
  /// Example: net.input({80}, rp::element::i32) | nn::embedding{.vocabulary = 512, .width = 100}
  node input(const shape& sample, element type = element::stored) {
    require<value_error>(type == element::stored || type == element::i32, "input: is of ", type,
                         "; must be of i32, or of the network's numbers (the default)");
    require<shape_error>(sample.size() > 0 && sample.rank() < shape::max_rank, "input: sample is ", sample,
                         "; must have elements and at most ", shape::max_rank - 1, " extents");
    data_->nodes.push_back(
        {.name = detail::next_name(*data_, "input"), .layer = {}, .inputs = {}, .output = sample, .type = type});
    return node(data_, static_cast<int>(data_->nodes.size()) - 1);
  }

  /// Makes `consumer` read `source` as its input number `input` from now on.
  /// Throws: value_error if a node is not of this graph, has no such input, or `source` comes after `consumer`, which
  /// would create a cycle; shape_error if the extents differ. The graph is then unchanged.
  void rewire(const node& consumer, std::size_t input, const node& source) {
    const int to = index_of(consumer), from = index_of(source);
    detail::graph_node& changed = data_->nodes[static_cast<std::size_t>(to)];
    require<value_error>(input < changed.inputs.size(), "rewire: input of ", changed.name, " is ", input,
                         "; must be < ", changed.inputs.size());
    const shape& before = data_->nodes[static_cast<std::size_t>(changed.inputs[input])].output;
    require<shape_error>(source.extents() == before, "rewire: ", source.name(), " is ", source.extents(), "; input ",
                         input, " of ", changed.name, " must be ", before);
    detail::check_type("rewire", source.at(), nodes()[static_cast<std::size_t>(changed.inputs[input])].type);
    require<value_error>(!reaches(from, to), "rewire: ", source.name(), " depends on ", changed.name,
                         "; must not close a cycle");
    changed.inputs[input] = from;
  }

  /// Returns the position of a node of this graph among nodes().
  /// Throws: value_error if it belongs to another graph or to none.
  [[nodiscard]] int index_of(const node& n) const {
    require<value_error>(n.owner_ != nullptr, "graph \"", name(),
                         "\": node belongs to no graph; must come from its input() or layers");
    require<value_error>(n.owner_ == data_, "graph \"", name(), "\": node ", n.name(), " belongs to graph \"",
                         n.owner_->name, "\"; must be its own");
    return n.index_;
  }
  [[nodiscard]] const std::vector<detail::graph_node>& nodes() const noexcept { return data_->nodes; }
  /// Returns the parameters of a node, unless an earlier node owns them.
  [[nodiscard]] std::vector<parameter> parameters_of(const detail::graph_node& n) const {
    return n.home < 0 ? detail::parameters_at(*data_, n) : std::vector<parameter>{};
  }

  /// Summarises layers, output shapes, parameters, FLOP per sample, and the memory of an inference plan:
  /// graph/summary.hpp.
  /// Throws: as plan_inference().
  /// Example:
  ///   std::cout << net.summary(logits, {.batch = 128});
  [[nodiscard]] network_summary summary(const node& output, const compile_options& options = {}) const;
  /// For several outputs.
  [[nodiscard]] network_summary summary(std::initializer_list<node> outputs, const compile_options& options = {}) const;
  /// With the memory and the work of a training plan.
  /// Example:
  ///   std::cout << net.summary(logits, nn::softmax_cross_entropy{}, nn::adam{}, {.batch = 128});
  [[nodiscard]] network_summary summary(const node& output, const any_loss& loss, const any_optimiser& optimiser,
                                        const compile_options& options = {}) const;
  /// For several losses.
  [[nodiscard]] network_summary summary(std::initializer_list<objective> objectives, const any_optimiser& optimiser,
                                        const compile_options& options = {}) const;
  [[nodiscard]] network_summary summary(std::span<const objective> objectives, const any_optimiser& optimiser,
                                        const compile_options& options = {}) const;

  /// Returns a session<T, Backend>, which computes the node `output` for an input. Weights start from the seed; load()
  /// takes trained ones. UserOps: type_list of argument types of ops that are not in all_ops.
  /// Throws: value_error for a node of another graph or a batch < 1; unsupported if the backend lacks an op.
  template <class T, class Backend, class Output = compile_options, class UserOps = type_list<>>
  [[nodiscard]] auto compile(const Backend& on, const Output& output, compile_options options = {}, UserOps = {}) const;
  /// For several nodes.
  /// Example:
  ///   net.compile<float>(on, {digit, image}, {.batch = 32}).run(pixels, {probabilities, restored})
  template <class T, class Backend, class UserOps = type_list<>>
  [[nodiscard]] session<T, Backend> compile(const Backend& on, std::initializer_list<node> outputs,
                                            compile_options options = {}, UserOps = {}) const;

  /// Returns a trainer<T, Backend>: forward, loss, backward and update as one step. On a distributed() backend, ranks
  /// train together.
  /// Throws: as compile(); value_error for a hyper-parameter out of its domain or a network without parameters.
  template <class T, class Backend, class Output, class Loss, class Optimiser = compile_options,
            class UserOps = type_list<>>
  [[nodiscard]] auto train(const Backend& on, const Output& output, Loss loss, Optimiser optimiser,
                           compile_options options = {}, UserOps = {}) const;
  /// With several losses: minimises their weighted sum.
  /// Example:
  ///   net.train<float>(on, {{digit, nn::softmax_cross_entropy{}}, {image, nn::mse{}, 0.5}}, nn::adam{}, {.batch = 32})
  template <class T, class Backend, class UserOps = type_list<>>
  [[nodiscard]] auto train(const Backend& on, std::initializer_list<objective> objectives,
                           const any_optimiser& optimiser, compile_options options = {}, UserOps = {}) const;

 private:
  template <std::floating_point T, backend Backend>
  friend class trainer;

  /// Returns true if `start` is `goal` or depends on it.
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
  /// Copies the graph, with the same nodes at the same positions, independent of later changes to this one.
  [[nodiscard]] graph separate() const {
    graph copy(name());
    *copy.data_ = *data_;
    return copy;
  }
  /// Returns this graph's node at the position of `n`, which is of this graph or the one it was copied from.
  /// Throws: value_error for a node of no graph, or one added after the copy.
  [[nodiscard]] node own(const node& n) const {
    require<value_error>(n.owner_ != nullptr && static_cast<std::size_t>(n.index_) < nodes().size() &&
                             nodes()[static_cast<std::size_t>(n.index_)].name == n.name(),
                         "graph \"", name(), "\": has no such node; must be one that was there when it was compiled");
    return node(data_, n.index_);
  }
  /// Returns this graph's node at the position of `n` in another graph.
  [[nodiscard]] node counterpart(const node& n, const graph& other) const { return node(data_, other.index_of(n)); }

  std::shared_ptr<detail::graph_data> data_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if !RIDGEPOINT_COMPILED
#include <ridgepoint/graph/graph-inl.hpp>
#endif
