// SPDX-License-Identifier: MIT
#pragma once

/// Replaces support/kernels_under_test.hpp if the include path begins with this folder.
inline constexpr bool compiles_kernels = false;
