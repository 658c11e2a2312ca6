// SPDX-License-Identifier: MIT
#include "reference.hpp"

namespace ridgepoint::inline RIDGEPOINT_ABI {
template op_table<reference_backend> library_ops<float, reference_backend>();
template class program<reference_backend>;
template class network<float, reference_backend>;
template class session<float, reference_backend>;
template class detail::training_core<float, reference_backend>;
template class trainer<float, reference_backend>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
