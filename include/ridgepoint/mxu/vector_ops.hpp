// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/mxu/mxu.hpp>
#include <ridgepoint/ops/all.hpp>
#include <ridgepoint/reference/all.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace systolic {

/// An op without a product, or with one that would leave the array almost empty: the vector unit's.
template <class Args>
concept vector_op = decltype(all_ops<float>{} +
                             untyped_ops{})::template contains<Args>&& product_of<Args> != product_kind::dense;

/// The same in bfloat16 storage, or the way there or back.
template <class Args>
concept stored_vector_op =
    decltype(all_ops<bfloat16>{} + conversion_ops{})::template contains<Args>&& product_of<Args> != product_kind::dense;

}  // namespace systolic

/// In fp32 on the host's own kernels; where the host has none yet, by definition.
template <backend Host, class Args>
  requires(systolic::vector_op<Args> || systolic::stored_vector_op<Args>)
void execute(const mxu<Host>& on, const Args& args) {
  if constexpr (executes<Host, Args>) execute(on.host(), args);
  else execute(reference, args);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
