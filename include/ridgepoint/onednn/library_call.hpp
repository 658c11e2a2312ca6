// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>

#include <ridgepoint/onednn/onednn.hpp>
#include <ridgepoint/ops/prepare.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace onednn_detail {
/// How the op of these arguments is asked of the library. Each op specialises it, and has an execute() and a prepare()
/// beside it that go this way:
///   asks(args)              whether it is the library's at all; what is empty is not
///   otherwise(on, args)     what is done where it is not
///   key(args)               the op and everything that is not a pointer
///   recipes(engine, args)   ways to compute it, of which the fastest is taken
///   pointers(args)          an array of those to the recipes' operands, in their order
template <class Args>
struct library_call;

/// The arguments of ops that share an execute() and a prepare().
template <class Args, class... Ops>
concept one_of = (std::same_as<Args, Ops> || ...);

template <class Args>
[[nodiscard]] recipe& recipe_of(const onednn& on, const Args& args) {
  return on.recipe_of(library_call<Args>::key(args),
                      [&](const dnnl::engine& engine) { return library_call<Args>::recipes(engine, args); });
}
template <class Args>
void execute_call(const onednn& on, const Args& args) {
  using call = library_call<Args>;
  if (!call::asks(args)) call::otherwise(on, args);
  else on.run(recipe_of(on, args), call::pointers(args));
}
}  // namespace onednn_detail

/// A call whose primitives are built and chosen.
struct onednn_prepared {
  onednn_detail::recipe* recipe = nullptr;  // the backend's; null where the library is not asked
  preparation told = {};
};
namespace onednn_detail {
template <class Args>
[[nodiscard]] onednn_prepared prepare_call(const onednn& on, const Args& args) {
  onednn_prepared made{.told = {.executed = receipt(args)}};
  if (!library_call<Args>::asks(args)) return made;
  made.recipe = &recipe_of(on, args);
  made.told.algorithm = made.recipe->algorithm();
  return made;
}
}  // namespace onednn_detail

template <class Args>
void execute(const onednn& on, const onednn_prepared& made, const Args& args, const call_memory&) {
  using call = onednn_detail::library_call<Args>;
  if (made.recipe == nullptr) call::otherwise(on, args);
  else on.run(*made.recipe, call::pointers(args));
}
template <class Args>
void make_constants(const onednn&, const onednn_prepared&, const Args&, void*) {}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
