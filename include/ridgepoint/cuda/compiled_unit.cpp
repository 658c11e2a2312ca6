// SPDX-License-Identifier: MIT
// What the archive ridgepoint::cuda holds of networks, for programs that link ridgepoint::dispatch as well: their own
// share of it, layers and plans, is there.
#include <ridgepoint/cuda/cuda.hpp>
#include <ridgepoint/graph/session.hpp>
#include <ridgepoint/graph/trainer.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
template op_table<cuda> library_ops<float, cuda>();
template class program<cuda>;
template class network<float, cuda>;
template class session<float, cuda>;
template class detail::learner<float, cuda>;
template class trainer<float, cuda>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
