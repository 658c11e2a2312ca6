// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Everything that needs no other library than xsimd: ops, the CPU backend and the reference, graphs, models, machines and
/// data (with zlib where its header is found). Beside it: cpu/dispatch.hpp, onednn/, and headers named *json* or *html*.
#include <ridgepoint/core/tensor.hpp>
#include <ridgepoint/cpu/all.hpp>
#include <ridgepoint/graph/checkpoint.hpp>
#include <ridgepoint/graph/session.hpp>
#include <ridgepoint/graph/trainer.hpp>
#include <ridgepoint/models/mnist_mlp.hpp>
#include <ridgepoint/ops/all.hpp>
#include <ridgepoint/reference/all.hpp>
#include <ridgepoint/roofline/machines.hpp>
#include <ridgepoint/roofline/placement.hpp>
#include <ridgepoint/roofline/table.hpp>
#include <ridgepoint/version.hpp>
#if __has_include(<zlib.h>)
#include <ridgepoint/data/loader.hpp>
#include <ridgepoint/data/mnist.hpp>
#include <ridgepoint/data/synthetic_digits.hpp>
#endif
