// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>

#include <ridgepoint/core/element.hpp>
#include <ridgepoint/core/tensor.hpp>
#include <ridgepoint/graph/checkpoint.hpp>
#include <ridgepoint/graph/compile.hpp>
#include <ridgepoint/graph/fit.hpp>
#include <ridgepoint/graph/host_batch.hpp>
#include <ridgepoint/graph/program.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {
/// Upper bound of the bytes of a checkpoint of this graph: every parameter with both moments, in double so that one of
/// the wrong type is read and named in the error, and the metadata. If layers carry state, its size depends on the
/// batch; the bound is then a constant beyond any real file.
/// Throws: shape_error if they do not fit.
[[nodiscard]] inline std::uint64_t most_checkpoint_bytes(const graph& net, const compiled& made) {
  if (!made.carried.empty()) return checkpoint::most_bytes;
  constexpr index_t entries = 1 + std::tuple_size_v<decltype(planned_block::moments)>;
  index_t bytes = index_t{1} << 20;
  for (const graph_node& n : net.nodes())
    for (const parameter& p : net.parameters_of(n)) {
      const auto described = static_cast<index_t>(n.name.size() + p.name.size() + 128);
      const index_t each = checked_add(checked_mul(p.extents.size(), sizeof(double)), described);
      bytes = checked_add(bytes, checked_mul(entries, each));
    }
  return static_cast<std::uint64_t>(bytes);
}
}  // namespace detail

/// A compiled network bound to a backend; the common part of trainers and sessions. T is the type of numbers in host
/// memory; if the plan stores another type, they are converted on transfer.
template <std::floating_point T, backend Backend>
class network {
 public:
  /// Throws: unsupported if the backend lacks an op.
  network(const Backend& on, compiled made, const op_table<Backend>& ops, shared_buffer<Backend> parameters = nullptr);

  [[nodiscard]] const compiled& made() const noexcept { return made_; }
  /// Inputs and targets of a batch.
  [[nodiscard]] const batch_form& form() const noexcept { return form_; }
  [[nodiscard]] const ridgepoint::program<Backend>& program() const noexcept { return program_; }
  [[nodiscard]] ridgepoint::program<Backend>& program() noexcept { return program_; }

  /// Draws every parameter: parameter number p from stream p of the seed.
  void initialise(std::uint64_t seed);

  /// Parameters by name, from and to host memory.
  /// Throws: value_error for an unknown name; shape_error for a wrong number of values.
  [[nodiscard]] tensor<T> parameter_values(std::string_view name) const;
  void set_parameter_values(std::string_view name, std::span<const T> values);
  /// Copies every parameter from another network, of any backend.
  /// Throws: value_error if it lacks a parameter, shape_error if one has other extents; nothing is changed then.
  template <class Source>
  void take_parameters(const Source& from) {
    std::vector<tensor<T>> taken;
    for (const planned_parameter& p : made_.parameters) {
      taken.push_back(from.parameter(p.name));
      require<shape_error>(taken.back().shape() == p.spec.extents, p.name, ": is ", taken.back().shape(), "; must be ",
                           p.spec.extents);
    }
    for (std::size_t p = 0; p < taken.size(); ++p) put(made_.parameters[p].values, std::as_const(taken[p]).values());
    program_.make_constants();
  }
  [[nodiscard]] const planned_parameter& find(std::string_view name) const;

  /// Uploads host values into a slot, as many as are given.
  void put(slot to, const host_values<T>& values) const { upload(to, values.data(), values.type(), values.size()); }
  /// Copies the numbers of a slot to host memory, after all calls so far have finished.
  void get(slot from, std::span<T> values) const;
  /// Copies the listed rows to `to`; its other rows become 0.
  void get_rows(slot rows, slot values, tensor<T>& to) const;
  [[nodiscard]] step_state state() const { return state_in(made_.state); }
  /// Result of loss l on the batch.
  [[nodiscard]] judgement judged(std::size_t l) const {
    return judged(l, [&](std::size_t part) { return state_in(made_.losses[l].states[part]); });
  }
  /// With state(i) as the i-th state after the batch.
  template <class State>
  [[nodiscard]] judgement judged(std::size_t l, const State& state) const;
  /// Zeros the state that layers carry from step to step.
  void reset_state() const;
  void set_state(const step_state& s) const { program_.on().upload(program_.at()(made_.state), &s, sizeof s); }

  /// Returns the complete training state, in host memory.
  [[nodiscard]] checkpoint save(std::string_view optimiser, std::uint64_t seed) const;
  /// Loads parameters from a checkpoint, and also moments and carried state if this network has them; carried state
  /// missing there becomes zeros.
  /// Throws: data_error, naming the file, if any other entry is missing, or any has other extents, another type, a
  /// value that is not finite in the stored type, or a mean of squares below 0; nothing is loaded then.
  void load(const checkpoint& c, std::string_view file = "in memory") {
    upload(c.tensors, kept(), concat("checkpoint ", file));
  }

  /// Saves the parameters as a safetensors file.
  void save_parameters(const std::string& file) const;
  /// Loads only the parameters from the bytes of a safetensors file or of a checkpoint.
  /// Throws: data_error if they are neither, or as load(); nothing is loaded then.
  void load_parameters(std::string_view bytes, const std::string& file);

  /// Feeds the only input.
  /// Throws: shape_error unless there is one input and x holds a whole batch of it; value_error for ids in place of
  /// numbers, or numbers in place of ids.
  void feed(const host_values<T>& x) const;
  void feed(std::size_t input, const host_values<T>& x) const;

 private:
  struct kept_slot {
    std::string name;
    shape extents;
    slot at;
    double least = -HUGE_VAL;  // minimum of its values
    bool may_lack = false;     // if missing from a file, it becomes zeros
  };
  [[nodiscard]] std::vector<kept_slot> kept_parameters() const;
  /// Slots saved in a checkpoint: parameters, moments, and carried state.
  [[nodiscard]] std::vector<kept_slot> kept() const;
  void upload(slot to, const void* from, element type, index_t count) const;
  void zero(slot s) const;
  [[nodiscard]] step_state state_in(slot at) const;
  [[nodiscard]] element type_of(slot s) const { return program_.plan()[s].type; }
  /// Host buffer for values that are not of type T. It is allocated beforehand for inputs, outputs and targets.
  [[nodiscard]] void* staged(std::size_t bytes) const;
  [[nodiscard]] std::vector<safetensor> tensors_of(const std::vector<kept_slot>& listed) const;
  /// Uploads all wanted tensors, converted to the stored type; throws before the first upload.
  void upload(const std::vector<safetensor>& tensors, const std::vector<kept_slot>& wanted, std::string_view what);

  compiled made_;  // its plan lives in the program
  ridgepoint::program<Backend> program_;
  batch_form form_;
  mutable std::vector<std::byte> staging_;
};

template <std::floating_point T, backend Backend>
network<T, Backend>::network(const Backend& on, compiled made, const op_table<Backend>& ops,
                             shared_buffer<Backend> parameters)
    : made_(std::move(made)), program_(on, std::move(made_.plan), ops, std::move(parameters)) {
  const auto fed = [&](slot s) { return is_number(type_of(s)) ? element::stored : type_of(s); };
  for (std::size_t i = 0; i < made_.inputs.size(); ++i)
    form_.inputs.push_back({made_.input_shapes[i], fed(made_.inputs[i])});
  form_.batch = made_.batch;
  for (const planned_loss& l : made_.losses)
    form_.targets.push_back({.type = fed(l.targets),
                             .each = l.targets_per_sample,
                             .classes = l.output_shape.size() / l.targets_per_sample});
  const auto reserve = [&](slot s) {
    const planned_slot& held = program_.plan()[s];
    if (is_number(held.type) && held.type != element_of<T>) staging_.resize((std::max)(staging_.size(), held.bytes));
  };
  for (const slot input : made_.inputs) reserve(input);
  for (const slot output : made_.outputs) reserve(output);
  for (const planned_loss& l : made_.losses) {
    reserve(l.targets);
    for (const slot s : l.states) zero(s);  // a loss writes only its own results
    for (const slot s : l.written) zero(s);
  }
  reset_state();
}

template <std::floating_point T, backend Backend>
void network<T, Backend>::initialise(std::uint64_t seed) {
  for (std::size_t p = 0; p < made_.parameters.size(); ++p) {
    const parameter& spec = made_.parameters[p].spec;
    random_stream random(seed, p);
    tensor<double> values(spec.extents);
    if (spec.parts.empty()) spec.initial(random, spec.fan, values.values());
    const std::size_t each = values.values().size() / std::max<std::size_t>(spec.parts.size(), 1);
    for (std::size_t part = 0; part < spec.parts.size(); ++part)
      spec.parts[part](random, spec.fan, values.values().subspan(part * each, each));
    upload(made_.parameters[p].values, values.data(), element::f64, values.size());
  }
  program_.make_constants();
}

template <std::floating_point T, backend Backend>
tensor<T> network<T, Backend>::parameter_values(std::string_view name) const {
  const planned_parameter& p = find(name);
  tensor<T> values(p.spec.extents);
  get(p.values, values.values());
  return values;
}

template <std::floating_point T, backend Backend>
void network<T, Backend>::set_parameter_values(std::string_view name, std::span<const T> values) {
  const planned_parameter& p = find(name);
  require<shape_error>(static_cast<index_t>(values.size()) == p.spec.extents.size(), name, ": ", values.size(),
                       " values; must be ", p.spec.extents.size());
  put(p.values, values);
  program_.make_constants();
}

template <std::floating_point T, backend Backend>
const planned_parameter& network<T, Backend>::find(std::string_view name) const {
  const auto& all = made_.parameters;
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& p) { return p.name == name; });
  require<value_error>(found != all.end(), name, ": no such parameter; must be one of ", all.size(),
                       all.empty() ? "" : ", the first is ", all.empty() ? "" : all[0].name);
  return *found;
}

template <std::floating_point T, backend Backend>
void network<T, Backend>::upload(slot to, const void* from, element type, index_t count) const {
  const element held = type_of(to);
  const std::size_t bytes = static_cast<std::size_t>(count) * bytes_of(held);
  if (held != type) {
    convert_elements(staged(bytes), held, from, type, count);
    from = staging_.data();
  }
  program_.on().upload(program_.at()(to), from, bytes);
}

template <std::floating_point T, backend Backend>
void network<T, Backend>::get(slot from, std::span<T> values) const {
  const element held = type_of(from);
  void* const to = held == element_of<T> ? values.data() : staged(values.size() * bytes_of(held));
  program_.on().synchronize();
  program_.on().download(to, program_.at()(from), values.size() * bytes_of(held));
  if (to != values.data())
    convert_elements(values.data(), element_of<T>, to, held, static_cast<index_t>(values.size()));
}

template <std::floating_point T, backend Backend>
void network<T, Backend>::get_rows(slot rows, slot values, tensor<T>& to) const {
  const std::size_t count = program_.plan()[rows].bytes / sizeof(std::int32_t), all = program_.plan()[values].bytes;
  std::vector<std::int32_t> listed(count);
  std::vector<T> read(all / bytes_of(type_of(values)));
  get(values, read);
  program_.on().download(listed.data(), program_.at()(rows), count * sizeof(std::int32_t));
  std::fill(to.begin(), to.end(), T(0));
  const index_t width = to.size() / to.shape()[0];
  for (std::size_t k = 0; k < count; ++k)
    if (listed[k] >= 0)
      std::copy_n(read.data() + static_cast<index_t>(k) * width, width, to.data() + listed[k] * width);
}

template <std::floating_point T, backend Backend>
step_state network<T, Backend>::state_in(slot at) const {
  step_state s;
  program_.on().synchronize();
  program_.on().download(&s, program_.at()(at), sizeof s);
  return s;
}

template <std::floating_point T, backend Backend>
template <class State>
judgement network<T, Backend>::judged(std::size_t l, const State& state) const {
  const planned_loss& of = made_.losses[l];
  judgement sum{.labels = made_.batch_of_all * of.counted_per_sample};
  for (std::size_t i = 0; i < of.states.size(); ++i) {
    const step_state part = state(i);
    sum.loss += part.loss / static_cast<double>(of.states.size());
    sum.labels -= static_cast<index_t>(part.ignored);
    sum.correct += static_cast<index_t>(part.correct);
  }
  return sum;
}

template <std::floating_point T, backend Backend>
void network<T, Backend>::reset_state() const {
  for (const slot s : made_.carried) zero(s);
}

template <std::floating_point T, backend Backend>
void network<T, Backend>::zero(slot s) const {
  const std::vector<std::byte> zeros(program_.plan()[s].bytes);
  program_.on().upload(program_.at()(s), zeros.data(), zeros.size());
}

template <std::floating_point T, backend Backend>
checkpoint network<T, Backend>::save(std::string_view optimiser, std::uint64_t seed) const {
  const step_state now = state();
  return {.step = now.step,
          .learning_rate = now.base_learning_rate,
          .batch = made_.batch_of_all,
          .seed = seed,
          .loss_scale = scales_losses(made_.precision) ? now.loss_scale : 0,
          .finite_steps = now.finite_steps,
          .skipped_steps = now.skipped_steps,
          .optimiser = std::string(optimiser),
          .tensors = tensors_of(kept())};
}

template <std::floating_point T, backend Backend>
void network<T, Backend>::save_parameters(const std::string& file) const {
  write_safetensors(file, {.tensors = tensors_of(kept_parameters()), .metadata = {{"format", "ridgepoint"}}});
}

template <std::floating_point T, backend Backend>
void network<T, Backend>::load_parameters(std::string_view bytes, const std::string& file) {
  upload(parse_safetensors(bytes, file).tensors, kept_parameters(), concat("safetensors ", file));
}

template <std::floating_point T, backend Backend>
void network<T, Backend>::feed(const host_values<T>& x) const {
  require<shape_error>(made_.inputs.size() == 1, "feed: the network has ", made_.inputs.size(),
                       " inputs; must name each");
  feed(0, x);
}

template <std::floating_point T, backend Backend>
void network<T, Backend>::feed(std::size_t input, const host_values<T>& x) const {
  const index_t expected = made_.batch * made_.input_shapes.at(input).size();
  x.check_suits(form_.inputs[input].type, "feed: ", program_.plan()[made_.inputs[input]].name);
  require<shape_error>(x.size() == expected, "feed: input ", input, " is given ", x.size(), " values; must be ",
                       expected, " (batch ", made_.batch, " of ", made_.input_shapes[input], ')');
  put(made_.inputs[input], x);
}

template <std::floating_point T, backend Backend>
auto network<T, Backend>::kept_parameters() const -> std::vector<kept_slot> {
  std::vector<kept_slot> all;
  for (const planned_parameter& p : made_.parameters)
    all.push_back({p.name, p.spec.extents, p.values, p.spec.non_negative ? 0 : -HUGE_VAL});
  return all;
}

template <std::floating_point T, backend Backend>
auto network<T, Backend>::kept() const -> std::vector<kept_slot> {
  std::vector<kept_slot> all = kept_parameters();
  for (const planned_block& block : made_.blocks)
    for (std::size_t i = 0; i < block.moments.size(); ++i)
      if (const slot m = block.moments[i]; m.exists())
        all.push_back({program_.plan()[m].name, {block.size}, m, block.are_squares[i] ? 0 : -HUGE_VAL});
  for (const slot s : made_.carried) {
    const planned_slot& held = program_.plan()[s];
    const auto of_one_name = [&](const kept_slot& k) { return k.may_lack && program_.plan()[k.at].name == held.name; };
    const auto before = std::count_if(all.begin(), all.end(), of_one_name);  // of the layer, from other micro-batches
    all.push_back({before == 0 ? held.name : concat(held.name, '_', before + 1),
                   {static_cast<index_t>(held.bytes / bytes_of(held.type))},
                   s,
                   -HUGE_VAL,
                   true});
  }
  return all;
}

template <std::floating_point T, backend Backend>
void* network<T, Backend>::staged(std::size_t bytes) const {
  if (staging_.size() < bytes) staging_.resize(bytes);
  return staging_.data();
}

template <std::floating_point T, backend Backend>
std::vector<safetensor> network<T, Backend>::tensors_of(const std::vector<kept_slot>& listed) const {
  std::vector<safetensor> all;
  program_.on().synchronize();
  for (const kept_slot& k : listed) {
    const element type = type_of(k.at);
    std::string values(static_cast<std::size_t>(k.extents.size()) * bytes_of(type), '\0');
    program_.on().download(values.data(), program_.at()(k.at), values.size());
    all.push_back({k.name, std::string(safetensors_dtype(type)), k.extents, std::move(values)});
  }
  return all;
}

template <std::floating_point T, backend Backend>
void network<T, Backend>::upload(const std::vector<safetensor>& tensors, const std::vector<kept_slot>& wanted,
                                 std::string_view what) {
  std::vector<std::pair<const safetensor*, element>> found;
  for (const kept_slot& k : wanted) {
    const auto t = std::find_if(tensors.begin(), tensors.end(), [&](const auto& each) { return each.name == k.name; });
    if (t == tensors.end() && k.may_lack) {
      found.emplace_back(nullptr, element::other);
      continue;
    }
    require<data_error>(t != tensors.end(), what, ": has no ", k.name, "; must be of the same network");
    const element type = element_of_safetensors(t->dtype);
    require<data_error>(is_number(type), what, ": ", k.name, " is ", t->dtype, "; must be F32, F64, BF16 or F16");
    require<data_error>(t->extents == k.extents, what, ": ", k.name, " is ", t->extents, "; must be ", k.extents);
    const std::size_t bytes = static_cast<std::size_t>(k.extents.size()) * bytes_of(type);
    require<data_error>(t->values.size() == bytes, what, ": ", k.name, " has ", t->values.size(), " bytes; must have ",
                        bytes);
    detail::check_values(*t, type_of(k.at), k.least, what);
    found.emplace_back(&*t, type);
  }
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (found[i].first == nullptr) zero(wanted[i].at);
    else upload(wanted[i].at, found[i].first->values.data(), found[i].second, wanted[i].extents.size());
  program_.make_constants();
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
