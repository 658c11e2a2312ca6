// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every op the CPU backend has.
#include <ridgepoint/cpu/gemm.hpp>
