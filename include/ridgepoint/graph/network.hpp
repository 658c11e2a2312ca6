// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/core/tensor.hpp>
#include <ridgepoint/graph/compile.hpp>
#include <ridgepoint/graph/program.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A compiled network bound to a backend: what trainers and sessions share.
template <scalar T, backend Backend, class Target = std::int32_t>
class network {
 public:
  /// Throws: unsupported if the backend lacks an op.
  template <class UserOps>
  network(const Backend& on, compiled<T, Target> made, UserOps, shared_buffer<Backend> parameters = nullptr)
      : made_(std::move(made)),
        program_(on, std::move(made_.steps), all_ops<T>{} + untyped_ops{} + UserOps{}, std::move(parameters)) {}

  [[nodiscard]] const compiled<T, Target>& made() const noexcept { return made_; }
  [[nodiscard]] const program<Backend>& steps() const noexcept { return program_; }
  [[nodiscard]] program<Backend>& steps() noexcept { return program_; }

  /// Draws every parameter: parameter number p from stream p of the seed.
  void initialise(std::uint64_t seed) {
    for (std::size_t p = 0; p < made_.parameters.size(); ++p) {
      const parameter& spec = made_.parameters[p].spec;
      random_stream random(seed, p);
      tensor<T> values(spec.extents);
      std::generate_n(values.data(), values.size(), [&] { return static_cast<T>(spec.initial(random, spec.fan)); });
      put(made_.parameters[p].values, values.values());
    }
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
    require<shape_error>(static_cast<index_t>(values.size()) == p.spec.extents.size(), name, ": ", values.size(), " values; must be ",
                         p.spec.extents.size());
    put(p.values, values);
  }
  [[nodiscard]] const planned_parameter<T>& find(std::string_view name) const {
    const auto& all = made_.parameters;
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& p) { return p.name == name; });
    require<value_error>(found != all.end(), name, ": no such parameter; the first is ", all.empty() ? "" : all[0].name);
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

  /// Feeds the only input.
  /// Throws: shape_error unless there is one input and x holds a whole batch of it.
  void feed(std::span<const T> x) const {
    require<shape_error>(made_.inputs.size() == 1, "feed: the network has ", made_.inputs.size(), " inputs; must name each");
    feed(0, x);
  }
  void feed(std::size_t input, std::span<const T> x) const {
    const index_t expected = made_.batch * made_.input_shapes.at(input).size();
    require<shape_error>(static_cast<index_t>(x.size()) == expected, "feed: input ", input, " is given ", x.size(), " values; must be ",
                         expected, " (batch ", made_.batch, " of ", made_.input_shapes[input], ')');
    put(made_.inputs[input], x);
  }

 private:
  compiled<T, Target> made_;                                   // its plan lives in the program
  program<Backend> program_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
