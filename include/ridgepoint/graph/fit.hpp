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

/// What one of several losses says of samples.
struct judgement {
  double loss = 0;
  /// Both 0 where no target is right or wrong (any_loss::counts_correct()); of labels that are ignored neither counts.
  index_t labels = 0, correct = 0;
  [[nodiscard]] double accuracy() const noexcept { return static_cast<double>(correct) / static_cast<double>(labels); }
};

/// What a network makes of samples.
struct evaluation {
  index_t samples = 0;
  index_t labels = 0, correct = 0;   // both 0 where no target is right or wrong
  double loss = 0;                   // mean over the samples, or labels that count; of several losses the weighted sum
  std::vector<judgement> each = {};  // of several losses, each alone
  [[nodiscard]] double accuracy() const noexcept { return static_cast<double>(correct) / static_cast<double>(labels); }
};

/// Where training is; the loss is the mean over the epoch's steps so far.
struct progress {
  int epoch = 0, epochs = 0;    // the first is 1
  index_t step = 0, steps = 0;  // of this epoch
  double loss = 0;
  std::span<const judgement> each = {};       // what each loss says of this step's batch
  std::optional<evaluation> validation = {};  // after the last step of an epoch, if there is something to validate on
};

/// How long trainer::fit() learns, and what it does about how well: after each epoch the loss of `validation` is
/// judged, or that of the epoch if there is none.
///
/// Where a backend fetches later (core/backend.hpp), `look_every` steps are called before the loss of the first is
/// looked at. What is learnt, and what is said of it, is the same; but whoever watches is told of them together, finds
/// the parameters as they are after the last of them, and ends training there. They take a copy of parameters and
/// moments, from which the steps are done once more, one by one, if a loss is not finite. 1: each is looked at at once.
///
/// Batches of a data set that allows it (any_dataset::gathered) are made ahead by `data_threads` threads, in order: how
/// many there are changes nothing that is learnt. Two batches more than threads are in memory.
///
/// Where a backend stages ahead (core/supply.hpp), a batch goes to its memory while the step before is computed. With
/// `resident`, where it gathers rows, all samples are there from the start, and what goes there in an epoch is their
/// order; on any other backend it changes nothing. What is learnt is the same.
/// Example:
///   trainer.fit(digits.train, {.epochs = 50, .validation = &digits.test, .patience = 5, .keep_best = true});
struct fit_options {
  int epochs = 1;                           // more of them; one that was interrupted is finished first
  const any_dataset* validation = nullptr;  // samples that are not learnt from
  int patience = 0;                         // ends after so many epochs without a lower loss; 0: goes on
  double least_gain = 0;                    // how much lower a loss must be for patience to count anew
  bool keep_best = false;                   // ends with the parameters of the epoch with the lowest loss
  std::string best_checkpoint = {};         // saved after an epoch with a lower loss than all before in this call
  index_t look_every = 8;                   // steps whose losses are looked at together, where that is not at once
  std::optional<int> data_threads = {};     // that make batches ahead; by default cores left over, where it is worth it
  bool resident = false;                    // keeps all samples in the backend's memory; they must stay the same
};

/// Mean losses of every epoch that ended, and whether all did.
struct history {
  std::vector<double> loss, validation_loss;  // the second is empty without validation
  int best_epoch = 0;                         // with the lowest loss, counted as in progress; 0: none ended
  bool complete = true;

  /// Of none so far, with room for the losses of as many, so that the end of an epoch allocates nothing.
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

/// Epochs that `done` steps have finished. Throws: value_error if `further` ones make more than an int counts.
[[nodiscard]] inline int epochs_finished(std::uint64_t done, std::uint64_t steps_per_epoch, int further) {
  const std::uint64_t finished = done / steps_per_epoch;
  require<value_error>(finished <= static_cast<std::uint64_t>((std::numeric_limits<int>::max)() - further),
                       "fit: epochs is ", further, " after ", finished, "; together they must be at most ",
                       (std::numeric_limits<int>::max)());
  return static_cast<int>(finished);
}

/// Which epoch was the best so far, and for how long there has been no gain.
class best_epoch {
 public:
  explicit best_epoch(double least_gain) : least_gain_(least_gain) {}
  /// Whether this epoch is the best one.
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
