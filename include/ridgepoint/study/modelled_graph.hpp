// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <typeindex>
#include <unordered_map>

#include <ridgepoint/graph/compiled.hpp>
#include <ridgepoint/ops/all.hpp>

/// \file
/// What models of machines share: the time of each call of a plan by modelled(on, args), which is found like execute().
namespace ridgepoint::inline RIDGEPOINT_ABI::study {

/// What a model says of an op.
template <class On, class Op>
using op_modeller = Op (*)(const On&, const void* args);

/// The modeller of the listed op whose arguments have this type; null if it is not listed or the model has no time for
/// it.
template <class On, class Op, class... Args>
[[nodiscard]] op_modeller<On, Op> find_modeller(type_list<Args...>, std::type_index type) {
  static const std::unordered_map<std::type_index, op_modeller<On, Op>> modellers = [] {
    std::unordered_map<std::type_index, op_modeller<On, Op>> all;
    const auto add = [&]<class A>() {
      if constexpr (requires(const On& on, const A& args) {
                      { modelled(on, args) } -> std::same_as<Op>;
                    })
        all[typeid(A)] = [](const On& on, const void* args) { return modelled(on, *static_cast<const A*>(args)); };
    };
    (add.template operator()<Args>(), ...);
    return all;
  }();
  const auto found = modellers.find(type);
  return found == modellers.end() ? nullptr : found->second;
}

/// Addresses for a plan that will not run: every slot at its offset in a region of its own, so that the checks of the
/// ops hold. Nothing is there.
[[nodiscard]] inline addresses stand_in_addresses(const plan& steps) {
  addresses at;
  for (const planned_slot& s : steps.planned_slots) {
    const std::uintptr_t region = (static_cast<std::uintptr_t>(s.where) + 1) << 44;  // 16 TiB for each
    at.add(reinterpret_cast<void*>(region + s.offset));
  }
  return at;
}

/// Calls use(call, op) for each call of a plan that takes time on `on`, in order; `machine` is its name in messages.
/// Throws: unsupported if the model has no time for an op.
template <class Op, class On, class UserOps, class Use>
void for_each_modelled(const On& on, std::string_view machine, const plan& steps, UserOps user_ops, const Use& use) {
  const addresses at = stand_in_addresses(steps);
  for (const planned_call& call : steps.calls) {
    const auto model = find_modeller<On, Op>(all_ops<float>{} + untyped_ops{} + user_ops, call.type);
    require<unsupported>(model != nullptr, machine, " has no place for ", call.op, " (layer ", call.info.layer, ')');
    const std::shared_ptr<const void> args = call.bind(at);
    Op op = model(on, args.get());
    if (op.elapsed_s == 0) continue;
    op.pass = call.info.pass;
    op.shape = call.info.shape;
    use(call, std::move(op));
  }
}

/// Values of one sample that are fed.
[[nodiscard]] inline index_t fed_values(const compiled& made) {
  index_t values = 0;
  for (const shape& s : made.input_shapes) values += s.size();
  return values;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study
