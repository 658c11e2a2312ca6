// SPDX-License-Identifier: MIT
// Recurrent layers of the CUDA backend against their definitions, on a fake GPU: by this library's own cells, and by a
// fake cuDNN where it has the cell.
#include "fake_case.hpp"
#include "support/gru_operands.hpp"
#include "support/lstm_operands.hpp"
#include "support/projected_lstm_operands.hpp"
#include "support/rnn_operands.hpp"

namespace rp = ridgepoint;
using namespace agreement;

namespace {

/// Returns cases: no samples, one of everything, several steps, states of a block's thread count or a few more values;
/// every optional operand, either order of steps and samples, masked or not.
std::vector<recurrent_case> fake_cases() {
  const recurrent_case shapes[] = {{2, 0, 2, 3}, {1, 1, 1, 1},  {3, 4, 2, 3},
                                   {4, 1, 3, 2}, {2, 4, 1, 64}, {2, 3, 2, 87}};
  std::vector<recurrent_case> all;
  unsigned number = 0;
  for (const recurrent_case& shape : shapes)
    for (unsigned change = 0; change < 8; ++change, ++number) {
      recurrent_case c = shape;
      c.sample_major = (change & 1U) != 0, c.states = (change & 2U) == 0, c.whole = (change & 4U) == 0;
      c.backwards = number % 3 == 0;
      if (c.units > 10 && change % 4 != number / 8 % 4) continue;
      all.push_back(c);
      if (c.n > 1) all.push_back(c.masked());
    }
  return all;
}

/// Calls check(case, number) for each case.
template <class Check>
void for_fake_cases(const Check& check) {
  std::size_t number = 0;
  for (const recurrent_case& c : fake_cases()) {
    INFO(c.name());
    check(c, number++);
  }
}

/// The GPU with recurrent layers by own cells only.
constexpr auto on_own_cells = [](int /*threads*/) -> const rp::cuda& {
  static const rp::cuda gpu({.cells = rp::gpu_cells::own});
  return gpu;
};

/// Returns the operands of a forward pass, then of a gradient, as agree() takes them.
std::vector<operand> both(std::vector<operand> forward, const std::vector<operand>& gradient) {
  forward.insert(forward.end(), gradient.begin(), gradient.end());
  return forward;
}
/// Checks a forward pass and the gradient from its results: forward(pointers) and gradient(pointers) return their
/// arguments, and `saves` connects them by the saved values. Both passes share y, states and weights of the first.
/// Bounds cover computed values, not those a forward pass rounds for the gradient: types of 16 bits are skipped.
template <class T, class Forward, class Gradient, class Saves>
void agree_on_training(const recurrent_case& c, const std::vector<operand>& forward,
                       const std::vector<operand>& gradient, const Forward& forward_of, const Gradient& gradient_of,
                       const Saves& saves) {
  if constexpr (sizeof(T) == 2) return;
  agree<T>(on_fake_gpu, both(forward, gradient), [&](const auto& on, const auto& p, rp::step_state*) {
    using S = element_t<decltype(p)>;
    const auto middle = p.begin() + static_cast<std::ptrdiff_t>(forward.size());
    auto first = forward_of(std::vector<S*>(p.begin(), middle));
    auto second = gradient_of(std::vector<S*>(middle, p.end()));
    std::vector<S> y(static_cast<std::size_t>(c.steps * c.n * c.units)), kept(5 * y.size());
    if (first.operands.y.data == nullptr) first.operands.y = c.sequence(y.data(), c.units);
    auto& o = first.operands;
    auto& d = second.operands;
    d.x = o.x, d.wx = o.wx, d.wh = o.wh, d.h0 = o.h0, d.y = o.y;
    saves(first, second, kept.data());
    execute(on, first);
    execute(on, second);
  });
}

}  // namespace

TEST_CASE_TEMPLATE("cuda: a recurrent layer and its gradient agree with their definitions", T, float, double,
                   rp::bfloat16, rp::float16) {
  constexpr rp::activation activations[] = {rp::activation::tanh, rp::activation::relu, rp::activation::none,
                                            rp::activation::sigmoid, rp::activation::relu6};
  for_fake_cases([&](const recurrent_case& c, std::size_t number) {
    const rp::activation act = activations[number % std::size(activations)];
    CAPTURE(to_string(act));
    const auto run = [&](const auto& on, const auto& p, rp::step_state*) {
      execute(on, rnn_args_of<element_t<decltype(p)>>(c, act, p));
    };
    agree_each<T>(rnn_operands<T>(c), run, on_own_cells, on_fake_gpu);
    agree<T>(on_fake_gpu, rnn_gradient_operands<T>(c), [&](const auto& on, const auto& p, rp::step_state*) {
      execute(on, rnn_gradient_of<element_t<decltype(p)>>(c, act, p));
    });
  });
}

TEST_CASE_TEMPLATE("cuda: an LSTM and its gradient agree with their definitions", T, float, double, rp::bfloat16) {
  for_fake_cases([&](const recurrent_case& c, std::size_t number) {
    const bool saved = number % 3 != 0;
    const auto run = [&](const auto& on, const auto& p, rp::step_state*) {
      execute(on, lstm_args_of<element_t<decltype(p)>>(c, p, saved));
    };
    if (saved) agree<T>(on_own_cells, lstm_operands<T>(c), run);
    else agree_each<T>(lstm_operands<T>(c), run, on_own_cells, on_fake_gpu);
    agree<T>(on_own_cells, lstm_gradient_operands<T>(c), [&](const auto& on, const auto& p, rp::step_state*) {
      execute(on, lstm_gradient_of<element_t<decltype(p)>>(c, p));
    });
    agree_on_training<T>(
        c, lstm_operands<T>(c), lstm_gradient_operands<T>(c),
        [&]<class S>(const std::vector<S*>& p) { return lstm_args_of<S>(c, p, false); },
        [&]<class S>(const std::vector<S*>& p) { return lstm_gradient_of<S>(c, p); },
        [&](auto& first, auto& second, auto* kept) {
          second.gates = first.gates = kept;
          second.c = first.c = kept + 4 * c.steps * c.n * c.units;
          second.c0 = first.c0;
        });
  });
}

TEST_CASE_TEMPLATE("cuda: a GRU and its gradient agree with their definitions", T, float, double, rp::bfloat16) {
  for_fake_cases([&](const recurrent_case& c, std::size_t number) {
    for (const rp::gru_reset reset : {rp::gru_reset::before, rp::gru_reset::after}) {
      CAPTURE(to_string(reset));
      const bool saved = number % 3 != 0;
      const auto run = [&](const auto& on, const auto& p, rp::step_state*) {
        execute(on, gru_args_of<element_t<decltype(p)>>(c, reset, p, saved));
      };
      if (saved) agree<T>(on_own_cells, gru_operands<T>(c, reset), run);
      else agree_each<T>(gru_operands<T>(c, reset), run, on_own_cells, on_fake_gpu);
      agree<T>(on_own_cells, gru_gradient_operands<T>(c, reset), [&](const auto& on, const auto& p, rp::step_state*) {
        execute(on, gru_gradient_of<element_t<decltype(p)>>(c, reset, p));
      });
      if (reset == rp::gru_reset::before) continue;  // which cuDNN does not support
      agree_on_training<T>(
          c, gru_operands<T>(c, reset), gru_gradient_operands<T>(c, reset),
          [&]<class S>(const std::vector<S*>& p) { return gru_args_of<S>(c, reset, p, false); },
          [&]<class S>(const std::vector<S*>& p) { return gru_gradient_of<S>(c, reset, p); },
          [&](auto& first, auto& second, auto* kept) { second.gates = first.gates = kept; });
    }
  });
}

TEST_CASE_TEMPLATE("cuda: an LSTM with a projected state and its gradient agree with their definitions", T, float,
                   double, rp::bfloat16) {
  for_fake_cases([&](const recurrent_case& shape, std::size_t number) {
    const projected_case c{shape, number % 2 == 0 ? shape.units + 1 : 2};
    CAPTURE(c.p);
    agree<T>(on_fake_gpu, projected_operands<T>(c), [&](const auto& on, const auto& p, rp::step_state*) {
      execute(on, projected_args_of<element_t<decltype(p)>>(c, p, number % 3 != 0));
    });
    agree<T>(on_fake_gpu, projected_gradient_operands<T>(c), [&](const auto& on, const auto& p, rp::step_state*) {
      execute(on, projected_gradient_of<element_t<decltype(p)>>(c, p));
    });
  });
}

namespace {

/// Strides between steps, and between samples of a step.
struct strides {
  index_t step, sample;
};

}  // namespace

TEST_CASE("cuda: sequences may have any strides, each in a separate order") {
  const recurrent_case c{.steps = 3, .n = 2, .in = 4, .units = 3};
  const index_t dense = c.n * c.in;
  for (const auto& [step, sample] :
       {strides{c.n * (c.in + 3) + 5, c.in + 3}, {dense + 5, c.in}, {dense, c.steps * dense + 1}}) {
    CAPTURE(step);
    const index_t room = (c.steps - 1) * step + (c.n - 1) * sample + c.in;
    const auto uneven = [&, step = step, sample = sample]<class S>(S* data) {
      return rp::sequence_view<S>{data, c.steps, c.n, c.in, step, sample};
    };
    std::vector<operand> forward = lstm_operands<double>(c), backward = lstm_gradient_operands<double>(c);
    forward[0] = backward[0] = random_values<double>(room, 1);
    for (const bool saved : {true, false}) {
      const auto run = [&](const auto& on, const auto& p, rp::step_state*) {
        using S = element_t<decltype(p)>;
        auto args = lstm_args_of<S>(c, p, saved);
        args.operands.x = uneven(static_cast<const S*>(p[0]));
        execute(on, args);
      };
      if (saved) agree<double>(on_own_cells, forward, run);
      else agree<double>(on_fake_gpu, forward, run);
    }
    for (const bool all_uneven : {false, true}) {
      if (all_uneven) backward[10] = random_values<double>(room, 2);
      agree<double>(on_own_cells, backward, [&](const auto& on, const auto& p, rp::step_state*) {
        using S = element_t<decltype(p)>;
        auto args = lstm_gradient_of<S>(c, p);
        args.operands.x = uneven(static_cast<const S*>(p[0]));
        args.operands.dx =
            all_uneven ? uneven(p[10]) : rp::sequence_view<S>::sample_major(p[10], c.steps, c.n, c.in).reversed();
        execute(on, args);
      });
    }
  }
}
