// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>

#include <ridgepoint/onednn/onednn.hpp>
#include <ridgepoint/ops/prepare.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace onednn_detail {
/// Translation of an op's arguments to library calls. Each op specialises it, and defines an execute() and a prepare()
/// that use it:
///   asks(args)              whether the library computes it; false for empty operands
///   otherwise(on, args)     computes it if the library does not
///   key(args)               the op and everything that is not a pointer
///   recipes(engine, args)   candidates; the fastest is chosen
///   pointers(args)          array of pointers to the recipes' operands, in their order
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

/// A call whose primitives are created and chosen.
struct onednn_prepared {
  onednn_detail::recipe* recipe = nullptr;  // owned by the backend; null if the library is not used
  preparation info = {};
};
namespace onednn_detail {
template <class Args>
[[nodiscard]] onednn_prepared prepare_call(const onednn& on, const Args& args) {
  onednn_prepared made{.info = {.executed = receipt(args)}};
  if (!library_call<Args>::asks(args)) return made;
  made.recipe = &recipe_of(on, args);
  made.info.algorithm = made.recipe->algorithm();
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
