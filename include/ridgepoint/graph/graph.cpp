// SPDX-License-Identifier: MIT
// Definitions of graphs, plans, losses, optimisers and checkpoints, compiled once into the archive
// ridgepoint::dispatch.
#include <ridgepoint/graph/arena-inl.hpp>
#include <ridgepoint/graph/chains-inl.hpp>
#include <ridgepoint/graph/checkpoint-inl.hpp>
#include <ridgepoint/graph/compile-inl.hpp>
#include <ridgepoint/graph/conversion-inl.hpp>
#include <ridgepoint/graph/fold-inl.hpp>
#include <ridgepoint/graph/graph-inl.hpp>
#include <ridgepoint/graph/losses-inl.hpp>
#include <ridgepoint/graph/lowering-inl.hpp>
#include <ridgepoint/graph/node_order-inl.hpp>
#include <ridgepoint/graph/old_checkpoint-inl.hpp>
#include <ridgepoint/graph/optimisers-inl.hpp>
#include <ridgepoint/graph/plan-inl.hpp>
#include <ridgepoint/graph/plan_builder-inl.hpp>
#include <ridgepoint/graph/plan_memory-inl.hpp>
#include <ridgepoint/graph/planned_op-inl.hpp>
#include <ridgepoint/graph/pool_first-inl.hpp>
#include <ridgepoint/graph/safetensors-inl.hpp>
#include <ridgepoint/graph/stand_ins-inl.hpp>
#include <ridgepoint/graph/summary-inl.hpp>
