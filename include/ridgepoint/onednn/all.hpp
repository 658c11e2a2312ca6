// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every op the oneDNN backend has. For the others there is either<onednn, cpu>.
#include <ridgepoint/onednn/activate.hpp>
#include <ridgepoint/onednn/add.hpp>
#include <ridgepoint/onednn/dense.hpp>
#include <ridgepoint/onednn/gemm.hpp>
#include <ridgepoint/onednn/gemm_batched.hpp>
#include <ridgepoint/onednn/softmax.hpp>
