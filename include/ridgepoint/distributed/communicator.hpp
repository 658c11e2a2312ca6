// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Handle of a started collective operation: its number in its communicator.
struct collective {
  index_t number = -1;
};

/// Connects `size()` ranks, which make the same calls in the same order, each from one thread at a time.
///
/// all_reduce: values(i) ← Σ over ranks of values(i), on every rank with the same bits: the values of ranks 0 and 1, 2
/// and 3, … are added first, then the sums of neighbours, and so on; a sum without a neighbour is carried over. start
/// returns at once; the values must stay untouched until wait(), which returns the seconds from start to the end of
/// the sum. all_gather: all ← `own` of every rank, in order of the ranks. broadcast: data ← data of rank `root`.
/// barrier: returns when every rank has called it.
///
/// Throws: communication_error if another rank has failed, has ended, makes another call, or does not call in time.
template <class C>
concept communicator = requires(C& with, const C& seen, std::span<float> floats, std::span<double> doubles,
                                std::span<std::byte> data, std::span<const std::byte> own, collective started,
                                int root) {
  { seen.rank() } -> std::same_as<int>;
  { seen.size() } -> std::same_as<int>;
  { seen.name() } -> std::same_as<std::string>;  // as in reports: "threads", "mpi: Open MPI 4.1.4"
  { with.start_all_reduce(floats) } -> std::same_as<collective>;
  { with.start_all_reduce(doubles) } -> std::same_as<collective>;
  { with.wait(started) } -> std::same_as<double>;
  with.all_gather(own, data);
  with.broadcast(data, root);
  with.barrier();
};

namespace detail {
/// to(i) ← the all_reduce sum of of_ranks(r)[i] over ranks r, in blocks, so that partial sums stay in cache. `to` may
/// be one of them.
/// Requires: equally many values of each rank, up to 2³¹.
template <std::floating_point T>
void sum_over_ranks(std::span<const T* const> of_ranks, std::span<T> to, std::span<T> scratch) {
  const std::size_t ranks = of_ranks.size(), block = scratch.size() / ranks;
  for (std::size_t first = 0; first < to.size(); first += block) {
    const std::size_t count = (std::min)(block, to.size() - first);
    for (std::size_t r = 0; r < ranks; ++r) std::copy_n(of_ranks[r] + first, count, scratch.data() + r * block);
    for (std::size_t step = 1; step < ranks; step *= 2)
      for (std::size_t r = 0; r + step < ranks; r += 2 * step) {
        T* const sum = scratch.data() + r * block;
        const T* const more = sum + step * block;
        for (std::size_t i = 0; i < count; ++i) sum[i] += more[i];
      }
    std::copy_n(scratch.data(), count, to.data() + first);
  }
}
}  // namespace detail

/// A single rank: every call returns at once.
class self_communicator {
 public:
  [[nodiscard]] int rank() const noexcept { return 0; }
  [[nodiscard]] int size() const noexcept { return 1; }
  [[nodiscard]] std::string name() const { return "self"; }
  template <std::floating_point T>
  collective start_all_reduce(std::span<T>) noexcept {
    return {};
  }
  double wait(collective) noexcept { return 0; }
  void all_gather(std::span<const std::byte> own, std::span<std::byte> all) noexcept {
    std::ranges::copy(own, all.begin());
  }
  void broadcast(std::span<std::byte>, int) noexcept {}
  void barrier() noexcept {}
};

/// A communicator of any type. Copies refer to the same one.
class any_communicator {
 public:
  template <communicator C>
    requires(!std::same_as<C, any_communicator>)
  any_communicator(C with) : any_communicator(std::make_shared<C>(std::move(with))) {}
  template <communicator C>
  any_communicator(std::shared_ptr<C> with) : held_(std::make_shared<model<C>>(std::move(with))) {}

  [[nodiscard]] int rank() const { return held_->rank(); }
  [[nodiscard]] int size() const { return held_->size(); }
  [[nodiscard]] std::string name() const { return held_->name(); }
  collective start_all_reduce(std::span<float> values) { return held_->start_all_reduce(values); }
  collective start_all_reduce(std::span<double> values) { return held_->start_all_reduce(values); }
  double wait(collective started) { return held_->wait(started); }
  void all_gather(std::span<const std::byte> own, std::span<std::byte> all) { held_->all_gather(own, all); }
  void broadcast(std::span<std::byte> data, int root) { held_->broadcast(data, root); }
  void barrier() { held_->barrier(); }

 private:
  struct calls {
    virtual ~calls() = default;
    [[nodiscard]] virtual int rank() const = 0;
    [[nodiscard]] virtual int size() const = 0;
    [[nodiscard]] virtual std::string name() const = 0;
    virtual collective start_all_reduce(std::span<float> values) = 0;
    virtual collective start_all_reduce(std::span<double> values) = 0;
    virtual double wait(collective started) = 0;
    virtual void all_gather(std::span<const std::byte> own, std::span<std::byte> all) = 0;
    virtual void broadcast(std::span<std::byte> data, int root) = 0;
    virtual void barrier() = 0;
  };
  template <class C>
  struct model final : calls {
    explicit model(std::shared_ptr<C> from) : with(std::move(from)) {}
    int rank() const override { return with->rank(); }
    int size() const override { return with->size(); }
    std::string name() const override { return with->name(); }
    collective start_all_reduce(std::span<float> values) override { return with->start_all_reduce(values); }
    collective start_all_reduce(std::span<double> values) override { return with->start_all_reduce(values); }
    double wait(collective started) override { return with->wait(started); }
    void all_gather(std::span<const std::byte> own, std::span<std::byte> all) override { with->all_gather(own, all); }
    void broadcast(std::span<std::byte> data, int root) override { with->broadcast(data, root); }
    void barrier() override { with->barrier(); }
    std::shared_ptr<C> with;
  };

  std::shared_ptr<calls> held_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
