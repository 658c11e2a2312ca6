// SPDX-License-Identifier: MIT
// Device code compiled for the host; each kernel's parameters are checked against its host arguments.
#include <mutex>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "chain_kernels.hpp"
#include "emulator.hpp"
#include "image_kernels.hpp"

#include <ridgepoint/cuda/convolution.hpp>
#include <ridgepoint/cuda/device/ceilings.hpp>
#include <ridgepoint/cuda/device/conversions.hpp>
#include <ridgepoint/cuda/device/convolution.hpp>
#include <ridgepoint/cuda/device/elementwise.hpp>
#include <ridgepoint/cuda/device/losses.hpp>
#include <ridgepoint/cuda/device/products.hpp>
#include <ridgepoint/cuda/device/reductions.hpp>
#include <ridgepoint/cuda/device/rows.hpp>
#include <ridgepoint/cuda/device/updates.hpp>
#include <ridgepoint/cuda/runtime/kernels.hpp>

#include "sequence_kernels.hpp"

namespace {

namespace device = ridgepoint_device;
namespace host = ridgepoint::detail;

static_assert(sizeof(device::bfloat16) == sizeof(ridgepoint::bfloat16));
static_assert(sizeof(device::float16) == sizeof(ridgepoint::float16));
static_assert(sizeof(device::step_state) == sizeof(ridgepoint::step_state));
static_assert(offsetof(device::step_state, gradient_squares) == offsetof(ridgepoint::step_state, gradient_squares));
static_assert(offsetof(device::step_state, skipped_steps) == offsetof(ridgepoint::step_state, skipped_steps));
static_assert(offsetof(device::step_state, base_learning_rate) == offsetof(ridgepoint::step_state, base_learning_rate));
static_assert(offsetof(device::step_state, loss) == offsetof(ridgepoint::step_state, loss));
static_assert(offsetof(device::rate_schedule, boundaries) == offsetof(ridgepoint::rate_schedule, boundaries));
static_assert(offsetof(device::update_rule, skips_non_finite) == offsetof(ridgepoint::update_rule, skips_non_finite));
static_assert(offsetof(device::listed_rows, width) == offsetof(ridgepoint::listed_rows, width));
static_assert(device::taps_of_a_thread == host::taps_of_a_thread);
static_assert(device::transposed_tile == host::transposed_tile);
static_assert(offsetof(device::loss_part, ignored) == offsetof(host::loss_part, ignored));

static_assert(offsetof(device::conv2d_geometry, kw) == offsetof(ridgepoint::conv2d_geometry, kw));
static_assert(offsetof(device::conv2d_geometry, stride_h) == offsetof(ridgepoint::conv2d_geometry, stride));
static_assert(offsetof(device::conv2d_geometry, top) == offsetof(ridgepoint::conv2d_geometry, padding));
static_assert(offsetof(device::conv2d_geometry, dilation_h) == offsetof(ridgepoint::conv2d_geometry, dilation));
static_assert(offsetof(device::conv2d_geometry, groups) == offsetof(ridgepoint::conv2d_geometry, groups));

/// Whether a host argument matches the device parameter: both the same kind of number, or both of the same size.
template <class Host, class Device>
constexpr bool passes = sizeof(Host) == sizeof(Device) &&
                        std::is_floating_point_v<Host> == std::is_floating_point_v<Device>&& std::is_pointer_v<Host> ==
                            std::is_pointer_v<Device>;

/// Returns the pointers in an argument of this type.
template <class Argument>
std::vector<emulator::pointer> pointers_in(std::size_t argument, const Argument*) {
  if constexpr (!std::is_pointer_v<Argument>) return {};
  else if constexpr (std::is_void_v<std::remove_pointer_t<Argument>>) return {{argument, 0, 1}};
  else return {{argument, 0, alignof(std::remove_pointer_t<Argument>)}};
}
std::vector<emulator::pointer> pointers_in(std::size_t argument, const device::listed_rows*) {
  return {{argument, offsetof(device::listed_rows, rows), alignof(int)}};
}
std::vector<emulator::pointer> pointers_in(std::size_t argument, const device::attention_extents*) {
  return {{argument, offsetof(device::attention_extents, lengths), alignof(int)}};
}
template <class T>
std::vector<emulator::pointer> pointers_in(std::size_t argument, const device::heads<T>*) {
  return {{argument, offsetof(device::heads<T>, data), alignof(T)}};
}
template <class T>
std::vector<emulator::pointer> pointers_in(std::size_t argument, const device::placed_weights<T>*) {
  using weights = device::placed_weights<T>;
  std::vector<emulator::pointer> all;
  for (std::size_t at = offsetof(weights, each); at < sizeof(weights); at += sizeof(device::placed_weight<T>))
    all.push_back({argument, at + offsetof(device::placed_weight<T>, ours), alignof(T)});
  return all;
}
template <class... Arguments>
std::vector<emulator::pointer> pointers_in_all() {
  std::vector<emulator::pointer> all;
  std::size_t argument = 0;
  for (const auto& some : std::initializer_list<std::vector<emulator::pointer>>{
           pointers_in(argument++, static_cast<const std::remove_cv_t<Arguments>*>(nullptr))...})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

std::unordered_map<std::string, emulator::kernel> made;

template <class... Host, class... Device>
void add(const host::kernel<Host...>& k, void (*run)(Device...)) {
  static_assert((passes<Host, Device> && ...), "a kernel's parameters differ between host and device");
  const auto call = [run]<std::size_t... I>(void** args, std::index_sequence<I...>) {
    run(*static_cast<std::remove_cv_t<Device>*>(args[I])...);
  };
  made.emplace(k.expression(),
               emulator::kernel{.run = [call](void** args) { call(args, std::index_sequence_for<Device...>{}); },
                                .argument_bytes = {sizeof(Device)...},
                                .pointers = pointers_in_all<Device...>()});
}

/// Adds the kernels of elements T; On is T in device code.
template <class T, class On = T>
void add_all_of() {
  using elementwise = host::elementwise_kernels<T>;
  add(elementwise::activate, device::activate<On>);
  add(elementwise::activate_backward, device::activate_backward<On>);
  add(elementwise::add, device::add<On>);
  add(elementwise::add_bias, device::add_bias<On>);
  add(elementwise::dropout, device::dropout<On>);
  using reductions = host::reduction_kernels<T>;
  add(reductions::column_sums, device::column_sums<On>);
  add(reductions::column_sum_parts, device::column_sum_parts<On>);
  add(reductions::sums_of_column_parts, device::sums_of_column_parts<On>);
  using losses = host::loss_kernels<T>;
  add(losses::softmax, device::softmax<On>);
  add(losses::softmax_cross_entropy, device::softmax_cross_entropy<On>);
  add(losses::mse, device::mse<On>);
  add(losses::binary_cross_entropy, device::binary_cross_entropy<On>);
  add(host::product_kernels<T>::gemm, device::gemm<On>);
  each_sequence_kernel<T, On>([](const auto& k, auto run) { add(k, run); });
  using convolutions = host::convolution_kernels<T>;
  add(convolutions::convolve, device::convolve<On>);
  add(convolutions::convolve_back, device::convolve_back<On>);
  add(convolutions::convolution_weights, device::convolution_weights<On>);
  add(convolutions::finish, device::finish_convolution<On>);
  add(convolutions::transpose, device::transpose<On>);
  add_image_kernels<T, On>([](const auto& k, auto* run) { add(k, run); });
  if constexpr (host::computes_as_stored<T>) {
    add(reductions::square_parts, device::square_parts<On>);
    add(losses::detection, device::detection<On>);
    using updates = host::update_kernels<T>;
    add(updates::sgd, device::sgd_update<On>);
    add(updates::momentum, device::momentum_update<On>);
    add(updates::rmsprop_keras, device::rmsprop_keras_update<On>);
    add(updates::rmsprop_tf1, device::rmsprop_tf1_update<On>);
    add(updates::adam, device::adam_update<On>);
    add(updates::adadelta, device::adadelta_update<On>);
  } else {
    add(host::product_kernels<T>::finish, device::finish_product<On>);
  }
}

template <class To, class From, class OnTo, class OnFrom>
void add_conversions() {
  using conversions = host::conversion_kernels<To, From>;
  add(conversions::convert, device::convert<OnTo, OnFrom>);
  add(conversions::convert_steps, device::convert_steps<OnTo, OnFrom>);
}
/// Adds the kernels of a type that is computed in float.
template <class T, class On>
void add_all_of_short() {
  add_all_of<T, On>();
  add_conversions<T, float, On, float>();
  add_conversions<float, T, float, On>();
}

}  // namespace

const emulator::kernel* emulator::find(const std::string& expression) {
  if (made.empty()) {
    add_all_of<float>();
    add_all_of<double>();
    add_all_of_short<ridgepoint::bfloat16, device::bfloat16>();
    add_all_of_short<ridgepoint::float16, device::float16>();
    using untyped = host::untyped_kernels;
    using ceilings = host::ceiling_kernels;
    add(ceilings::multiply_add_chains<float>, device::multiply_add_chains<float>);
    add(ceilings::multiply_add_chains<double>, device::multiply_add_chains<double>);
    add(ceilings::copy_words, device::copy_words);
    add(ceilings::read_words, device::read_words);
    add(ceilings::write_words, device::write_words);
    add(ceilings::nothing, device::nothing);
    add(host::row_kernels::gather_words, device::gather_rows<unsigned>);
    add(host::row_kernels::gather_halves, device::gather_rows<unsigned short>);
    add(untyped::advance, device::advance);
    add(untyped::count_ignored, device::count_ignored);
    add(untyped::gather_loss, device::gather_loss);
    add(untyped::gather_squares, device::gather_squares);
    emulated_chains::add_all([](const auto& k, auto* run) {
      add(k, run);
      emulated_chains::add_rules(made.at(k.expression()), k.expression());
    });
  }
  const auto found = made.find(expression);
  return found == made.end() ? nullptr : &found->second;
}

const emulator::kernel* emulator::describe_chain(const std::string& expression) {
  static std::mutex alone;
  static std::unordered_map<std::string, emulator::kernel> described;
  if (!expression.starts_with("ridgepoint_device::chain<")) return nullptr;
  const std::lock_guard held(alone);
  const auto [found, is_new] = described.try_emplace(expression);
  if (is_new) {
    found->second.run = [expression](void**) { throw std::logic_error("not compiled: " + expression); };
    found->second.argument_bytes = {sizeof(device::chain_arguments)};
    emulated_chains::add_rules(found->second, expression);
  }
  return &found->second;
}
