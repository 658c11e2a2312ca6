// SPDX-License-Identifier: MIT
#pragma once

/// As in support/kernels_under_test.hpp, where the include path begins with this folder.
inline constexpr bool compiles_kernels = false;
