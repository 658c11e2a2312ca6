// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/core/parallel.hpp>
#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/cpu_backend.hpp>
#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/elementwise_kernels.hpp>
#include <ridgepoint/kernels/map/update_kernels.hpp>
#include <ridgepoint/ops/adadelta.hpp>
#include <ridgepoint/ops/adam.hpp>
#include <ridgepoint/ops/momentum.hpp>
#include <ridgepoint/ops/optimiser.hpp>
#include <ridgepoint/ops/rmsprop_keras.hpp>
#include <ridgepoint/ops/rmsprop_tf1.hpp>
#include <ridgepoint/ops/sgd.hpp>
#include <ridgepoint/ops/step_state.hpp>
#include <ridgepoint/ops/sum_of_squares.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Runs one step of an optimiser on all weights or on listed rows, in parallel, after the preparation its update_rule
/// needs. `own` are the optimiser's vectors.
template <class Kernel, cpu_backend On, template <class> class Args, class T, std::same_as<T>... Own>
void update_parts(const On& on, const Args<T>& u, const typename Kernel::numbers& step, Own*... own) noexcept {
  if (skips(u.rule, *u.state)) return;
  const listed_rows& l = u.listed;
  const index_t size = l.all() ? u.size : l.count,
                each = l.all() ? part_elements : std::max<index_t>(part_elements / l.width, 1);
  const kernels::update_changes<T> changes(u.rule, *u.state);
  const kernels::update_part<T> whole{u.w, u.g, {own...}, l, l.all() ? 0 : u.size / l.width, 0, size};
  parallel_for(size > each ? on.thread_count() : 1, ceil_div(size, each), [&](index_t p) {
    kernels::update_part<T> part = whole;
    part.begin = p * each, part.end = (std::min)(size, part.begin + each);
    on.template call<Kernel>(step, changes, part);
  });
}

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const adadelta_update_args<T>& u) {
  const auto rate = static_cast<T>(ruled_rate(u.rule, *u.state));
  const typename kernels::adadelta_update<T>::numbers step{.rate = rate,
                                                           .rho = static_cast<T>(u.options.rho),
                                                           .rest = static_cast<T>(1 - u.options.rho),
                                                           .epsilon = static_cast<T>(u.options.epsilon)};
  update_parts<kernels::adadelta_update<T>>(on, u, step, u.a, u.d);
}
template <std::floating_point T>
type_list<kernels::adadelta_update<T>> kernels_of(const adadelta_update_args<T>&);

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const adam_update_args<T>& u) {
  const typename kernels::adam_update<T>::numbers step{
      .rate = static_cast<T>(adam_rate(u.options, ruled_rate(u.rule, *u.state), updates_done(*u.state))),
      .rest1 = static_cast<T>(1 - u.options.beta1),
      .rest2 = static_cast<T>(1 - u.options.beta2),
      .epsilon = static_cast<T>(u.options.epsilon)};
  update_parts<kernels::adam_update<T>>(on, u, step, u.m, u.v);
}
template <std::floating_point T>
type_list<kernels::adam_update<T>> kernels_of(const adam_update_args<T>&);

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const momentum_update_args<T>& u) {
  const auto rate = static_cast<T>(ruled_rate(u.rule, *u.state));
  const typename kernels::momentum_update<T>::numbers step{.rate = rate,
                                                           .momentum = static_cast<T>(u.options.momentum)};
  update_parts<kernels::momentum_update<T>>(on, u, step, u.a);
}
template <std::floating_point T>
type_list<kernels::momentum_update<T>> kernels_of(const momentum_update_args<T>&);

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const rmsprop_keras_update_args<T>& u) {
  const auto rate = static_cast<T>(ruled_rate(u.rule, *u.state));
  const typename kernels::rmsprop_keras_update<T>::numbers step{.rate = rate,
                                                                .rho = static_cast<T>(u.options.rho),
                                                                .rest = static_cast<T>(1 - u.options.rho),
                                                                .epsilon = static_cast<T>(u.options.epsilon)};
  update_parts<kernels::rmsprop_keras_update<T>>(on, u, step, u.a);
}
template <std::floating_point T>
type_list<kernels::rmsprop_keras_update<T>> kernels_of(const rmsprop_keras_update_args<T>&);

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const rmsprop_tf1_update_args<T>& u) {
  const auto rate = static_cast<T>(ruled_rate(u.rule, *u.state));
  const typename kernels::rmsprop_tf1_update<T>::numbers step{.rate = rate,
                                                              .rest = static_cast<T>(1 - u.options.rho),
                                                              .momentum = static_cast<T>(u.options.momentum),
                                                              .epsilon = static_cast<T>(u.options.epsilon)};
  update_parts<kernels::rmsprop_tf1_update<T>>(on, u, step, u.ms, u.mom);
}
template <std::floating_point T>
type_list<kernels::rmsprop_tf1_update<T>> kernels_of(const rmsprop_tf1_update_args<T>&);

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const sgd_update_args<T>& u) {
  const auto rate = static_cast<T>(ruled_rate(u.rule, *u.state));
  const typename kernels::sgd_update<T>::numbers step{.rate = rate};
  update_parts<kernels::sgd_update<T>>(on, u, step);
}
template <std::floating_point T>
type_list<kernels::sgd_update<T>> kernels_of(const sgd_update_args<T>&);

template <cpu_backend On>
void execute(const On& on, const advance_args& a) {
  on.template call<kernels::advance_step>(a);
}
type_list<kernels::advance_step> kernels_of(const advance_args&);

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const sum_of_squares_args<T>& a) {
  const auto [sum] = sum_parts<1>(on, a.size, part_elements, [&](index_t begin, index_t end) {
    return std::array{on.template call<kernels::sum_of_squares_chunk<T>>(a, begin, end)};
  });
  a.state->gradient_squares = (a.accumulate ? a.state->gradient_squares : 0) + sum;
}
template <std::floating_point T>
type_list<kernels::sum_of_squares_chunk<T>> kernels_of(const sum_of_squares_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
