// SPDX-License-Identifier: MIT
// Definitions of the table, compiled once into the archive ridgepoint::dispatch.
#include <ridgepoint/roofline/table-inl.hpp>
