// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every op of the TPU backend and its modelled time.
#include <ridgepoint/mxu/attention.hpp>
#include <ridgepoint/mxu/bfloat16.hpp>
#include <ridgepoint/mxu/conv2d.hpp>
#include <ridgepoint/mxu/gemm.hpp>
#include <ridgepoint/mxu/plan.hpp>
#include <ridgepoint/mxu/recurrent.hpp>
#include <ridgepoint/mxu/vector_unit.hpp>
