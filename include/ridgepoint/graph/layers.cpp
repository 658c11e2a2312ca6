// SPDX-License-Identifier: MIT
// Definitions of the layers, compiled once into the archive ridgepoint::dispatch.
#include <ridgepoint/graph/layers/attention-inl.hpp>
#include <ridgepoint/graph/layers/convolution-inl.hpp>
#include <ridgepoint/graph/layers/dense-inl.hpp>
#include <ridgepoint/graph/layers/elementwise-inl.hpp>
#include <ridgepoint/graph/layers/embedding-inl.hpp>
#include <ridgepoint/graph/layers/normalisation-inl.hpp>
#include <ridgepoint/graph/layers/pooling-inl.hpp>
#include <ridgepoint/graph/layers/recurrent-inl.hpp>
#include <ridgepoint/graph/layers/shapes-inl.hpp>
