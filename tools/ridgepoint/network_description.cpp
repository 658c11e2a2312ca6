// SPDX-License-Identifier: MIT
#include "network_description.hpp"

#include <nlohmann/json.hpp>

#include <ridgepoint/graph/layers.hpp>

namespace tool {
namespace {

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;
using json_object = nlohmann::ordered_json;

json_object extents_of(const rp::shape& s) {
  json_object list = json_object::array();
  for (const rp::index_t extent : s) list.push_back(extent);
  return list;
}

/// Adds a window that slides over an image.
void add_window(json_object& to, const rp::shape& image, rp::spatial kernel, rp::spatial stride,
                const nn::padding_rule& padding, rp::spatial dilation = 1) {
  const rp::padding2d sides = padding.of({image[0], image[1]}, kernel, stride, dilation);
  to["kernel"] = {kernel.h, kernel.w};
  to["stride"] = {stride.h, stride.w};
  to["dilation"] = {dilation.h, dilation.w};
  to["padding"] = {sides.top, sides.bottom, sides.left, sides.right};
}

/// Adds the window of a pooling with all the padding it reaches.
template <class Pool>
void add_pool(json_object& to, const rp::shape& image, const Pool& pool) {
  const rp::padding2d sides = pool.padding.of({image[0], image[1]}, pool.window, pool.stride);
  const rp::pool2d_geometry g{.h = image[0],
                              .w = image[1],
                              .kh = pool.window.h,
                              .kw = pool.window.w,
                              .stride = pool.stride,
                              .padding = sides,
                              .rounding = pool.rounding};
  add_window(to, image, pool.window, pool.stride,
             rp::padding2d{sides.top, g.rows().reached_after(), sides.left, g.columns().reached_after()});
}

void add_cell(json_object& to, const nn::rnn& cell) { to["act"] = std::string(to_string(cell.act)); }
void add_cell(json_object& to, const nn::lstm& cell) {
  to["gate"] = std::string(to_string(cell.gate));
  to["projection"] = cell.projection;
}
void add_cell(json_object& to, const nn::gru& cell) {
  to["gate"] = std::string(to_string(cell.gate));
  to["reset"] = cell.reset == rp::gru_reset::before ? "before" : "after";
}
/// Adds a recurrent layer, in one direction or in both.
template <class Cell>
void add_recurrent(json_object& to, const rp::any_layer& layer) {
  const auto add = [&to](const Cell& cell) {
    to["sequences"] = cell.sequences;
    to["stateful"] = cell.stateful;
    add_cell(to, cell);
  };
  if (const auto* one = layer.target<Cell>()) add(*one);
  if (const auto* both = layer.target<nn::bidirectional<Cell>>()) {
    to["cell"] = Cell::name;
    to["merge"] = both->merge == rp::merge_rule::concat ? "concat"
                  : both->merge == rp::merge_rule::sum  ? "sum"
                                                        : "average";
    add(both->cell);
  }
}

/// Adds the options of a layer, in addition to its extents and parameters.
void add_options(json_object& to, const rp::any_layer& layer, const rp::shape& in) {
  if (const auto* conv = layer.target<nn::conv2d>())
    add_window(to, in, conv->kernel, conv->stride, conv->padding, conv->dilation);
  if (const auto* conv = layer.target<nn::depthwise_conv2d>())
    add_window(to, in, conv->kernel, conv->stride, conv->padding, conv->dilation);
  if (const auto* pool = layer.target<nn::max_pool>()) add_pool(to, in, *pool);
  if (const auto* pool = layer.target<nn::avg_pool>()) {
    add_pool(to, in, *pool);
    to["over"] = pool->over == rp::mean_over::window ? "window" : "image";
    to["rounding"] = pool->rounding == rp::rounding_rule::up ? "up" : "down";
  }
  if (const auto* norm = layer.target<nn::batch_norm>()) to["epsilon"] = norm->epsilon, to["momentum"] = norm->momentum;
  if (const auto* norm = layer.target<nn::layer_norm>()) to["epsilon"] = norm->epsilon;
  if (const auto* norm = layer.target<nn::rms_norm>()) to["epsilon"] = norm->epsilon;
  if (const auto* attention = layer.target<nn::attention>())
    to["heads"] = attention->heads, to["causal"] = attention->causal;
  if (const auto* positions = layer.target<nn::sinusoidal_positions>()) to["scale"] = positions->scale_of(in);
  if (const auto* activation = layer.target<nn::leaky_relu>()) to["slope"] = activation->slope;
  if (const auto* dropout = layer.target<nn::dropout>())
    to["rate"] = dropout->rate, to["shared_steps"] = dropout->shared_steps;
  add_recurrent<nn::rnn>(to, layer);
  add_recurrent<nn::lstm>(to, layer);
  add_recurrent<nn::gru>(to, layer);
  if (const auto* pad = layer.target<nn::pad_channels>()) to["before"] = pad->before, to["after"] = pad->after;
}

json_object layer_json(const rp::graph& net, const rp::detail::graph_node& each) {
  const auto at = [&](int i) -> const rp::detail::graph_node& { return net.nodes()[static_cast<std::size_t>(i)]; };
  json_object json{{"name", each.name}, {"kind", each.layer ? std::string(each.layer->name()) : "input"}};
  json["inputs"] = json_object::array();
  for (const int i : each.inputs) json["inputs"].push_back(at(i).name);
  json["output"] = extents_of(each.output);
  json["parameters"] = each.home < 0 ? each.name : at(each.home).name;
  if (each.layer) add_options(json, *each.layer, at(each.inputs[0]).output);
  return json;
}

/// Returns the weight decay of each parameter that has one.
json_object decay_json(const rp::graph& net, const described_training& training) {
  json_object json = json_object::object();
  for (const rp::detail::graph_node& each : net.nodes())
    for (const rp::parameter& p : net.parameters_of(each)) {
      const std::string name = each.name + '.' + p.name;
      double decay = training.weight_decay;
      for (const rp::parameter_group& group : training.options.groups)
        if (rp::detail::matches(group.names, name)) {
          decay = group.weight_decay.value_or(decay);
          break;
        }
      if (p.trainable && decay > 0) json[name] = decay;
    }
  return json;
}

template <class Optimiser>
std::string with_options(const Optimiser& o, const json_object& options) {
  json_object json{{"name", Optimiser::name}, {"learning_rate", o.learning_rate}};
  json.update(options);
  return json.dump();
}

}  // namespace

std::string network_json(const rp::graph& net, const described_training& training, const std::string& optimiser) {
  json_object json{{"name", net.name()}, {"batch", training.options.batch}, {"threads", training.threads}};
  json["layers"] = json_object::array();
  for (const rp::detail::graph_node& each : net.nodes()) json["layers"].push_back(layer_json(net, each));
  json["objectives"] = json_object::array();
  for (const rp::objective& each : training.objectives)
    json["objectives"].push_back(
        {{"output", each.output.name()}, {"loss", std::string(each.loss.name())}, {"weight", each.weight}});
  json["optimiser"] = json_object::parse(optimiser);
  json["decay"] = decay_json(net, training);
  return json.dump(1) + '\n';
}

std::string optimiser_json(const nn::sgd& o) { return with_options(o, json_object::object()); }
std::string optimiser_json(const nn::momentum& o) { return with_options(o, {{"momentum", o.options.momentum}}); }
std::string optimiser_json(const nn::adam& o) {
  return with_options(o, {{"beta1", o.options.beta1}, {"beta2", o.options.beta2}, {"epsilon", o.options.epsilon}});
}
std::string optimiser_json(const nn::rmsprop_keras& o) {
  return with_options(o, {{"rho", o.options.rho}, {"epsilon", o.options.epsilon}});
}
std::string optimiser_json(const nn::rmsprop_tf1& o) {
  return with_options(o, {{"rho", o.options.rho}, {"momentum", o.options.momentum}, {"epsilon", o.options.epsilon}});
}
std::string optimiser_json(const nn::adadelta& o) {
  return with_options(o, {{"rho", o.options.rho}, {"epsilon", o.options.epsilon}});
}

}  // namespace tool
