// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every op the oneDNN backend has: all of ops/all.hpp in f32.
#include <ridgepoint/onednn/activate.hpp>
#include <ridgepoint/onednn/add.hpp>
#include <ridgepoint/onednn/dense.hpp>
#include <ridgepoint/onednn/gemm.hpp>
#include <ridgepoint/onednn/gemm_batched.hpp>
#include <ridgepoint/onednn/own_kernels.hpp>
#include <ridgepoint/onednn/softmax.hpp>
