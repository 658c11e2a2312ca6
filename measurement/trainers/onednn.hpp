// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/either.hpp>
#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/graph/session.hpp>
#include <ridgepoint/graph/trainer.hpp>
#include <ridgepoint/onednn/all.hpp>

/// \file
/// Training in f32 on oneDNN, and on rp::cpu for ops that oneDNN lacks, compiled once: link ridgepoint_onednn_trainer.

namespace ridgepoint::inline RIDGEPOINT_ABI {
extern template op_table<either<onednn, cpu>> library_ops<float, either<onednn, cpu>>();
extern template class program<either<onednn, cpu>>;
extern template class network<float, either<onednn, cpu>>;
extern template class session<float, either<onednn, cpu>>;
extern template class detail::training_core<float, either<onednn, cpu>>;
extern template class trainer<float, either<onednn, cpu>>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
