// SPDX-License-Identifier: MIT
// The networks of models/, compiled once for all of these tests.
#include "every_model.hpp"

#include <string>

#include <ridgepoint/models/all.hpp>

namespace rp = ridgepoint;

namespace {

template <class... Models>
void each_of(rp::type_list<Models...>, rp::precision in, const std::function<void(const trained_model&)>& use) {
  const auto use_one = [&]<class Model>(const Model& model) {
    rp::graph net{std::string(Model::name)};
    const std::vector<rp::objective> objectives = rp::models::objectives_of(model, net);
    const auto options = rp::models::learning<Model>({.batch = Model::batch, .precision = in});
    use({net, objectives, typename Model::optimiser{}, options});
  };
  (use_one(Models{}), ...);
}

}  // namespace

void each_model(rp::precision in, const std::function<void(const trained_model&)>& use) {
  each_of(rp::models::all{}, in, use);
}
