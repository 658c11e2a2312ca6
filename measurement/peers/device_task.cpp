// SPDX-License-Identifier: MIT
#include "device_task.hpp"

#include <memory>
#include <utility>

#include "dense_problem.hpp"
#include "device_call.hpp"
#include "image_task.hpp"
#include "map_problem.hpp"
#include "recurrent_problem.hpp"

namespace peer {
namespace {

/// Returns the task of a call with these arguments; `p` owns and checks the memory that they point to.
template <class Problem, class Args>
device_task device_task_of(const ridgepoint::cuda& on, const std::shared_ptr<Problem>& p, double work,
                           const Args& args) {
  const auto call = std::make_shared<const device_call<Args>>(on, args);
  return {.made = {.work = work,
                   .run = [call] { call->run(); },
                   .verify =
                       [call, p] {
                         call->bring_back();
                         p->verify();
                       },
                   .finish = [on] { on.synchronize(); }},
          .receipt = receipt(args)};
}
template <class Problem>
device_task pass_on_device(const ridgepoint::cuda& on, const words& w) {
  const auto p = std::make_shared<Problem>(w);
  const ridgepoint::work receipt = p->of.receipt();
  const auto work = static_cast<double>(receipt.matrix_flop != 0 ? receipt.matrix_flop : receipt.bytes.total());
  if constexpr (requires { p->with_forward_args([](const auto&) {}); })
    if (p->of.which == "backward")
      p->with_forward_args([&]<class Args>(const Args& args) {
        const device_call<Args> before(on, args);
        before.run();
        before.bring_back();
      });
  return p->with_args([&](const auto& args) { return device_task_of(on, p, work, args); });
}
template <class T>
device_task product_on_device(const ridgepoint::cuda& on, const words& w) {
  const auto p = std::make_shared<gemm_problem<T>>(w);
  return device_task_of(on, p, p->flop(),
                        ridgepoint::gemm_args<T>{.a = p->a_view(), .b = p->b_view(), .c = p->c_view()});
}
device_task dense_on_device(const ridgepoint::cuda& on, const words& w) {
  using ridgepoint::pass;
  for (const pass which : {pass::forward, pass::backward_data, pass::backward_weights})
    if (w.size() == 6 && w[1] == "f32" && w[2] == to_string(which)) {
      const auto p = std::make_shared<dense_problem>(which, std::stol(w[3]), std::stol(w[4]), std::stol(w[5]));
      return p->with_args([&](const auto& args) {
        return device_task_of(on, p, static_cast<double>(ridgepoint::receipt(args).matrix_flop), args);
      });
    }
  throw not_available("not a dense layer of f32, or no such pass");
}
device_task map_on_device(const ridgepoint::cuda& on, const words& w) {
  namespace rp = ridgepoint;
  const auto p = std::make_shared<map_problem>(w);
  const auto elements = static_cast<double>(p->size());
  const auto made = [&](const auto& args) { return device_task_of(on, p, elements, args); };
  if (is_optimiser(p->op)) return with_update(p->op, p->update(), made);
  if (p->is_loss()) return made(p->loss());
  if (p->op == "softmax") return made(rp::softmax_args<float>{.x = std::as_const(p->x).matrix(), .y = p->y.matrix()});
  if (p->op == "bias_relu")
    return made(rp::add_bias_args<float>{.rows = p->rows,
                                         .channels = p->cols,
                                         .x = p->x.data(),
                                         .bias = p->first.data(),
                                         .y = p->y.data(),
                                         .act = rp::activation::relu});
  return made(
      rp::activate_args<float>{.f = activation_named(p->op), .size = p->size(), .x = p->x.data(), .y = p->y.data()});
}

}  // namespace

device_task on_device(const ridgepoint::cuda& on, const words& w) {
  const bool in_bfloat16 = w.size() > 1 && w[1] == "bf16";
  if (w.size() > 1 && w[0] == "gemm")
    return in_bfloat16     ? product_on_device<ridgepoint::bfloat16>(on, w)
           : w[1] == "f64" ? product_on_device<double>(on, w)
                           : product_on_device<float>(on, w);
  if (!w.empty() && w[0] == "dense") return dense_on_device(on, w);
  if (convolution_pass::names(w))
    return in_bfloat16 ? pass_on_device<convolution_problem_of<ridgepoint::bfloat16>>(on, w)
                       : pass_on_device<convolution_problem>(on, w);
  if (pool_pass::names(w)) return pass_on_device<pool_problem>(on, w);
  if (norm_pass::names(w)) return pass_on_device<norm_problem>(on, w);
  if (recurrent_pass::names(w)) return pass_on_device<recurrent_problem>(on, w);
  return map_on_device(on, w);
}

}  // namespace peer
