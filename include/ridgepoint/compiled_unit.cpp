// SPDX-License-Identifier: MIT
// What the archive ridgepoint::dispatch holds beside the kernels: functions under RIDGEPOINT_DEFINES and explicit
// instantiations under RIDGEPOINT_COMPILED of these headers, for the baseline.
#include <ridgepoint/cpu/probe.hpp>
#include <ridgepoint/data/synthetic_digits.hpp>
#include <ridgepoint/graph/compile.hpp>
#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/summary.hpp>
#include <ridgepoint/graph/trainer.hpp>
#include <ridgepoint/roofline/table.hpp>
