// SPDX-License-Identifier: MIT
#include "onednn.hpp"

namespace ridgepoint::inline RIDGEPOINT_ABI {
template op_table<either<onednn, cpu>> library_ops<float, either<onednn, cpu>>();
template class program<either<onednn, cpu>>;
template class network<float, either<onednn, cpu>>;
template class session<float, either<onednn, cpu>>;
template class detail::training_core<float, either<onednn, cpu>>;
template class trainer<float, either<onednn, cpu>>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
