// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/mxu/mxu.hpp>
#include <ridgepoint/ops/all.hpp>
#include <ridgepoint/reference/all.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace systolic {

/// Op that runs on the vector unit: without a product, or with one that would leave the array almost empty.
template <class Args>
concept vector_op = decltype(all_ops<float>{} +
                             untyped_ops{})::template contains<Args>&& product_of<Args> != product_kind::dense;

/// Such an op in bfloat16 storage, or a conversion to or from it.
template <class Args>
concept stored_vector_op =
    decltype(all_ops<bfloat16>{} + conversion_ops{})::template contains<Args>&& product_of<Args> != product_kind::dense;

}  // namespace systolic

/// Runs in fp32 on the host's kernels, or by definition where the host lacks one.
template <backend Host, class Args>
  requires(systolic::vector_op<Args> || systolic::stored_vector_op<Args>)
void execute(const mxu<Host>& on, const Args& args) {
  if constexpr (executes<Host, Args>) execute(on.host(), args);
  else execute(reference, args);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
