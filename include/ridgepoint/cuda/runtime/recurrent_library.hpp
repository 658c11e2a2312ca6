// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// class recurrent_library: cuDNN's recurrent layers, if cuDNN is available.
#if defined(RIDGEPOINT_WITH_CUDNN)
#include <ridgepoint/cuda/runtime/cudnn_recurrent.hpp>
#else
#include <ridgepoint/cuda/runtime/no_recurrent.hpp>
#endif
