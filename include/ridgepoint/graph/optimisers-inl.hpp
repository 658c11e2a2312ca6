// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/optimisers.hpp>
#include <ridgepoint/ops/sgd.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace nn {

RIDGEPOINT_DEFINITION void sgd::lower(const update_slots& to) const {
  to.add_call([](const update_operands& u) {
    return sgd_update_args<stored>{
        .size = u.size, .w = u.w, .g = u.g, .state = u.state, .rule = u.rule, .listed = u.listed};
  });
}

RIDGEPOINT_DEFINITION void momentum::lower(const update_slots& to) const {
  to.add_call([o = options](const update_operands& u) {
    return momentum_update_args<stored>{.options = o,
                                        .size = u.size,
                                        .w = u.w,
                                        .g = u.g,
                                        .a = u.moments[0],
                                        .state = u.state,
                                        .rule = u.rule,
                                        .listed = u.listed};
  });
}

RIDGEPOINT_DEFINITION void rmsprop_keras::lower(const update_slots& to) const {
  to.add_call([o = options](const update_operands& u) {
    return rmsprop_keras_update_args<stored>{.options = o,
                                             .size = u.size,
                                             .w = u.w,
                                             .g = u.g,
                                             .a = u.moments[0],
                                             .state = u.state,
                                             .rule = u.rule,
                                             .listed = u.listed};
  });
}

RIDGEPOINT_DEFINITION void rmsprop_tf1::lower(const update_slots& to) const {
  to.add_call([o = options](const update_operands& u) {
    return rmsprop_tf1_update_args<stored>{.options = o,
                                           .size = u.size,
                                           .w = u.w,
                                           .g = u.g,
                                           .ms = u.moments[0],
                                           .mom = u.moments[1],
                                           .state = u.state,
                                           .rule = u.rule,
                                           .listed = u.listed};
  });
}

RIDGEPOINT_DEFINITION void adam::lower(const update_slots& to) const {
  to.add_call([o = options](const update_operands& u) {
    return adam_update_args<stored>{.options = o,
                                    .size = u.size,
                                    .w = u.w,
                                    .g = u.g,
                                    .m = u.moments[0],
                                    .v = u.moments[1],
                                    .state = u.state,
                                    .rule = u.rule,
                                    .listed = u.listed};
  });
}

RIDGEPOINT_DEFINITION void adamw::lower(const update_slots& to) const { adam{.options = options}.lower(to); }

RIDGEPOINT_DEFINITION void adadelta::lower(const update_slots& to) const {
  to.add_call([o = options](const update_operands& u) {
    return adadelta_update_args<stored>{.options = o,
                                        .size = u.size,
                                        .w = u.w,
                                        .g = u.g,
                                        .a = u.moments[0],
                                        .d = u.moments[1],
                                        .state = u.state,
                                        .rule = u.rule,
                                        .listed = u.listed};
  });
}

}  // namespace nn
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
