// SPDX-License-Identifier: MIT
#pragma once

#if !defined(__cpp_rtti)
#error "ridgepoint's graphs use dynamic_cast, which is off here: compile without -fno-rtti"
#include <ridgepoint_needs_rtti>
#endif

#include <concepts>
#include <memory>
#include <optional>
#include <typeinfo>

#include <ridgepoint/graph/initialiser.hpp>
#include <ridgepoint/graph/lowering.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A parameter of a layer: "w", {784, 512}, initialiser. A non-trainable one has no gradient and no optimiser updates
/// it: a moving statistic that the layer's own forward pass writes.
struct parameter {
  std::string name;
  shape extents;
  initialiser initial = nn::zeros;
  ridgepoint::fan fan = {};
  bool trainable = true;
  std::vector<initialiser> parts = {};  // if not empty: initialisers of equal consecutive parts, instead of `initial`
  index_t looked_up = 0;      // > 0: its gradient is a list of up to this many rows per sample: see gradient_rows()
  bool non_negative = false;  // a variance: a file with a value below 0 is refused
};

/// A layer with one input has output(shape); one with several has output(span of shapes). Shapes are per sample,
/// without the batch.
template <class L>
concept unary_layer = requires(const L& l, const shape& in) {
  { l.output(in) } -> std::same_as<shape>;
};
template <class L>
concept nary_layer = requires(const L& l, std::span<const shape> in) {
  { l.output(in) } -> std::same_as<shape>;
};

/// A layer is plain copyable data with a name, an output shape (throws shape_error) and a lowering of its forward and
/// backward pass into calls. Optional: parameters(shape) if it has any; absorb(next) if it can fuse the next layer;
/// input_type if its inputs are not the network's numbers (an element, or a function of an input's number); wide if it
/// computes in float between conversions when a plan stores bfloat16 or float16.
///
/// The library's own layers use only this interface; examples/05_custom_layer.cpp shows a custom one.
template <class L>
concept layer = std::copyable<L> &&(unary_layer<L> || nary_layer<L>)&&requires(const L& l, lowering& to) {
  { L::name } -> std::convertible_to<std::string_view>;
  l.forward(to), l.backward(to);
};

/// Any layer, held by value.
class any_layer {
 public:
  template <class L>
    requires(!std::same_as<L, any_layer>)
  &&layer<L> any_layer(L l) : self_(std::make_shared<const model<L>>(std::move(l))) {}

  [[nodiscard]] std::string_view name() const { return self_->name(); }
  /// Type of input number i; element::stored: the numbers that the network computes with.
  [[nodiscard]] element input_type(std::size_t i) const { return self_->input_type(i); }
  /// Returns true if it computes in the type of the master weights.
  [[nodiscard]] bool wide() const { return self_->wide(); }
  [[nodiscard]] shape output(std::span<const shape> in) const { return self_->output(in); }
  [[nodiscard]] std::vector<parameter> parameters(std::span<const shape> in) const { return self_->parameters(in); }
  /// Returns this layer fused with the next, if it supports that.
  [[nodiscard]] std::optional<any_layer> absorb(const any_layer& next) const { return self_->absorb(next); }
  void forward(lowering& to) const { self_->forward(to); }
  void backward(lowering& to) const { self_->backward(to); }
  /// Returns the layer inside, if it is an L.
  template <class L>
  [[nodiscard]] const L* target() const noexcept {
    const auto* held = dynamic_cast<const model<L>*>(self_.get());
    return held == nullptr ? nullptr : &held->held;
  }

 private:
  struct erased {
    virtual ~erased() = default;
    virtual std::string_view name() const = 0;
    virtual element input_type(std::size_t i) const = 0;
    virtual bool wide() const = 0;
    virtual shape output(std::span<const shape>) const = 0;
    virtual std::vector<parameter> parameters(std::span<const shape>) const = 0;
    virtual std::optional<any_layer> absorb(const any_layer&) const = 0;
    virtual void forward(lowering&) const = 0;
    virtual void backward(lowering&) const = 0;
  };
  template <class L>
  struct model final : erased {
    explicit model(L l) : held(std::move(l)) {}
    std::string_view name() const override { return L::name; }
    element input_type([[maybe_unused]] std::size_t i) const override {
      if constexpr (requires { element(L::input_type(i)); }) return L::input_type(i);
      else if constexpr (requires { element(L::input_type); }) return L::input_type;
      else return element::stored;
    }
    bool wide() const override {
      if constexpr (requires { bool(L::wide); }) return L::wide;
      else return false;
    }
    shape output(std::span<const shape> in) const override {
      if constexpr (nary_layer<L>) {
        return held.output(in);
      } else {
        require<shape_error>(in.size() == 1, L::name, ": has ", in.size(), " inputs; must have 1");
        return held.output(in[0]);
      }
    }
    std::vector<parameter> parameters(std::span<const shape> in) const override {
      if constexpr (requires { held.parameters(in[0]); }) return held.parameters(in[0]);
      else return {};
    }
    std::optional<any_layer> absorb(const any_layer& next) const override {
      if constexpr (requires { held.absorb(next); }) return held.absorb(next);
      else return std::nullopt;
    }
    void forward(lowering& to) const override { held.forward(to); }
    void backward(lowering& to) const override { held.backward(to); }
    L held;
  };
  std::shared_ptr<const erased> self_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
