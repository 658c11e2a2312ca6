// SPDX-License-Identifier: MIT
// What the archive ridgepoint::dispatch holds of networks: the explicit instantiations at the end of these headers.
#include <ridgepoint/cpu/probe.hpp>
#include <ridgepoint/graph/compile.hpp>
#include <ridgepoint/graph/layers.hpp>
