// SPDX-License-Identifier: MIT
// The archive ridgepoint::dispatch's code of networks, in addition to kernels and the definitions of -inl headers:
// explicit instantiations under RIDGEPOINT_COMPILED of these headers, for the baseline.
#include <ridgepoint/cpu/probe.hpp>
#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/trainer.hpp>
