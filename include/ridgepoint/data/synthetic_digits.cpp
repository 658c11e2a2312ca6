// SPDX-License-Identifier: MIT
// Definitions of the synthetic digits, compiled once into the archive ridgepoint::dispatch.
#include <ridgepoint/data/synthetic_digits-inl.hpp>
