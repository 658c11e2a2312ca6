// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The reference backend with every op: a network runs on rp::reference.
#include <ridgepoint/reference/attention.hpp>
#include <ridgepoint/reference/convolution.hpp>
#include <ridgepoint/reference/elementwise.hpp>
#include <ridgepoint/reference/embedding.hpp>
#include <ridgepoint/reference/gemm.hpp>
#include <ridgepoint/reference/losses.hpp>
#include <ridgepoint/reference/normalisation.hpp>
#include <ridgepoint/reference/optimisers.hpp>
#include <ridgepoint/reference/pooling.hpp>
#include <ridgepoint/reference/recurrent.hpp>
