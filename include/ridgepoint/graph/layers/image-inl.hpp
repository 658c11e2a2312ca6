// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/image.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

RIDGEPOINT_DEFINITION void check_image(std::string_view layer, const shape& in) {
  require<shape_error>(in.rank() == 3, layer, ": input is ", in, "; must be height x width x channels");
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
