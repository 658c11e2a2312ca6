// SPDX-License-Identifier: MIT
#include "reference_f64.hpp"

namespace ridgepoint::inline RIDGEPOINT_ABI {
template op_table<reference_backend> library_ops<double, reference_backend>();
template class network<double, reference_backend>;
template class session<double, reference_backend>;
template class detail::training_core<double, reference_backend>;
template class trainer<double, reference_backend>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
