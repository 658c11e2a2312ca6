// SPDX-License-Identifier: MIT
// What the archive ridgepoint::dispatch holds of networks in addition to kernels and definitions of the -inl headers:
// explicit instantiations under RIDGEPOINT_COMPILED of these headers, for the baseline.
#include <ridgepoint/cpu/probe.hpp>
#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/trainer.hpp>
