// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// class convolution_library: cuDNN's convolutions, if cuDNN is available.
#if defined(RIDGEPOINT_WITH_CUDNN)
#include <ridgepoint/cuda/runtime/cudnn_convolutions.hpp>
#else
#include <ridgepoint/cuda/runtime/no_convolutions.hpp>
#endif
