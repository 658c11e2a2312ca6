// SPDX-License-Identifier: MIT
#include <ridgepoint/cpu/losses.hpp>

#include "support/cpu_sizes.hpp"
#include "support/near.hpp"

namespace rp = ridgepoint;
using namespace agreement;

namespace {
std::vector<std::int32_t> random_labels(index_t rows, index_t classes) {
  rp::random_stream random(5);
  std::vector<std::int32_t> labels;
  for (index_t i = 0; i < rows; ++i)
    labels.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(classes))));
  return labels;
}
auto loss_of(const std::vector<std::int32_t>& labels, index_t classes, bool gradient, double weight = 1,
             std::int32_t ignored = rp::no_label) {
  return [=](const auto& on, const auto& p, rp::step_state* state) {
    using S = element_t<decltype(p)>;
    const auto rows = static_cast<index_t>(labels.size());
    execute(on, rp::softmax_cross_entropy_args<S>{.logits = {p[0], rows, classes},
                                                  .labels = labels.data(),
                                                  .dlogits = {gradient ? p[1] : nullptr, rows, classes},
                                                  .state = state,
                                                  .weight = weight,
                                                  .ignored = ignored});
  };
}
}  // namespace

TEST_CASE_TEMPLATE("softmax cross-entropy agrees with its definition", T, float, double) {
  for (const index_t classes : {1, 2, 9, 10, 16, 17, 100, 1001})
    for (const index_t rows : {1, 7, 128}) {
      CAPTURE(rows);
      CAPTURE(classes);
      const auto labels = random_labels(rows, classes);
      for (const bool gradient : {true, false})
        agree<T>(on_cpu, {random_values<T>(rows * classes, 1, -9, 9), output(rows * classes)},
                 loss_of(labels, classes, gradient));
    }
  agree<T>(on_cpu, {random_values<T>(7 * 10, 1), output(7 * 10)}, loss_of(random_labels(7, 10), 10, true, 0.3));
  const auto many = random_labels(20000, 10);
  agree<T>(on_cpu, {random_values<T>(200000, 1, -9, 9), output(200000)}, loss_of(many, 10, true));
  agree_on_nan<T>(on_cpu, {random_values<T>(3 * 11, 1), output(3 * 11)}, 0, loss_of({0, 10, 5}, 11, true));
}

TEST_CASE_TEMPLATE("ignored rows do not count", T, float, double) {
  for (const index_t classes : {3, 10, 40})
    for (const index_t rows : {1, 7, 128, 5000}) {
      CAPTURE(rows);
      CAPTURE(classes);
      auto labels = random_labels(rows, classes);
      for (std::size_t i = 0; i < labels.size(); i += 3) labels[i] = -1;
      for (const bool gradient : {true, false})
        for (const std::int32_t ignored : {-1, 2}) {  // not a class, and a class
          auto judged = labels;
          if (ignored >= 0)
            for (std::int32_t& label : judged) label = std::max(label, 0);
          agree<T>(on_cpu, {random_values<T>(rows * classes, 1, -9, 9), output(rows * classes)},
                   loss_of(judged, classes, gradient, 0.7, ignored));
        }
    }
}

TEST_CASE_TEMPLATE("ignored rows do not affect the others; if all are ignored, loss and gradient are 0", T, float,
                   double) {
  const index_t rows = 37, classes = 11;
  const operand x = random_values<T>(rows * classes, 1, -9, 9);
  auto labels = random_labels(rows, classes);
  std::vector<T> logits(x.values.begin(), x.values.end()), some, dlogits(logits.size()), dsome;
  std::vector<std::int32_t> counted;
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (i % 4 == 1) {
      labels[i] = -100;
      logits[i * classes] = std::numeric_limits<T>::quiet_NaN();  // padding may hold any value
    } else {
      counted.push_back(labels[i]);
      some.insert(some.end(), &logits[i * classes], &logits[i * classes] + classes);
    }
  dsome.resize(some.size());
  const auto left = static_cast<index_t>(counted.size());
  rp::step_state whole, part;
  rp::softmax_cross_entropy(on_cpu(1), rp::matrix_view<const T>(logits.data(), rows, classes), labels,
                            rp::matrix_view<T>(dlogits.data(), rows, classes), &whole, -100);
  rp::softmax_cross_entropy(on_cpu(1), rp::matrix_view<const T>(some.data(), left, classes), counted,
                            rp::matrix_view<T>(dsome.data(), left, classes), &part);
  CHECK(whole.loss == near(part.loss, 1e-6));
  CHECK(whole.correct == part.correct);
  CHECK(whole.ignored == static_cast<std::uint32_t>(rows - left));
  for (std::size_t i = 0, k = 0; i < labels.size(); ++i) {
    const bool counts = labels[i] != -100;
    for (std::size_t j = 0; j < classes; ++j)
      CHECK(dlogits[i * classes + j] == (counts ? near(dsome[k * classes + j], 1e-5) : near(0)));
    k += counts ? 1 : 0;
  }
  labels.assign(labels.size(), -100);
  rp::softmax_cross_entropy(on_cpu(1), rp::matrix_view<const T>(logits.data(), rows, classes), labels,
                            rp::matrix_view<T>(dlogits.data(), rows, classes), &whole, -100);
  CHECK((whole.loss == 0 && whole.correct == 0 && whole.ignored == static_cast<std::uint32_t>(rows)));
  CHECK(std::all_of(dlogits.begin(), dlogits.end(), [](T d) { return d == 0; }));
  labels[3] = -1;
  CHECK_THROWS_WITH_AS(rp::softmax_cross_entropy(on_cpu(1), rp::matrix_view<const T>(logits.data(), rows, classes),
                                                 labels, rp::matrix_view<T>(), &whole, -100),
                       "softmax_cross_entropy: label 3 is -1; must be >= 0 and < 11, or -100, which is ignored",
                       rp::value_error);
}

TEST_CASE_TEMPLATE("a row with NaN gives the same result at any position", T, float, double) {
  const T nan = std::numeric_limits<T>::quiet_NaN();
  std::vector<T> logits;
  for (int row = 0; row < 19; ++row) logits.insert(logits.end(), {nan, T(1), T(0)});
  rp::step_state state;
  execute(on_cpu(1), rp::softmax_cross_entropy_args<T>{.logits = {logits.data(), 19, 3},
                                                       .labels = std::vector<std::int32_t>(19, 1).data(),
                                                       .dlogits = {},
                                                       .state = &state});
  CHECK(state.correct == 19);
}

TEST_CASE_TEMPLATE("the gradient may overwrite the logits", T, float, double) {
  for (const index_t classes : {3, 10, 40}) {
    const index_t rows = 21;
    const operand x = random_values<T>(rows * classes, 1, -9, 9);
    const auto labels = random_labels(rows, classes);
    std::vector<T> logits(x.values.begin(), x.values.end()), separate(logits.size());
    rp::step_state aside, in_place;
    const auto run = [&](T* dlogits, rp::step_state& state) {
      execute(on_cpu(1), rp::softmax_cross_entropy_args<T>{.logits = {logits.data(), rows, classes},
                                                           .labels = labels.data(),
                                                           .dlogits = {dlogits, rows, classes},
                                                           .state = &state});
    };
    run(separate.data(), aside);
    run(logits.data(), in_place);
    CHECK(logits == separate);
    CHECK(in_place.loss == aside.loss);
    CHECK(in_place.correct == aside.correct);
  }
}

TEST_CASE_TEMPLATE("among equal logits the first decides what is correct", T, float, double) {
  const std::vector<operand> operands{{{1, 3, 3, 0, 3, 3, 1, 0, 2, 2, 2, 2}}, output(12)};
  agree<T>(on_cpu, operands, loss_of({2, 0, 0}, 4, true));
  agree<T>(on_cpu, operands, loss_of({1, 1, 3}, 4, true));
}

TEST_CASE_TEMPLATE("a label out of range gives NaN and is not used as an index", T, float, double) {
  for (const std::int32_t label : {-1, 4, 1 << 30, std::numeric_limits<std::int32_t>::min()})
    agree<T>(on_cpu, {random_values<T>(12, 1), output(12)}, loss_of({2, label, 0}, 4, true));
}
