// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/core/tensor.hpp>
#include <ridgepoint/graph/checkpoint.hpp>
#include <ridgepoint/graph/compile.hpp>
#include <ridgepoint/graph/program.hpp>
#include <ridgepoint/graph/safetensors.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {
/// Bytes that no checkpoint of a network of this graph exceeds: every parameter with both moments, in double so that
/// one of the wrong type is read and named, and what describes them.
/// Throws: shape_error if they do not fit.
[[nodiscard]] inline std::uint64_t most_checkpoint_bytes(const graph& net) {
  constexpr index_t entries = 1 + std::tuple_size_v<decltype(planned_block<double>::moments)>;
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

/// A compiled network bound to a backend: what trainers and sessions share.
template <scalar T, backend Backend, class Target = std::int32_t>
class network {
 public:
  /// Throws: unsupported if the backend lacks an op.
  template <class UserOps>
  network(const Backend& on, compiled<T, Target> made, UserOps, shared_buffer<Backend> parameters = nullptr)
      : made_(std::move(made)),
        program_(on, std::move(made_.plan), all_ops<T>{} + untyped_ops{} + UserOps{}, std::move(parameters)) {}

  [[nodiscard]] const compiled<T, Target>& made() const noexcept { return made_; }
  [[nodiscard]] const ridgepoint::program<Backend>& program() const noexcept { return program_; }
  [[nodiscard]] ridgepoint::program<Backend>& program() noexcept { return program_; }

  /// Draws every parameter: parameter number p from stream p of the seed.
  void initialise(std::uint64_t seed) {
    for (std::size_t p = 0; p < made_.parameters.size(); ++p) {
      const parameter& spec = made_.parameters[p].spec;
      random_stream random(seed, p);
      tensor<T> values(spec.extents);
      const auto parts = static_cast<index_t>(spec.parts.size());
      for (index_t i = 0; i < values.size(); ++i) {
        const initialiser draw =
            parts == 0 ? spec.initial : spec.parts[static_cast<std::size_t>(i * parts / values.size())];
        values[i] = static_cast<T>(draw(random, spec.fan));
      }
      put(made_.parameters[p].values, values.values());
    }
    program_.make_constants();
  }

  /// Parameters by name, from and to host memory.
  /// Throws: value_error for an unknown name; shape_error for a wrong number of values.
  [[nodiscard]] tensor<T> parameter_values(std::string_view name) const {
    const planned_parameter<T>& p = find(name);
    tensor<T> values(p.spec.extents);
    get(p.values, values.values());
    return values;
  }
  void set_parameter_values(std::string_view name, std::span<const T> values) {
    const planned_parameter<T>& p = find(name);
    require<shape_error>(static_cast<index_t>(values.size()) == p.spec.extents.size(), name, ": ", values.size(),
                         " values; must be ", p.spec.extents.size());
    put(p.values, values);
    program_.make_constants();
  }
  /// Every parameter as it is in another network, of any backend.
  /// Throws: value_error if that has no such parameter, shape_error if it has other extents; nothing is changed then.
  template <class Source>
  void take_parameters(const Source& from) {
    std::vector<tensor<T>> taken;
    for (const planned_parameter<T>& p : made_.parameters) {
      taken.push_back(from.parameter(p.name));
      require<shape_error>(taken.back().shape() == p.spec.extents, p.name, ": is ", taken.back().shape(), "; must be ",
                           p.spec.extents);
    }
    for (std::size_t p = 0; p < taken.size(); ++p) put(made_.parameters[p].values, std::as_const(taken[p]).values());
    program_.make_constants();
  }
  [[nodiscard]] const planned_parameter<T>& find(std::string_view name) const {
    const auto& all = made_.parameters;
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& p) { return p.name == name; });
    require<value_error>(found != all.end(), name, ": no such parameter; must be one of ", all.size(),
                         all.empty() ? "" : ", the first is ", all.empty() ? "" : all[0].name);
    return *found;
  }

  /// Host values into the slot; as many as given.
  template <class U>
  void put(slot<U> to, std::type_identity_t<std::span<const U>> values) const {
    program_.on().upload(program_.at()(to), values.data(), values.size_bytes());
  }
  /// Values of the slot into host memory, after all calls so far are done.
  template <class U>
  void get(slot<U> from, std::type_identity_t<std::span<U>> values) const {
    program_.on().synchronize();
    program_.on().download(values.data(), program_.at()(from), values.size_bytes());
  }
  [[nodiscard]] step_state state() const {
    step_state s;
    get(made_.state, std::span(&s, 1));
    return s;
  }
  void set_state(const step_state& s) const { put(made_.state, std::span(&s, 1)); }

  /// Everything that training continues from, in host memory.
  [[nodiscard]] checkpoint save(std::string_view optimiser, std::uint64_t seed) const {
    const step_state now = state();
    checkpoint c{.element_bytes = sizeof(T),
                 .step = now.step,
                 .learning_rate = now.base_learning_rate,
                 .batch = made_.batch,
                 .seed = seed,
                 .optimiser = std::string(optimiser),
                 .entries = {}};
    for (const kept_slot& k : kept()) {
      c.entries.push_back({.name = k.name, .extents = k.extents, .values = values_of(k)});
    }
    return c;
  }
  /// Takes parameters, and moments where this network has them, out of a checkpoint.
  /// Throws: data_error if one is missing, has other extents or not as many bytes; nothing is loaded then.
  void load(const checkpoint& c) { upload(c.entries, kept(), "checkpoint", of_type(c)); }

  /// The parameters as a safetensors file.
  void save_parameters(const std::filesystem::path& file) const {
    safetensors all{.tensors = {}, .metadata = {{"format", "ridgepoint"}}};
    for (const kept_slot& k : kept_parameters())
      all.tensors.push_back({k.name, std::string(safetensors_dtype<T>), k.extents, values_of(k)});
    write_safetensors(file, all);
  }
  /// Takes the parameters, and nothing else, out of a safetensors file or a checkpoint of at most `most_bytes`.
  /// Throws: data_error if the file is neither, or as load(); nothing is loaded then.
  void load_parameters(const std::filesystem::path& file, std::uint64_t most_bytes) {
    const std::string bytes = read_file(file, most_bytes);
    if (bytes.starts_with(detail::checkpoint_magic)) {
      const checkpoint c = parse_checkpoint(bytes, file.string());
      upload(c.entries, kept_parameters(), "checkpoint", of_type(c));
    } else {
      upload(parse_safetensors(bytes, file.string()).tensors, kept_parameters(), "safetensors",
             [](const safetensor& t) {
               require<data_error>(t.dtype == safetensors_dtype<T>, "safetensors: ", t.name, " is ", t.dtype,
                                   "; must be ", safetensors_dtype<T>);
             });
    }
  }

  /// Feeds the only input.
  /// Throws: shape_error unless there is one input and x holds a whole batch of it.
  void feed(std::span<const T> x) const {
    require<shape_error>(made_.inputs.size() == 1, "feed: the network has ", made_.inputs.size(),
                         " inputs; must name each");
    feed(0, x);
  }
  void feed(std::size_t input, std::span<const T> x) const {
    const index_t expected = made_.batch * made_.input_shapes.at(input).size();
    require<shape_error>(static_cast<index_t>(x.size()) == expected, "feed: input ", input, " is given ", x.size(),
                         " values; must be ", expected, " (batch ", made_.batch, " of ", made_.input_shapes[input],
                         ')');
    put(made_.inputs[input], x);
  }

 private:
  struct kept_slot {
    std::string name;
    shape extents;
    slot<T> at;
  };
  [[nodiscard]] std::vector<kept_slot> kept_parameters() const {
    std::vector<kept_slot> all;
    for (const planned_parameter<T>& p : made_.parameters) all.push_back({p.name, p.spec.extents, p.values});
    return all;
  }
  /// What a checkpoint keeps: parameters, then moments.
  [[nodiscard]] std::vector<kept_slot> kept() const {
    std::vector<kept_slot> all = kept_parameters();
    for (const planned_block<T>& block : made_.blocks)
      for (const slot<T> m : block.moments)
        if (m.exists()) all.push_back({program_.plan()[m].name, {block.size}, m});
    return all;
  }
  [[nodiscard]] std::string values_of(const kept_slot& k) const {
    std::string values(static_cast<std::size_t>(k.extents.size()) * sizeof(T), '\0');
    program_.on().synchronize();
    program_.on().download(values.data(), program_.at()(k.at), values.size());
    return values;
  }
  /// Throws: data_error, for any of its entries, unless the checkpoint is of this type.
  [[nodiscard]] static auto of_type(const checkpoint& c) {
    return [&c](const checkpoint_entry&) {
      require<data_error>(c.element_bytes == sizeof(T), "checkpoint: elements of ", c.element_bytes, " bytes; must be ",
                          sizeof(T));
    };
  }
  /// Uploads all of the wanted, or throws before the first. check(entry) throws for an entry of another type.
  template <class Entry, class Check>
  void upload(const std::vector<Entry>& entries, const std::vector<kept_slot>& wanted, std::string_view what,
              const Check& check) {
    std::vector<const Entry*> found;
    for (const kept_slot& k : wanted) {
      const auto e =
          std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.name == k.name; });
      require<data_error>(e != entries.end(), what, ": has no ", k.name, "; must be of the same network");
      check(*e);
      require<data_error>(e->extents == k.extents, what, ": ", k.name, " is ", e->extents, "; must be ", k.extents);
      const std::size_t bytes = static_cast<std::size_t>(k.extents.size()) * sizeof(T);
      require<data_error>(e->values.size() == bytes, what, ": ", k.name, " has ", e->values.size(),
                          " bytes; must have ", bytes);
      found.push_back(&*e);
    }
    for (std::size_t i = 0; i < wanted.size(); ++i)
      program_.on().upload(program_.at()(wanted[i].at), found[i]->values.data(), found[i]->values.size());
    program_.make_constants();
  }

  compiled<T, Target> made_;  // its plan lives in the program
  ridgepoint::program<Backend> program_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
