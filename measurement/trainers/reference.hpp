// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/session.hpp>
#include <ridgepoint/graph/trainer.hpp>
#include <ridgepoint/reference/all.hpp>

/// \file
/// Training in f32 on the reference backend, compiled once: link ridgepoint_reference_trainer.

namespace ridgepoint::inline RIDGEPOINT_ABI {
extern template op_table<reference_backend> library_ops<float, reference_backend>();
extern template class program<reference_backend>;
extern template class network<float, reference_backend>;
extern template class session<float, reference_backend>;
extern template class detail::training_core<float, reference_backend>;
extern template class trainer<float, reference_backend>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
