// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <concepts>
#include <condition_variable>
#include <cstddef>
#include <cstring>
#include <deque>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/distributed/communicator.hpp>

/// \file
/// Ranks that mpirun or a scheduler starts as processes. The only header that includes <mpi.h>.
///
/// A thread of the communicator makes all its MPI calls, so that sums overlap with the caller's computation. A call
/// begins with an exchange of its description, together with its data if they are small: there, ranks that make
/// different calls find out. A rank that waits too long asks the others how many calls they have made, and tells all
/// ranks which one is missing.
namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Options of an mpi_communicator.
struct mpi_options {
  double timeout_s = 300;  // longest wait for another rank within a call
};

namespace detail {

/// Serialises the MPI calls of this process.
[[nodiscard]] inline std::mutex& mpi_mutex() {
  static std::mutex only;
  return only;
}

/// Initialises MPI unless the program has, and then finalises it when the program ends.
class mpi_session {
 public:
  /// Throws: unsupported if MPI's thread support is too low; backend_error if MPI cannot start.
  static mpi_session& get() {
    static mpi_session only;
    return only;
  }
  mpi_session(const mpi_session&) = delete;
  mpi_session& operator=(const mpi_session&) = delete;
  ~mpi_session() {
    if (finalises_) MPI_Finalize();
  }
  /// Call after a failure: MPI_Finalize could wait for ever.
  void abandon() noexcept { finalises_ = false; }

 private:
  mpi_session() {
    int initialised = 0, provided = MPI_THREAD_SINGLE;
    MPI_Initialized(&initialised);
    if (initialised != 0) {
      MPI_Query_thread(&provided);
    } else {
      require<backend_error>(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided) == MPI_SUCCESS,
                             "mpi: MPI_Init_thread failed; must succeed");
      finalises_ = true;
    }
    const char* const level = provided == MPI_THREAD_SINGLE ? "MPI_THREAD_SINGLE" : "MPI_THREAD_FUNNELED";
    if (provided < MPI_THREAD_SERIALIZED)
      throw unsupported(concat("mpi: thread support is ", level,
                               "; must be MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE: call MPI_Init_thread"));
  }
  bool finalises_ = false;
};

}  // namespace detail

/// The communicator of a process that mpirun started. Its ranks are the ranks of MPI_COMM_WORLD, or of any other
/// communicator, which is duplicated. If the program has not initialised MPI, the first mpi_communicator does, and MPI
/// is finalised when the program ends. A program that makes MPI calls of its own meanwhile needs MPI_THREAD_MULTIPLE.
///
/// All ranks create and destroy it together. If one is destroyed by an exception, all other ranks' calls throw. After a
/// communication_error, a program must end: MPI_Finalize might not return.
/// Example:
///   auto trainer = net.train<float>(rp::distributed(rp::cpu(1), rp::mpi_communicator()), logits, loss, nn::adam{});
class mpi_communicator {
 public:
  /// Throws: unsupported if MPI's thread support is below MPI_THREAD_SERIALIZED; value_error unless timeout_s > 0;
  /// backend_error if an MPI call fails.
  explicit mpi_communicator(const mpi_options& options = {}) : held_(std::make_unique<state>(options, nullptr)) {}
  mpi_communicator(MPI_Comm ranks, const mpi_options& options = {}) : held_(std::make_unique<state>(options, &ranks)) {}

  [[nodiscard]] int rank() const noexcept { return held_->rank; }
  [[nodiscard]] int size() const noexcept { return held_->size; }
  [[nodiscard]] std::string name() const {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int length = 0;
    MPI_Get_library_version(text, &length);
    return concat("mpi: ", std::string(text).substr(0, std::string(text).find_first_of(",\n\t")));
  }

  template <std::floating_point T>
  collective start_all_reduce(std::span<T> values) {
    return held_->start({.kind = sizeof(T) == 4 ? call_kind::sum_floats : call_kind::sum_doubles,
                         .count = values.size(),
                         .to = std::as_writable_bytes(values)});
  }
  double wait(collective started) { return held_->wait(started.number); }
  void all_gather(std::span<const std::byte> own, std::span<std::byte> all) {
    std::ranges::copy(own, all.begin() + static_cast<std::ptrdiff_t>(own.size()) * rank());
    held_->complete({.kind = call_kind::all_gather, .count = own.size(), .to = all});
  }
  void broadcast(std::span<std::byte> data, int root) {
    held_->complete({.kind = call_kind::broadcast, .root = root, .count = data.size(), .to = data});
  }
  void barrier() { held_->complete({.kind = call_kind::barrier}); }

 private:
  enum class call_kind : int { sum_floats, sum_doubles, all_gather, broadcast, barrier, end };
  using clock = std::chrono::steady_clock;

  /// A call of this rank, in progress.
  struct call {
    call_kind kind;
    int root = 0;
    std::uint64_t count = 0;  // elements or bytes of one rank
    std::span<std::byte> to = {};
    clock::time_point start = {};
    double elapsed_s = -1;  // once it has ended
  };
  /// First message of a call: its description, and its data if they fit.
  struct header {
    static constexpr std::size_t room = 1000;
    call_kind kind;
    int root;
    std::uint64_t count;
    std::array<std::byte, room> data;

    [[nodiscard]] bool same_call(const header& other) const noexcept {
      return kind == other.kind && root == other.root && count == other.count;
    }
    [[nodiscard]] std::string text() const {
      switch (kind) {
        case call_kind::sum_floats:
          return concat("all_reduce of ", count, " floats");
        case call_kind::sum_doubles:
          return concat("all_reduce of ", count, " doubles");
        case call_kind::all_gather:
          return concat("all_gather of ", count, " bytes");
        case call_kind::broadcast:
          return concat("broadcast of ", count, " bytes from rank ", root);
        case call_kind::barrier:
          return "barrier";
        case call_kind::end:
          break;
      }
      return "the end of its communicator";
    }
  };
  /// Message outside of calls: asks a rank for the number of calls it has made, answers, or tells why a rank failed.
  struct notice {
    enum class type : int { question, answer, failure } what;
    int from;
    index_t calls;
    std::array<char, 512> text;
  };

  /// The communicator's data, which its thread refers to.
  class state {
   public:
    state(const mpi_options& options, const MPI_Comm* ranks) : timeout_s_(options.timeout_s) {
      require<value_error>(options.timeout_s > 0, "mpi: timeout_s is ", options.timeout_s, "; must be > 0");
      detail::mpi_session::get();
      const MPI_Comm from = ranks == nullptr ? MPI_COMM_WORLD : *ranks;
      {
        const std::lock_guard lock(detail::mpi_mutex());
        for (MPI_Comm* copy : {&data_, &notices_}) {
          check(MPI_Comm_dup(from, copy));
          MPI_Comm_set_errhandler(*copy, MPI_ERRORS_RETURN);
        }
        check(MPI_Comm_rank(data_, &rank));
        check(MPI_Comm_size(data_, &size));
        listen();
      }
      headers_.resize(static_cast<std::size_t>(size));
      answers_.resize(static_cast<std::size_t>(size));
      thread_ = std::thread([this] { work(); });
    }
    state(const state&) = delete;
    state& operator=(const state&) = delete;
    ~state() {
      try {
        if (std::uncaught_exceptions() == exceptions_) complete({.kind = call_kind::end});
      } catch (const error&) {  // the failure of an earlier call, or of a rank that has not ended
      }
      {
        const std::lock_guard lock(mutex_);
        closed_ = true;
        abandoned_ = failure_.empty() && std::uncaught_exceptions() > exceptions_;
      }
      changed_.notify_all();
      thread_.join();
      if (!failure_.empty() || abandoned_) {
        detail::mpi_session::get().abandon();
        // mpirun may end the others as soon as this rank ends: they report first, above all if this one reports nothing
        const bool reports = std::uncaught_exceptions() > exceptions_;
        std::this_thread::sleep_for(std::chrono::milliseconds(reports ? 200 : 1500));
        return;
      }
      const std::lock_guard lock(detail::mpi_mutex());
      MPI_Cancel(&listening_);
      MPI_Wait(&listening_, MPI_STATUS_IGNORE);
      MPI_Comm_free(&notices_);
      MPI_Comm_free(&data_);
    }

    /// Starts a call; returns its number.
    collective start(call made) {
      {
        const std::lock_guard lock(mutex_);
        require<communication_error>(failure_.empty(), failure_);
        made.start = clock::now();
        calls_.push_back(made);
        ++started_;
      }
      changed_.notify_all();
      return {started_ - 1};
    }
    /// Waits for a call; returns the seconds that it took.
    double wait(index_t number) {
      std::unique_lock lock(mutex_);
      require<value_error>(number >= first_ && number < started_, "mpi: no call ", number, " is in progress; must be");
      waited_for_ = true;
      changed_.wait(lock, [&] { return !failure_.empty() || at(number).elapsed_s >= 0; });
      waited_for_ = false;
      const double elapsed_s = at(number).elapsed_s;
      require<communication_error>(elapsed_s >= 0, failure_);
      at(number).start = {};  // waited for
      for (; !calls_.empty() && calls_.front().elapsed_s >= 0 && calls_.front().start == clock::time_point{}; ++first_)
        calls_.pop_front();
      return elapsed_s;
    }
    void complete(const call& made) { wait(start(made).number); }

    int rank = 0, size = 1;

   private:
    [[nodiscard]] call& at(index_t number) { return calls_[static_cast<std::size_t>(number - first_)]; }

    static void check(int code) {
      if (code == MPI_SUCCESS) return;
      char text[MPI_MAX_ERROR_STRING] = {};
      int length = 0;
      MPI_Error_string(code, text, &length);
      throw communication_error(concat("mpi: ", text));
    }

    /// Body of the thread: runs the calls one after another, and answers notices.
    void work() {
      index_t next = 0;
      try {
        for (;;) {
          call* current = nullptr;
          {
            std::unique_lock lock(mutex_);
            changed_.wait_for(lock, std::chrono::milliseconds(5), [&] { return closed_ || next < started_; });
            if (abandoned_ || (closed_ && next == started_)) break;
            if (next < started_) current = &at(next);  // a deque keeps the addresses of its elements
          }
          if (current == nullptr) {
            read_notices();
            continue;
          }
          run(*current, next++);
          const std::lock_guard lock(mutex_);
          current->elapsed_s = std::chrono::duration<double>(clock::now() - current->start).count();
          changed_.notify_all();
        }
        if (abandoned_) tell(concat("mpi: rank ", rank, " ended by an exception after ", next, " calls"));
      } catch (const std::exception& e) {
        const std::lock_guard lock(mutex_);
        failure_ = e.what();
        changed_.notify_all();
      }
    }

    void run(call& c, index_t number) {
      header own{.kind = c.kind, .root = c.root, .count = c.count, .data = {}};
      const bool sums = c.kind == call_kind::sum_floats || c.kind == call_kind::sum_doubles;
      const std::size_t each = bytes_each(c);
      const bool fits = each <= header::room;
      if (fits && each > 0) {
        const std::size_t from = c.kind == call_kind::all_gather ? static_cast<std::size_t>(rank) * each : 0;
        std::memcpy(own.data.data(), c.to.data() + from, each);
      }
      finish(own, number, [&](MPI_Request* request) {
        return MPI_Iallgather(&own, sizeof own, MPI_BYTE, headers_.data(), sizeof own, MPI_BYTE, data_, request);
      });
      check_same(own, number);
      if (fits) return take_small(c, each);
      if (sums) return c.kind == call_kind::sum_floats ? sum<float>(c, own, number) : sum<double>(c, own, number);
      const auto bytes = checked_count(each);
      if (c.kind == call_kind::all_gather)
        finish(own, number, [&](MPI_Request* request) {
          return MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, c.to.data(), bytes, MPI_BYTE, data_, request);
        });
      else
        finish(own, number,
               [&](MPI_Request* request) { return MPI_Ibcast(c.to.data(), bytes, MPI_BYTE, c.root, data_, request); });
    }
    [[nodiscard]] static std::size_t bytes_each(const call& c) {
      return c.kind == call_kind::all_gather ? static_cast<std::size_t>(c.count) : c.to.size();
    }
    [[nodiscard]] static int checked_count(std::size_t bytes) {
      require<unsupported>(bytes <= static_cast<std::size_t>((std::numeric_limits<int>::max)()), "mpi: a call has ",
                           bytes, " bytes; must have less than 2 GiB");
      return static_cast<int>(bytes);
    }
    /// Throws: communication_error unless all ranks have made the same call.
    void check_same(const header& own, index_t number) {
      for (int other = 0; other < size; ++other) {
        const header& made = headers_[static_cast<std::size_t>(other)];
        if (!made.same_call(own))
          throw communication_error(concat("mpi: call ", number, " is ", made.text(), " on rank ", other, " and ",
                                           own.text(), " on rank ", rank, "; must be equal"));
      }
    }
    /// Computes the result of a call whose data came with the headers.
    void take_small(const call& c, std::size_t each) {
      if (each == 0) return;
      if (c.kind == call_kind::sum_floats) return sum_small<float>(c);
      if (c.kind == call_kind::sum_doubles) return sum_small<double>(c);
      if (c.kind == call_kind::broadcast)
        std::memcpy(c.to.data(), headers_[static_cast<std::size_t>(c.root)].data.data(), each);
      else
        for (std::size_t r = 0; r < headers_.size(); ++r)
          std::memcpy(c.to.data() + r * each, headers_[r].data.data(), each);
    }
    template <class T>
    void sum_small(const call& c) {
      std::vector<const T*> of_ranks;
      for (const header& each : headers_) of_ranks.push_back(reinterpret_cast<const T*>(each.data.data()));
      add<T>(of_ranks, {reinterpret_cast<T*>(c.to.data()), static_cast<std::size_t>(c.count)});
    }
    template <class T>
    void add(std::span<const T* const> of_ranks, std::span<T> to) {
      scratch_.resize(of_ranks.size() * 1024 * sizeof(T));
      detail::sum_over_ranks<T>(of_ranks, to, {reinterpret_cast<T*>(scratch_.data()), of_ranks.size() * 1024});
    }
    /// Sums slice r of all ranks on rank r, then gathers the slices.
    template <class T>
    void sum(const call& c, const header& own, index_t number) {
      const MPI_Datatype type = std::same_as<T, float> ? MPI_FLOAT : MPI_DOUBLE;
      T* const values = reinterpret_cast<T*>(c.to.data());
      const auto ranks = static_cast<std::uint64_t>(size);
      std::vector<int> counts, starts, received, places;
      static_cast<void>(checked_count(c.to.size()));
      for (std::uint64_t r = 0; r < ranks; ++r) {
        starts.push_back(static_cast<int>(c.count * r / ranks));
        counts.push_back(static_cast<int>(c.count * (r + 1) / ranks) - starts.back());
      }
      const auto me = static_cast<std::size_t>(rank);
      const auto mine = static_cast<std::size_t>(counts[me]);
      received_.resize(mine * sizeof(T) * ranks);
      for (std::uint64_t r = 0; r < ranks; ++r) {
        received.push_back(counts[me]);
        places.push_back(static_cast<int>(r) * counts[me]);
      }
      finish(own, number, [&](MPI_Request* request) {
        return MPI_Ialltoallv(values, counts.data(), starts.data(), type, received_.data(), received.data(),
                              places.data(), type, data_, request);
      });
      std::vector<const T*> of_ranks;
      for (std::size_t r = 0; r < ranks; ++r)
        of_ranks.push_back(reinterpret_cast<const T*>(received_.data()) + r * mine);
      add<T>(of_ranks, {values + starts[me], mine});
      finish(own, number, [&](MPI_Request* request) {
        return MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, values, counts.data(), starts.data(), type, data_,
                               request);
      });
    }

    /// Starts an MPI operation and waits until it is complete.
    /// Throws: communication_error after the time-out, or if another rank has failed.
    template <class Start>
    void finish(const header& own, index_t number, const Start& begin) {
      MPI_Request request = MPI_REQUEST_NULL;
      {
        const std::lock_guard lock(detail::mpi_mutex());
        check(begin(&request));
      }
      const auto since = clock::now();
      for (int polls = 0;; ++polls) {
        int done = 0;
        {
          const std::lock_guard lock(detail::mpi_mutex());
          check(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
        }
        if (done != 0) return;
        if (polls < 16 || waited_for_) std::this_thread::yield();
        else std::this_thread::sleep_for(std::chrono::microseconds(20));  // leaves the core to the computation
        if (polls % 64 != 63) continue;
        read_notices();
        if (std::chrono::duration<double>(clock::now() - since).count() > timeout_s_) give_up(own, number);
      }
    }

    // Notices

    void listen() { check(MPI_Irecv(&heard_, sizeof heard_, MPI_BYTE, MPI_ANY_SOURCE, 0, notices_, &listening_)); }
    void send(const notice& sent, int to) {
      const std::lock_guard lock(detail::mpi_mutex());
      check(MPI_Send(&sent, sizeof sent, MPI_BYTE, to, 0, notices_));
    }
    /// Answers questions. Throws: communication_error if a rank has failed.
    void read_notices() {
      for (;;) {
        notice heard;
        {
          const std::lock_guard lock(detail::mpi_mutex());
          int arrived = 0;
          check(MPI_Test(&listening_, &arrived, MPI_STATUS_IGNORE));
          if (arrived == 0) return;
          heard = heard_;
          listen();
        }
        if (heard.what == notice::type::failure) throw communication_error(heard.text.data());
        if (heard.what == notice::type::answer) answers_[static_cast<std::size_t>(heard.from)] = heard.calls;
        if (heard.what == notice::type::question) send(about(notice::type::answer, ""), heard.from);
      }
    }
    [[nodiscard]] notice about(notice::type what, std::string_view text) {
      const std::lock_guard lock(mutex_);
      notice made{.what = what, .from = rank, .calls = started_, .text = {}};
      std::ranges::copy(text.substr(0, made.text.size() - 1), made.text.begin());
      return made;
    }
    void tell(const std::string& failure) {
      for (int other = 0; other < size; ++other)
        if (other != rank) send(about(notice::type::failure, failure), other);
    }
    /// Finds out which rank has not made a call in time, and tells all.
    [[noreturn]] void give_up(const header& own, index_t number) {
      for (int other = 0; other < size; ++other)
        if (other != rank) send(about(notice::type::question, ""), other);
      const auto complete = [&] {
        for (int other = 0; other < size; ++other)
          if (other != rank && !answers_[static_cast<std::size_t>(other)]) return false;
        return true;
      };
      for (int polls = 0; polls < 200 && !complete(); ++polls) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        read_notices();
      }
      std::string missing;
      for (int other = 0; other < size; ++other) {
        const std::optional<index_t> made = answers_[static_cast<std::size_t>(other)];
        if (other == rank || (made && *made > number)) continue;
        missing += concat(missing.empty() ? "" : ", ", "rank ", other,
                          made ? concat(" has made ", *made, " calls") : " does not answer");
      }
      const std::string failure =
          concat("mpi: ", own.text(), ", call ", number, ", did not end within ", timeout_s_,
                 " s: ", missing.empty() ? "all ranks have made it, but the data do not arrive" : missing);
      tell(failure);
      throw communication_error(failure);
    }

    double timeout_s_;
    int exceptions_ = std::uncaught_exceptions();
    MPI_Comm data_ = MPI_COMM_NULL, notices_ = MPI_COMM_NULL;
    MPI_Request listening_ = MPI_REQUEST_NULL;
    notice heard_ = {};
    std::vector<header> headers_;  // of the current call, by rank
    std::vector<std::optional<index_t>> answers_;
    std::vector<std::byte> received_, scratch_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<call> calls_;           // in progress, or not yet waited for
    index_t first_ = 0, started_ = 0;  // the number of the first of calls_, and of all so far
    std::string failure_;
    bool closed_ = false, abandoned_ = false;
    std::atomic<bool> waited_for_ = false;  // the caller's thread does nothing else
    std::thread thread_;
  };

  std::unique_ptr<state> held_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
