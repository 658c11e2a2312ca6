// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/cuda/normalisation.hpp>
#include <ridgepoint/cuda/runtime/chain_kernel.hpp>
#include <ridgepoint/cuda/runtime/context.hpp>
#include <ridgepoint/ops/chain.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// A chain of element-wise calls that runs as one kernel, compiled for this sequence. Each call joins it, in order.
class element_chain {
 public:
  /// Adds a step that computes y from a and b, each null if unused.
  template <class In, class Out>
  void add(chain_step_form form, const In* a, const In* b, Out* y, index_t size, chain_step_argument given) {
    form.in = element_word<In>;
    form.out = element_word<Out>;
    form.a = source(a);
    form.b = source(b);
    given.a = form.a == from_memory ? a : nullptr;
    given.b = form.b == from_memory ? b : nullptr;
    given.y = form.kept ? y : nullptr;
    arguments_.size = size;
    arguments_.steps.at(steps_.size()) = given;
    steps_.push_back(form);
    results_.push_back(y);
    name_ += concat(name_.empty() ? "chain " : "+", to_string(form.what));
    parameters_ = chain_parameters(steps_);
    widest_bytes_ = (std::max)({widest_bytes_, sizeof(In), sizeof(Out)});
    const auto together = static_cast<index_t>(pack_bytes / widest_bytes_);
    arguments_.packed = aligned() ? size / together * together : 0;
    packs_ = ceil_div(size, together);
  }

  /// Returns the kernel to compile with NVRTC.
  [[nodiscard]] kernel<chain_argument> wanted() const { return chain_kernel(parameters_); }
  [[nodiscard]] const chain_argument& arguments() const noexcept { return arguments_; }

  /// Compiles the kernel; call once, after all calls joined. run() allocates and compiles nothing.
  void prepare(cuda_context& on) {
    if (before_) on.rehearse([&] { before_(on); });
    shape_ = on.loop(packs_);
    found_ = on.find_by_expression(wanted());
  }
  void run(cuda_context& on) const {
    if (before_) before_(on);
    on.start(found_, name_.c_str(), shape_, arguments_);
  }

  /// Sets the work to run before the element-wise pass.
  void begin_with(std::function<void(cuda_context&)> before) { before_ = std::move(before); }

  /// A conversion to a wider type that joined the chain. First passes run before the chain, so they read the stored
  /// elements instead of the conversion's result.
  struct widening {
    const void *result, *stored;
    element type;  // of the stored elements
    const step_state* scale_state;
  };
  void add_widening(const widening& w) { widenings_.push_back(w); }
  /// Returns the step that widens to this address; null if none does.
  [[nodiscard]] const widening* widening_to(const void* result) const {
    const auto found = std::ranges::find(widenings_, result, &widening::result);
    return found == widenings_.end() ? nullptr : &*found;
  }

 private:
  static constexpr std::size_t pack_bytes = 16;

  /// Returns the last step whose result is at this address; otherwise from_memory, or from_nowhere for null.
  [[nodiscard]] int source(const void* input) const {
    for (std::size_t s = results_.size(); s-- > 0;)
      if (results_[s] == input) return static_cast<int>(s);
    return input == nullptr ? from_nowhere : from_memory;
  }
  /// Returns whether all inputs and outputs are aligned for accesses of 16 bytes.
  [[nodiscard]] bool aligned() const {
    return std::all_of(arguments_.steps.begin(), arguments_.steps.end(), [](const chain_step_argument& s) {
      const auto lies_well = [](const void* at) { return reinterpret_cast<std::uintptr_t>(at) % pack_bytes == 0; };
      return lies_well(s.a) && lies_well(s.b) && lies_well(s.y);
    });
  }

  std::vector<chain_step_form> steps_;
  std::vector<const void*> results_;  // the destination of each step
  std::vector<widening> widenings_;
  std::string parameters_, name_;
  std::function<void(cuda_context&)> before_;
  chain_argument arguments_;
  std::size_t widest_bytes_ = 1;  // of one element
  index_t packs_ = 0;
  launch_shape shape_;
  cudaKernel_t found_ = nullptr;
};

/// Adds one of chain_ops as a step; `form` says whether its result is stored.
template <class T>
void join(element_chain& to, const activate_args<T>& c, chain_step_form form, void*) {
  form.what = chained::activate, form.f = c.f;
  to.add<T, T>(form, c.x, nullptr, c.y, c.size, {.number = c.slope});
}
template <class T>
void join(element_chain& to, const activate_backward_args<T>& c, chain_step_form form, void*) {
  form.what = chained::activate_backward, form.f = c.f;
  to.add<T, T>(form, c.f == activation::none ? nullptr : c.y, c.dy, c.dx, c.size, {.number = c.slope});
}
template <class T>
void join(element_chain& to, const add_args<T>& c, chain_step_form form, void*) {
  form.what = chained::add;
  to.add<T, T>(form, c.a, c.b, c.y, c.size, {});
}
template <class T>
void join(element_chain& to, const add_bias_args<T>& c, chain_step_form form, void*) {
  form.what = chained::add_bias, form.f = c.act;
  to.add<T, T>(form, c.x, nullptr, c.y, c.rows * c.channels, {.columns = {c.bias}, .channels = c.channels});
}
template <class To, class From>
void join(element_chain& to, const convert_args<To, From>& c, chain_step_form form, void*) {
  form.what = c.scale_state == nullptr    ? chained::convert
              : sizeof(To) < sizeof(From) ? chained::scale
                                          : chained::unscale;
  to.add<From, To>(form, c.x, nullptr, c.y, c.size, {.state = c.scale_state});
  if constexpr (sizeof(From) < sizeof(To)) to.add_widening({c.y, c.x, element_of<From>, c.scale_state});
}

/// Calls use(maps) with the maps of a normalisation as stored: the inputs of preceding conversions, otherwise `maps`.
template <class T, class Use>
void with_stored_maps(const element_chain& chain, const stored_maps<T>& maps, const Use& use) {
  const element_chain::widening* const x = chain.widening_to(maps.x);
  const element_chain::widening* const dy = maps.dy == nullptr ? x : chain.widening_to(maps.dy);
  if (x == nullptr && dy == nullptr) return use(maps);
  require<value_error>(x != nullptr && dy != nullptr && x->type == dy->type && x->scale_state == nullptr,
                       "chain: conversions before a batch normalisation must convert all its inputs, from one "
                       "type, and must not scale x");
  const auto use_as = [&]<class X>(const X* stored) {
    const X* const gradient = maps.dy == nullptr ? nullptr : static_cast<const X*>(dy->stored);
    use(stored_maps<X>{.x = stored, .dy = gradient, .scale_state = dy->scale_state});
  };
  if constexpr (std::is_same_v<T, float>) {
    if (x->type == element::bf16) use_as(static_cast<const bfloat16*>(x->stored));
    else use_as(static_cast<const float16*>(x->stored));
  }
}
template <class T>
void join(element_chain& to, const batch_norm_args<T>& c, chain_step_form form, void* workspace) {
  form.what = chained::normalise;
  with_stored_maps(to, stored_maps<T>{c.x}, [&](const auto& maps) {
    to.begin_with([=](cuda_context& on) { find_scales(on, c, maps.x, workspace); });
  });
  const T* const centre = static_cast<const T*>(workspace);
  const auto scales = [&](index_t row) { return centre == nullptr ? nullptr : centre + row * c.channels; };
  to.add<T, T>(form, c.x, nullptr, c.y, c.rows * c.channels,
               {.columns = {c.beta, scales(0), scales(1), scales(2)}, .channels = c.channels});
}
template <class T>
void join(element_chain& to, const batch_norm_backward_args<T>& c, chain_step_form form, void* workspace) {
  form.what = chained::normalise_backward;
  with_stored_maps(to, stored_maps<T>{c.x, c.dy}, [&](const auto& maps) {
    to.begin_with([=](cuda_context& on) { find_parameter_gradients(on, c, maps, workspace); });
  });
  to.add<T, T>(form, c.x, c.dy, c.dx, c.rows * c.channels,
               {.columns = {c.gamma, c.mean, c.inverse, c.dgamma, c.dbeta},
                .channels = c.channels,
                .number = T(1) / static_cast<T>(c.rows)});
}
template <class T>
void join(element_chain& to, const batch_norm_inference_args<T>& c, chain_step_form form, void*) {
  form.what = chained::normalise_by;
  to.add<T, T>(form, c.x, nullptr, c.y, c.rows * c.channels,
               {.columns = {c.gamma, c.beta, c.mean, c.variance}, .channels = c.channels, .number = c.options.epsilon});
}
template <class T>
void join(element_chain& to, const dropout_args<T>& c, chain_step_form form, void*) {
  form.what = chained::dropout;
  const dropout_mask mask(c.rate, c.seed, 0, c.stream);  // the device knows the step
  to.add<T, T>(
      form, c.x, nullptr, c.y, c.size,
      {.number = mask.scale(),
       .state = c.state,
       .mask = {.seed = c.seed, .steps = c.steps, .width = c.width, .stream = c.stream, .threshold = mask.threshold}});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
