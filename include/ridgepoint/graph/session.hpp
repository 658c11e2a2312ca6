// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/exclusive.hpp>
#include <ridgepoint/graph/network.hpp>
#include <ridgepoint/graph/profiler.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A network for inference: the forward pass on a backend, dropout off. Created by graph::compile(). If the backend
/// gains from it, weights are packed when they change, not in every run; batch normalisation is folded into them first,
/// unless disabled (plan_session()). Every run uses the same memory; a second concurrent thread is refused, so use one
/// session per thread.
///
/// Example:
///   auto session = net.compile<float>(rp::cpu{}, logits | nn::softmax{}, {.batch = 1});
///   session.load("mlp.checkpoint");
///   session.run(pixels, probabilities);
template <std::floating_point T, backend Backend>
class session {
 public:
  session(const graph& net, const Backend& on, std::span<const node> outputs, const compile_options& options,
          const op_table<Backend>& ops);

  /// y ← network(x), whole batches in host memory. Does not allocate.
  /// Throws: shape_error unless x and y hold a batch of the input and the output; value_error for ids in place of
  /// numbers, or numbers in place of ids, and if another thread is running.
  void run(const host_values<T>& x, std::span<T> y) const { run_on({x}, {y}); }
  /// For a network with several inputs, in the order that the output depends on them.
  void run(std::initializer_list<host_values<T>> inputs, std::span<T> y) const { run_on(inputs, {y}); }
  /// For several outputs, in the order given to compile(); each holds a batch.
  /// Example:
  ///   auto both = net.compile<float>(rp::cpu{}, {digit, image});
  ///   both.run(pixels, {probabilities, restored});
  void run(const host_values<T>& x, std::initializer_list<std::span<T>> outputs) const { run_on({x}, outputs); }
  void run(std::initializer_list<host_values<T>> inputs, std::initializer_list<std::span<T>> outputs) const {
    run_on(inputs, outputs);
  }

  /// Zeros the state that layers carry from run to run.
  void reset_state() const {
    const exclusive::use held = alone_.enter("session");
    answer_.reset_state();
  }

  /// Times `steps` runs on x call by call: see measure_steps().
  [[nodiscard]] ridgepoint::profile profile(const host_values<T>& x, int steps = 50) const;

  /// Loads the parameters from a safetensors file or a trainer's checkpoint.
  /// Throws: data_error if the file is neither, is of another network, or exceeds the largest possible checkpoint of
  /// the whole graph; nothing is loaded then.
  void load(const std::string& file) {
    answer_.load_parameters(detail::read_tensor_bytes(file, most_checkpoint_bytes_), file);
  }
  /// Copies the current parameters of a trainer, or of anything with parameter(name).
  /// Throws: value_error if one is missing; shape_error if one has other extents; nothing is loaded then.
  template <class Source>
    requires requires(const Source& from, std::string_view name) { tensor<T>(from.parameter(name)); }
  void load(const Source& from) { answer_.take_parameters(from); }
  [[nodiscard]] tensor<T> parameter(std::string_view name) const { return answer_.parameter_values(name); }
  void set_parameter(std::string_view name, std::span<const T> values) { answer_.set_parameter_values(name, values); }
  [[nodiscard]] const network<T, Backend>& answering() const noexcept { return answer_; }
  [[nodiscard]] const ridgepoint::plan& plan() const noexcept { return answer_.program().plan(); }

 private:
  void run_on(std::initializer_list<host_values<T>> inputs, std::initializer_list<std::span<T>> outputs) const;

  std::string name_;
  network<T, Backend> answer_;
  std::uint64_t most_checkpoint_bytes_;
  mutable exclusive alone_;
};

template <std::floating_point T, backend Backend>
session<T, Backend>::session(const graph& net, const Backend& on, std::span<const node> outputs,
                             const compile_options& options, const op_table<Backend>& ops)
    : name_(net.name()),
      answer_(on, plan_session(net, outputs, detail::fed_with<T>(options)), ops),
      most_checkpoint_bytes_(detail::most_checkpoint_bytes(net, answer_.made())) {
  answer_.initialise(options.seed);
  answer_.set_state({});
}

template <std::floating_point T, backend Backend>
void session<T, Backend>::run_on(std::initializer_list<host_values<T>> inputs,
                                 std::initializer_list<std::span<T>> outputs) const {
  const exclusive::use held = alone_.enter("session");
  require<shape_error>(inputs.size() == answer_.made().inputs.size(), "run: ", inputs.size(), " inputs; must be ",
                       answer_.made().inputs.size());
  require<shape_error>(outputs.size() == answer_.made().outputs.size(), "run: ", outputs.size(), " outputs; must be ",
                       answer_.made().outputs.size());
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const index_t expected = answer_.made().batch * answer_.made().output_shapes[o].size();
    const auto room = static_cast<index_t>(outputs.begin()[o].size());
    if (room != expected) [[unlikely]]
      throw shape_error(concat("run: ", outputs.size() == 1 ? "y" : concat("output ", o), " has room for ", room,
                               " values; must be ", expected));
  }
  std::size_t i = 0, o = 0;
  for (const auto& x : inputs) answer_.feed(i++, x);
  answer_.program().run();
  for (const std::span<T> y : outputs) answer_.get(answer_.made().outputs[o++], y);
}

template <std::floating_point T, backend Backend>
ridgepoint::profile session<T, Backend>::profile(const host_values<T>& x, int steps) const {
  const exclusive::use held = alone_.enter("session");
  profile_row row = data_row(batched(answer_.made().batch, answer_.made().input_shapes.at(0)),
                             static_cast<std::uint64_t>(x.size()) * bytes_of(x.type()));
  std::vector<tensor<T>> answers;
  for (const shape& sample : answer_.made().output_shapes) answers.emplace_back(batched(answer_.made().batch, sample));
  ridgepoint::profile result = measure_steps(
      answer_.program(), steps, std::move(row), [&] { answer_.feed(x); },
      [&] {
        for (std::size_t o = 0; o < answers.size(); ++o) answer_.get(answer_.made().outputs[o], answers[o].values());
      });
  result.title = name_;
  result.dtype = to_string(answer_.made().precision);
  return result;
}

template <class T, class Backend, class Output, class UserOps>
auto graph::compile(const Backend& on, const Output& output, compile_options options, UserOps ops) const {
  constexpr bool number = std::floating_point<T>, runs = backend<Backend>,
                 of_node = std::convertible_to<const Output&, node>;
  static_assert(runs, "compile: the first argument must be a backend, such as rp::cpu");
  static_assert(!runs || of_node, "compile: the second argument must be a node of the graph");
  static_assert(number, "compile: elements must be float or double");
  if constexpr (number && runs && of_node) return compile<T>(on, {output}, std::move(options), ops);
  else return detail::nothing{};
}
template <class T, class Backend, class UserOps>
session<T, Backend> graph::compile(const Backend& on, std::initializer_list<node> outputs, compile_options options,
                                   UserOps ops) const {
  return session<T, Backend>(*this, on, outputs, options, detail::ops_with<T, Backend>(ops));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if RIDGEPOINT_COMPILED
#include <ridgepoint/cpu/cpu.hpp>
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template op_table<cpu> library_ops<float, cpu>();
RIDGEPOINT_EXTERN template class program<cpu>;
RIDGEPOINT_EXTERN template class network<float, cpu>;
RIDGEPOINT_EXTERN template class session<float, cpu>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#endif
