// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ridgepoint/core/either.hpp>
#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/distributed/communicator.hpp>
#include <ridgepoint/ops/operand.hpp>
#include <ridgepoint/ops/step_state.hpp>

/// \file
/// Data-parallel training: every rank has a copy of the network and trains it on its part of each batch; the gradients
/// are summed over all ranks, so that every copy makes the same update.
namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Number, size and time of a rank's sums of gradients.
struct communication_times {
  std::uint64_t sums = 0, bytes = 0;
  double elapsed_s = 0;  // of all sums, each from its start to its end
  double exposed_s = 0;  // of this, the time that the step waited
};

/// The exchange of one training with the other ranks. All ranks make the same calls in the same order, from one thread
/// each. Sums have the communicator's fixed order.
class gradient_exchange {
 public:
  explicit gradient_exchange(any_communicator with) : with_(std::move(with)) {}
  gradient_exchange(const gradient_exchange&) = delete;
  gradient_exchange& operator=(const gradient_exchange&) = delete;

  [[nodiscard]] int rank() const { return with_.rank(); }
  [[nodiscard]] int size() const { return with_.size(); }
  [[nodiscard]] std::string name() const { return with_.name(); }
  /// Sums of gradients so far.
  [[nodiscard]] const communication_times& times() const noexcept { return times_; }

  /// Starts values ← Σ over ranks of values; they must stay untouched until finish_sum(values).
  template <std::floating_point T>
  void start_sum(T* values, index_t size) {
    const std::span all(values, static_cast<std::size_t>(size));
    pending_.push_back({values, all.size_bytes(), with_.start_all_reduce(all)});
  }
  /// Waits for the sum that was started at this address.
  void finish_sum(const void* values) {
    const auto found = std::ranges::find(pending_, values, &started_sum::values);
    require<value_error>(found != pending_.end(), "finish_sum: no sum was started at this address; must be one");
    const started_sum ended = *found;
    pending_.erase(found);
    const auto start = std::chrono::steady_clock::now();
    times_.elapsed_s += with_.wait(ended.handle);
    times_.exposed_s += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    ++times_.sums;
    times_.bytes += ended.bytes;
  }
  /// Copies `bytes` bytes of every rank to `all`, in order of the ranks.
  void gather(const void* own, std::size_t bytes, void* all) {
    with_.all_gather(std::span(static_cast<const std::byte*>(own), bytes),
                     std::span(static_cast<std::byte*>(all), bytes * static_cast<std::size_t>(size())));
  }
  /// Returns every rank's value, in order of the ranks.
  template <class T>
  [[nodiscard]] std::vector<T> gathered(const T& own) {
    std::vector<T> all(static_cast<std::size_t>(size()));
    gather(&own, sizeof own, all.data());
    return all;
  }
  /// Returns the largest of every rank's value.
  [[nodiscard]] double largest(double own) {
    const std::vector<double> all = gathered(own);
    return *std::ranges::max_element(all);
  }
  /// values ← mean over ranks.
  template <std::floating_point T>
  void average(std::span<T> values) {
    static_cast<void>(with_.wait(with_.start_all_reduce(values)));
    for (T& value : values) value /= static_cast<T>(size());
  }

  /// A property that must be equal on all ranks.
  struct property {
    std::string name, value;
  };
  /// Throws: value_error on every rank, naming the first property that differs and the rank that has it.
  void agree(const std::vector<property>& own);
  /// Returns on every rank the text that make() returns on rank 0.
  /// Throws: any exception of make() on rank 0, and data_error with its message on the others.
  template <class Make>
  [[nodiscard]] std::string from_first(const Make& make);

 private:
  struct started_sum {
    const void* values;
    std::size_t bytes;
    collective handle;
  };
  /// Returns every rank's text.
  [[nodiscard]] std::vector<std::string> gathered_texts(const std::string& own);

  any_communicator with_;
  std::vector<started_sum> pending_;
  communication_times times_;
};

inline std::vector<std::string> gradient_exchange::gathered_texts(const std::string& own) {
  const std::vector<std::size_t> sizes = gathered(own.size());
  const std::size_t longest = *std::ranges::max_element(sizes);
  std::string padded = own, all(longest * sizes.size(), '\0');
  padded.resize(longest);
  gather(padded.data(), longest, all.data());
  std::vector<std::string> texts;
  for (std::size_t r = 0; r < sizes.size(); ++r) texts.push_back(all.substr(r * longest, sizes[r]));
  return texts;
}

inline void gradient_exchange::agree(const std::vector<property>& own) {
  constexpr char end = '\0';
  std::string text;
  for (const property& each : own) text += each.name + end + each.value + end;
  const std::vector<std::string> texts = gathered_texts(text);
  const auto other = std::ranges::find_if(texts, [&](const std::string& each) { return each != texts[0]; });
  if (other == texts.end()) return;
  const auto next = [](std::string_view& rest) {
    const std::string_view part = rest.substr(0, rest.find(end));
    rest.remove_prefix((std::min)(part.size() + 1, rest.size()));
    return part;
  };
  std::string_view first = texts[0], differs = *other;
  for (;;) {
    const std::string_view name = next(first), value = next(first), other_name = next(differs), found = next(differs);
    if (name == other_name && value == found) continue;
    const auto rank = other - texts.begin();
    throw value_error(name == other_name ? concat("distributed: ", name, " is ", found, " on rank ", rank, " and ",
                                                  value, " on rank 0; must be equal")
                                         : concat("distributed: rank ", rank, " has ", other_name, ' ', found,
                                                  " where rank 0 has ", name, ' ', value, "; must be equal"));
  }
}

template <class Make>
std::string gradient_exchange::from_first(const Make& make) {
  std::string text;
  std::exception_ptr failure;
  if (rank() == 0) try {
      text = make();
    } catch (const std::exception& failed) {
      failure = std::current_exception();
      text = failed.what();
    }
  const auto broadcast = [&](void* data, std::size_t bytes) {
    with_.broadcast(std::span(static_cast<std::byte*>(data), bytes), 0);
  };
  std::uint64_t sent[] = {text.size(), failure ? 1U : 0U};
  broadcast(sent, sizeof sent);
  text.resize(sent[0]);
  broadcast(text.data(), text.size());
  if (failure) std::rethrow_exception(failure);
  require<data_error>(sent[1] == 0, "rank 0: ", text);
  return text;
}

/// Starts values ← Σ over ranks; later calls must not touch the values before finish_sum.
template <class T>
struct start_sum_args {
  static constexpr std::string_view name = "start_sum";
  index_t size = 0;
  T* values = nullptr;
  gradient_exchange* with = nullptr;
};
template <class T>
[[nodiscard]] constexpr auto operands(const start_sum_args<T>& a) noexcept {
  return std::array{operand::sum("values", a.values, a.size)};
}

/// Waits for the sum that start_sum began.
template <class T>
struct finish_sum_args {
  static constexpr std::string_view name = "finish_sum";
  index_t size = 0;
  T* values = nullptr;
  gradient_exchange* with = nullptr;
};
template <class T>
[[nodiscard]] constexpr auto operands(const finish_sum_args<T>& a) noexcept {
  return std::array{operand::sum("values", a.values, a.size)};
}

/// all(rank, i) ← own(i) of each rank.
template <class T>
struct gather_args {
  static constexpr std::string_view name = "gather";
  index_t size = 0, ranks = 1;
  const T* own = nullptr;  // size
  T* all = nullptr;        // ranks, size
  gradient_exchange* with = nullptr;
};
template <class T>
[[nodiscard]] constexpr auto operands(const gather_args<T>& a) noexcept {
  return std::array{operand::input("own", a.own, a.size), operand::output("all", a.all, a.ranks, a.size)};
}

/// The ops of an exchange, which every backend in host memory has.
using exchange_ops =
    type_list<start_sum_args<float>, start_sum_args<double>, finish_sum_args<float>, finish_sum_args<double>,
              gather_args<float>, gather_args<double>, gather_args<std::int32_t>, gather_args<step_state>>;

/// True if Backend runs the ops of an exchange itself.
template <class Backend>
concept exchanges = in_host_memory<Backend> && !composed<Backend>;

template <exchanges Backend, std::floating_point T>
void execute(const Backend&, const start_sum_args<T>& a) {
  a.with->start_sum(a.values, a.size);
}
template <exchanges Backend, std::floating_point T>
void execute(const Backend&, const finish_sum_args<T>& a) {
  a.with->finish_sum(a.values);
}
template <exchanges Backend, class T>
void execute(const Backend&, const gather_args<T>& a) {
  a.with->gather(a.own, static_cast<std::size_t>(a.size) * sizeof(T), a.all);
}

/// A backend whose trainings exchange gradients with other ranks. Created by distributed().
template <backend Backend>
class distributed_backend : public Backend {
 public:
  using computing = Backend;
  distributed_backend(Backend on, any_communicator with)
      : Backend(std::move(on)), exchange_(std::make_shared<gradient_exchange>(std::move(with))) {}
  [[nodiscard]] const std::shared_ptr<gradient_exchange>& exchange() const noexcept { return exchange_; }

 private:
  std::shared_ptr<gradient_exchange> exchange_;
};

/// Returns a backend for data-parallel training: pass it to graph::train() instead of `on`, on every rank.
///
/// Every rank makes the same calls of the trainer with the same arguments, and has the same data set; each rank reads
/// and computes only its part of a batch. `batch` is the number of samples of all ranks together, which divides it; or,
/// with micro_batches a multiple of the ranks, of each micro-batch. With the same micro_batches, the losses and the
/// weights have the same bits for every number of ranks for which micro_batches / ranks is a power of 2.
/// Throws: see trainer: value_error if the ranks differ in version, backend, network, options or data.
/// Example:
///   rp::mpi_communicator ranks;
///   auto trainer = net.train<float>(rp::distributed(rp::cpu(1), ranks), digit, loss, nn::adam{}, {.batch = 128});
template <backend Backend>
[[nodiscard]] distributed_backend<Backend> distributed(const Backend& on, any_communicator with) {
  return {on, std::move(with)};
}

namespace detail {
/// The backend that runs the ops of a training on Backend.
template <class Backend>
struct computing {
  using type = Backend;
};
template <class Backend>
  requires requires { typename Backend::computing; }
struct computing<Backend> {
  using type = typename Backend::computing;
};
}  // namespace detail
template <class Backend>
using computing_backend = typename detail::computing<Backend>::type;

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
