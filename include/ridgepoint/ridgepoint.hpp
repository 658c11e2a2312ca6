// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Everything that needs no library but xsimd: ops, the CPU backend, the reference and the TPU, graphs, models,
/// machines and data (with zlib where its header is found). Beside it: onednn/ and headers named
/// *json*.
#include <ridgepoint/core/tensor.hpp>
#include <ridgepoint/cpu/all.hpp>
#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/cpu/probe.hpp>
#include <ridgepoint/graph/checkpoint.hpp>
#include <ridgepoint/graph/network.hpp>
#include <ridgepoint/graph/session.hpp>
#include <ridgepoint/graph/trainer.hpp>
#include <ridgepoint/models/all.hpp>
#include <ridgepoint/mxu/all.hpp>
#include <ridgepoint/mxu/array_trace_svg.hpp>
#include <ridgepoint/mxu/chip_check.hpp>
#include <ridgepoint/mxu/chips.hpp>
#include <ridgepoint/mxu/scalesim.hpp>
#include <ridgepoint/ops/all.hpp>
#include <ridgepoint/reference/all.hpp>
#include <ridgepoint/roofline/machines.hpp>
#include <ridgepoint/roofline/measure.hpp>
#include <ridgepoint/roofline/placement.hpp>
#include <ridgepoint/roofline/plot.hpp>
#include <ridgepoint/roofline/region.hpp>
#include <ridgepoint/roofline/svg.hpp>
#include <ridgepoint/roofline/table.hpp>
#include <ridgepoint/study/calibrate.hpp>
#include <ridgepoint/study/graph_on_tpu.hpp>
#include <ridgepoint/study/numerics.hpp>
#include <ridgepoint/study/target.hpp>
#include <ridgepoint/study/tpu_profile.hpp>
#include <ridgepoint/study/tpu_sweep.hpp>
#include <ridgepoint/version.hpp>
#if __has_include(<zlib.h>)
#include <ridgepoint/data/loader.hpp>
#include <ridgepoint/data/mnist.hpp>
#include <ridgepoint/data/synthetic_digits.hpp>
#endif
