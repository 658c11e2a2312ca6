// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <ridgepoint/graph/dataset.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Result of one of several losses over some samples.
struct judgement {
  double loss = 0;
  /// Both 0 if targets are not right or wrong (any_loss::counts_correct()); ignored labels are not counted.
  index_t labels = 0, correct = 0;
  [[nodiscard]] double accuracy() const noexcept { return static_cast<double>(correct) / static_cast<double>(labels); }
};

/// Result of evaluating a network on some samples.
struct evaluation {
  index_t samples = 0;
  index_t labels = 0, correct = 0;   // both 0 if targets are not right or wrong
  double loss = 0;                   // mean over samples, or counted labels; for several losses the weighted sum
  std::vector<judgement> each = {};  // for several losses, one each
  [[nodiscard]] double accuracy() const noexcept { return static_cast<double>(correct) / static_cast<double>(labels); }
};

/// Progress of training; the loss is the mean over the epoch's steps so far.
struct progress {
  int epoch = 0, epochs = 0;    // the first is 1
  index_t step = 0, steps = 0;  // of this epoch
  double loss = 0;
  std::span<const judgement> each = {};       // each loss of this step's batch
  std::optional<evaluation> validation = {};  // after the last step of an epoch, if there is validation data
};

/// Options of trainer::fit(). The monitored loss is that of `validation` after each epoch, or the epoch's own without
/// it.
///
/// If the backend trains ahead (core/backend.hpp), `look_every` steps run before the first loss is checked. Results
/// and reports are the same, but the progress callback runs for all of them together, sees the parameters after the
/// last of them, and can stop training only there. A group of steps keeps a copy of parameters and moments, from which
/// the steps are repeated one by one if a loss is not finite. With 1, each loss is checked immediately.
///
/// Batches of a data set that allows it (any_dataset::gathered) are prepared ahead by `data_threads` threads, in order;
/// their number does not change the results. threads + 2 batches are in memory.
///
/// If the backend trains ahead, a batch is copied to its memory during the step before; with `resident`, all samples
/// are copied once, and each epoch copies only their order. On any other backend `look_every` and `resident` have no
/// effect. Results are the same.
/// Example:
///   trainer.fit(digits.train, {.epochs = 50, .validation = &digits.test, .patience = 5, .keep_best = true});
struct fit_options {
  int epochs = 1;                           // additional epochs; an interrupted one is finished first
  const any_dataset* validation = nullptr;  // samples for validation, not for training
  int patience = 0;                         // stops after this many epochs without a lower loss; 0: never
  double least_gain = 0;                    // smallest decrease of the loss that resets patience
  bool keep_best = false;                   // restores the parameters of the epoch with the lowest loss
  std::string best_checkpoint = {};         // saved after an epoch with the lowest loss in this call
  index_t look_every = 8;                   // steps whose losses are checked together, unless checked immediately
  std::optional<int> data_threads = {};     // that prepare batches; default: idle cores, if worth it
  bool resident = false;                    // keeps all samples in the backend's memory; they must stay the same
};

/// Mean losses of every finished epoch, and whether all epochs finished.
struct history {
  std::vector<double> loss, validation_loss;  // the second is empty without validation
  int best_epoch = 0;                         // with the lowest loss, numbered as in progress; 0: none finished
  bool complete = true;

  /// Empty, with capacity for `epochs` losses, so that the end of an epoch does not allocate.
  [[nodiscard]] static history with_room(int epochs) {
    history empty;
    for (auto* losses : {&empty.loss, &empty.validation_loss})
      losses->reserve(static_cast<std::size_t>((std::min)(epochs, 1000)));
    return empty;
  }
};

namespace detail {

/// Throws: value_error for an option out of its domain.
inline void check(const fit_options& fitting) {
  require<value_error>(fitting.epochs >= 0, "fit: epochs is ", fitting.epochs, "; must be >= 0");
  require<value_error>(fitting.patience >= 0, "fit: patience is ", fitting.patience, "; must be >= 0");
  require<value_error>(fitting.look_every >= 1, "fit: look_every is ", fitting.look_every, "; must be >= 1");
  const int data_threads = fitting.data_threads.value_or(0);
  require<value_error>(data_threads >= 0 && data_threads <= 1024, "fit: data_threads is ", data_threads,
                       "; must be 0 to 1024");
  require<value_error>(fitting.least_gain >= 0, "fit: least_gain is ", fitting.least_gain, "; must be >= 0");
}

/// Returns the epochs finished after `done` steps. Throws: value_error if the sum with `further` exceeds an int.
[[nodiscard]] inline int epochs_finished(std::uint64_t done, std::uint64_t steps_per_epoch, int further) {
  const std::uint64_t finished = done / steps_per_epoch;
  require<value_error>(finished <= static_cast<std::uint64_t>((std::numeric_limits<int>::max)() - further),
                       "fit: epochs is ", further, " after ", finished, "; together they must be at most ",
                       (std::numeric_limits<int>::max)());
  return static_cast<int>(finished);
}

/// Tracks the best epoch so far, and the epochs since the last gain.
class best_epoch {
 public:
  explicit best_epoch(double least_gain) : least_gain_(least_gain) {}
  /// Returns true if this epoch is the best one.
  bool judge(int epoch, double loss) {
    const bool better = loss < lowest_ || epoch_ == 0, gained = loss < last_gain_ - least_gain_ || epoch_ == 0;
    if (better) lowest_ = loss, epoch_ = epoch;
    if (gained) last_gain_ = loss, since_ = 0;
    else ++since_;
    return better;
  }
  [[nodiscard]] int epoch() const noexcept { return epoch_; }
  /// Epochs since the last gain.
  [[nodiscard]] int since() const noexcept { return since_; }

 private:
  double least_gain_, lowest_ = 0, last_gain_ = 0;
  int epoch_ = 0, since_ = 0;
};

}  // namespace detail
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
