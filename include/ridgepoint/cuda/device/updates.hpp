// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/device/step_state.hpp>

namespace ridgepoint_device {

/// Must match ridgepoint::update_rule, member by member.
struct update_rule {
  double rate_factor;
  double weight_decay;
  double decoupled_weight_decay;
  double clip_value;
  double clip_norm;
  bool skips_non_finite;
};
/// Must match ridgepoint::listed_rows, member by member.
struct listed_rows {
  const int* rows;
  index_t count;
  index_t width;
};

/// An update rule applied to gradients and weights; reads the scalars of a step once.
template <class T>
struct ruled {
  T rate, unit, scale, limit, decay, shrinkage;  // unit·scale for gradients: T may not hold the product
  bool clips_norm, clips_value, decays, shrinks;

  __device__ ruled(const update_rule& rule, const step_state& state)
      : rate(static_cast<T>(rule.rate_factor * state.learning_rate)),
        unit(1),
        scale(1),
        limit(static_cast<T>(rule.clip_value)),
        decay(static_cast<T>(rule.weight_decay)),
        shrinkage(static_cast<T>(rule.rate_factor * state.learning_rate * rule.decoupled_weight_decay)),
        clips_norm(rule.clip_norm != 0),
        clips_value(rule.clip_value != 0),
        decays(rule.weight_decay != 0),
        shrinks(rule.decoupled_weight_decay != 0) {
    if (!clips_norm) return;
    const double norm = sqrt(state.gradient_squares);
    if (!(norm > rule.clip_norm)) return;
    const double factor = is_finite(state) ? rule.clip_norm / norm : norm - norm;  // NaN; 0 would look like a step
    if (factor < 0x1p-60) unit = T(0x1p-60);
    scale = static_cast<T>(factor / static_cast<double>(unit));
  }
  __device__ T gradient(T g, T w) const {
    if (clips_norm) g = scale * (unit * g);
    if (clips_value) {
      g = g < -limit ? -limit : g;
      g = g > limit ? limit : g;
    }
    return decays ? g + decay * w : g;
  }
  __device__ T weight(T w) const { return shrinks ? w - shrinkage * w : w; }
};

/// Calls f(i, k) for every updated weight i and its gradient k.
template <class F>
__device__ void for_each_updated(const update_rule& rule, const step_state& state, index_t size,
                                 const listed_rows& listed, const F& f) {
  if (rule.skips_non_finite && !is_finite(state)) return;
  if (listed.width == 0) {
    for (index_t i = first_element(); i < size; i += element_stride()) f(i, i);
    return;
  }
  for (index_t k = first_element(); k < listed.count * listed.width; k += element_stride()) {
    const index_t row = listed.rows[k / listed.width];
    if (row >= 0 && row < size / listed.width) f(row * listed.width + k % listed.width, k);
  }
}

template <class T>
__global__ void sgd_update(index_t size, T* w, const T* g, const step_state* state, update_rule rule,
                           listed_rows listed) {
  const ruled<T> by(rule, *state);
  for_each_updated(rule, *state, size, listed, [&](index_t i, index_t k) {
    const T before = w[i];
    w[i] = by.weight(before) - by.rate * by.gradient(g[k], before);
  });
}

template <class T>
__global__ void momentum_update(T momentum, index_t size, T* w, const T* g, T* a, const step_state* state,
                                update_rule rule, listed_rows listed) {
  const ruled<T> by(rule, *state);
  for_each_updated(rule, *state, size, listed, [&](index_t i, index_t k) {
    const T before = w[i], mean = momentum * a[i] + by.gradient(g[k], before);
    a[i] = mean;
    w[i] = by.weight(before) - by.rate * mean;
  });
}

/// Gradients and their mean squares in units of a power of two, so that no digits change.
template <class T>
struct unit_of_one {
  __device__ static T in(T x) { return x; }
  __device__ static T from(T x) { return x; }
  __device__ static T in_squared(T x) { return x; }
  __device__ static T from_squared(T x) { return x; }
};
template <class T>
struct unit_of_large {
  __device__ static T in(T x) { return T(0x1p-66) * x; }
  __device__ static T from(T x) { return T(0x1p66) * x; }
  __device__ static T in_squared(T x) { return T(0x1p-66) * (T(0x1p-66) * x); }
  __device__ static T from_squared(T x) {
    const T most = T(0x1.fffffep127), squared = T(0x1p66) * (T(0x1p66) * x);  // T is float here
    return squared > most ? most : squared;
  }
};
/// Calls step(unit) with a unit that avoids overflow of g² if the mean of squares does not overflow, as in
/// kernels/map/update.hpp.
template <class T, class Step>
__device__ void with_squares_of(T g, const Step& step) {
  if (sizeof(T) < sizeof(double) && fabs(g) > T(0x1p62)) step(unit_of_large<T>{});
  else step(unit_of_one<T>{});
}

template <class T>
__global__ void rmsprop_keras_update(T rho, T rest, T epsilon, index_t size, T* w, const T* g, T* a,
                                     const step_state* state, update_rule rule, listed_rows listed) {
  const ruled<T> by(rule, *state);
  for_each_updated(rule, *state, size, listed, [&](index_t i, index_t k) {
    const T before = w[i], gradient = by.gradient(g[k], before);
    with_squares_of(gradient, [&](const auto& unit) {
      const T u = unit.in(gradient), mean = rho * unit.in_squared(a[i]) + rest * (u * u);
      a[i] = unit.from_squared(mean);
      w[i] = by.weight(before) - by.rate * u / (sqrt(mean) + unit.in(epsilon));
    });
  });
}

template <class T>
__global__ void rmsprop_tf1_update(T rest, T momentum, T epsilon, index_t size, T* w, const T* g, T* ms, T* mom,
                                   const step_state* state, update_rule rule, listed_rows listed) {
  const ruled<T> by(rule, *state);
  for_each_updated(rule, *state, size, listed, [&](index_t i, index_t k) {
    const T before = w[i], gradient = by.gradient(g[k], before);
    with_squares_of(gradient, [&](const auto& unit) {
      const T u = unit.in(gradient), was = unit.in_squared(ms[i]), mean = was + rest * (u * u - was),
              moved = momentum * mom[i] + by.rate * u / sqrt(mean + unit.in_squared(epsilon));
      ms[i] = unit.from_squared(mean);
      mom[i] = moved;
      w[i] = by.weight(before) - moved;
    });
  });
}

/// rest1, rest2: 1 − beta1, 1 − beta2.
template <class T>
__global__ void adam_update(double beta1, double beta2, T rest1, T rest2, T epsilon, index_t size, T* w, const T* g,
                            T* m, T* v, const step_state* state, update_rule rule, listed_rows listed) {
  const ruled<T> by(rule, *state);
  __shared__ T rate_of_block;  // by one thread: powers of double are slow
  if (threadIdx.x == 0) {
    const auto t = static_cast<double>(state->step - state->skipped_steps) + 1;
    rate_of_block =
        static_cast<T>(rule.rate_factor * state->learning_rate * sqrt(1 - pow(beta2, t)) / (1 - pow(beta1, t)));
  }
  __syncthreads();
  const T rate = rate_of_block;
  for_each_updated(rule, *state, size, listed, [&](index_t i, index_t k) {
    const T before = w[i], gradient = by.gradient(g[k], before);
    with_squares_of(gradient, [&](const auto& unit) {
      const T u = unit.in(gradient), mean_before = unit.in(m[i]), mean = mean_before + rest1 * (u - mean_before);
      const T was = unit.in_squared(v[i]), square = was + rest2 * (u * u - was);
      m[i] = unit.from(mean);
      v[i] = unit.from_squared(square);
      w[i] = by.weight(before) - rate * mean / (sqrt(square) + unit.in(epsilon));
    });
  });
}

template <class T>
__global__ void adadelta_update(T rho, T rest, T epsilon, index_t size, T* w, const T* g, T* a, T* d,
                                const step_state* state, update_rule rule, listed_rows listed) {
  const ruled<T> by(rule, *state);
  for_each_updated(rule, *state, size, listed, [&](index_t i, index_t k) {
    const T before = w[i], gradient = by.gradient(g[k], before);
    with_squares_of(gradient, [&](const auto& unit) {
      const T u = unit.in(gradient), mean = rho * unit.in_squared(a[i]) + rest * (u * u),
              step = u * sqrt(d[i] + epsilon) / sqrt(mean + unit.in_squared(epsilon));
      a[i] = unit.from_squared(mean);
      w[i] = by.weight(before) - by.rate * step;
      d[i] = rho * d[i] + rest * (step * step);
    });
  });
}

}  // namespace ridgepoint_device
