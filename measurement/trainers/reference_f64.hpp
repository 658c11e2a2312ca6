// SPDX-License-Identifier: MIT
#pragma once

#include "reference.hpp"

/// \file
/// Training in f64 on the reference backend, compiled once: link ridgepoint_reference_f64_trainer.

namespace ridgepoint::inline RIDGEPOINT_ABI {
extern template op_table<reference_backend> library_ops<double, reference_backend>();
extern template class network<double, reference_backend>;
extern template class session<double, reference_backend>;
extern template class detail::training_core<double, reference_backend>;
extern template class trainer<double, reference_backend>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
