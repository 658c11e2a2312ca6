// SPDX-License-Identifier: MIT
// Definitions of graphs, plans, losses, optimisers and checkpoints, compiled once into the archive
// ridgepoint::dispatch.
#include <ridgepoint/graph/chains-inl.hpp>
#include <ridgepoint/graph/checkpoint-inl.hpp>
#include <ridgepoint/graph/compile-inl.hpp>
#include <ridgepoint/graph/graph-inl.hpp>
#include <ridgepoint/graph/graph_passes-inl.hpp>
#include <ridgepoint/graph/losses-inl.hpp>
#include <ridgepoint/graph/lowering-inl.hpp>
#include <ridgepoint/graph/optimisers-inl.hpp>
#include <ridgepoint/graph/plan-inl.hpp>
#include <ridgepoint/graph/plan_builder-inl.hpp>
#include <ridgepoint/graph/safetensors-inl.hpp>
#include <ridgepoint/graph/summary-inl.hpp>
