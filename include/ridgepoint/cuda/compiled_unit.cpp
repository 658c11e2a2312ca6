// SPDX-License-Identifier: MIT
// The network templates in the archive ridgepoint::cuda, for programs that also link ridgepoint::dispatch: that library
// has the templates shared by all backends, layers and plans.
#include <ridgepoint/cuda/cuda.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
template op_table<cuda> library_ops<float, cuda>();
template class program<cuda>;
template class network<float, cuda>;
template class session<float, cuda>;
template class detail::training_core<float, cuda>;
template class trainer<float, cuda>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
