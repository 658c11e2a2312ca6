// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The headers that most programs need: every op, the CPU backend `rp::cpu`, whose kernels are precompiled, networks
/// and their training, profiles on the roofline of a measured machine, and data (images with zlib where its header is
/// found). Without the archive of `rp::cpu` (ridgepoint::dispatch) also the kernels, for `rp::native_cpu`.
///
/// In addition, each with its own include:
///   cpu/all.hpp         with the archive: the kernels, for `rp::native_cpu` (cpu/probe_ops.hpp to probe() that one)
///   models/all.hpp      reference networks
///   mxu/all.hpp         `rp::mxu`, the TPU as a backend; mxu/chips.hpp, study/*.hpp: models of chips, sweeps
///   gpu/platform.hpp    chips and software of GPUs; gpu/plan.hpp, study/modelled_graph.hpp: a model of their time
///   reference/all.hpp   `rp::reference`, the definitions
///   onednn/all.hpp      `rp::onednn`
///   data/embryos.hpp    images of study C, data/png.hpp: what needs libpng
///   *json*.hpp          what needs nlohmann-json: runs and machines as JSON, charts of Vega-Lite
#include <ridgepoint/core/either.hpp>
#include <ridgepoint/core/float_control.hpp>
#include <ridgepoint/core/layouts.hpp>
#include <ridgepoint/core/openmp_runtime.hpp>
#include <ridgepoint/core/print.hpp>
#include <ridgepoint/core/tensor.hpp>
#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/cpu/probe.hpp>
#include <ridgepoint/data/characters.hpp>
#include <ridgepoint/data/imdb.hpp>
#include <ridgepoint/data/sample_text.hpp>
#include <ridgepoint/graph/dataset.hpp>
#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/session.hpp>
#include <ridgepoint/graph/summary.hpp>
#include <ridgepoint/graph/trainer.hpp>
#include <ridgepoint/ops/all.hpp>
#include <ridgepoint/ops/prepare.hpp>
#include <ridgepoint/roofline/communication.hpp>
#include <ridgepoint/roofline/machines.hpp>
#include <ridgepoint/roofline/measure.hpp>
#include <ridgepoint/roofline/plot.hpp>
#include <ridgepoint/roofline/region.hpp>
#include <ridgepoint/roofline/table.hpp>
#include <ridgepoint/version.hpp>
#if __has_include(<zlib.h>)
#include <ridgepoint/data/cifar.hpp>
#include <ridgepoint/data/image_datasets.hpp>
#include <ridgepoint/data/image_processing.hpp>
#include <ridgepoint/data/mnist.hpp>
#endif
#if !defined(RIDGEPOINT_WITH_DISPATCH)
#include <ridgepoint/cpu/all.hpp>
#include <ridgepoint/cpu/probe_ops.hpp>
#endif
