// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <span>
#include <string>
#include <unordered_map>

#include <ridgepoint/core/backend.hpp>
#include <ridgepoint/core/openmp_runtime.hpp>
#include <ridgepoint/core/team.hpp>
#include <ridgepoint/onednn/primitive.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// oneDNN on the CPU, version 2.6 or 3.x, f32: products, dense layers, activations, softmax and add; convolutions,
/// poolings and normalisations; rnn, lstm and gru.
///
/// The library has no losses, dropout or optimisers: to train a network, use `either(onednn(), cpu())`, which runs
/// those on this library's kernels. Primitives are created when a call with a new shape is prepared or run. If the
/// library has several implementations (plain layouts, or its own with conversions at each call), they are timed then
/// and the fastest is kept.
/// Copies share the primitives. Not thread-safe.
/// Example:
///   const rp::onednn on(1);                                 // one thread
///   rp::gemm(on, a, b, c);
class onednn : public host_memory {
 public:
  /// threads = 0: the library's default.
  /// Throws: value_error unless 0 <= threads <= 1024; unsupported if threads > 0 and the process has no OpenMP, through
  /// which the number is set; backend_error.
  explicit onednn(int threads = 0) : threads_(threads) {
    check_thread_count("onednn", threads);
    require<unsupported>(threads == 0 || openmp_.found(), "onednn: threads is ", threads,
                         " in a process without OpenMP; must be 0");
    shared_ = onednn_detail::call("engine", [] { return std::make_shared<shared>(); });
  }
  [[nodiscard]] static std::string name() { return "onednn"; }
  [[nodiscard]] int thread_count() const noexcept { return threads_ > 0 ? threads_ : available_threads(); }

  /// Returns the recipe of a key; valid while a copy of this backend exists. A new key gets the fastest recipe that
  /// build(engine) returns.
  template <class Build>
  [[nodiscard]] onednn_detail::recipe& recipe_of(const onednn_detail::recipe_key& key, Build&& build) const {
    const auto at = shared_->recipes.find(key);
    if (at != shared_->recipes.end()) return at->second;
    const thread_scope scope(openmp_, threads_);
    auto made = onednn_detail::call("create a primitive", [&] { return build(shared_->engine); });
    return shared_->recipes.emplace(key, fastest(std::move(made), shared_->stream)).first->second;
  }
  void run(onednn_detail::recipe& recipe, std::span<const void* const> pointers) const {
    const thread_scope scope(openmp_, threads_);
    recipe.run(shared_->stream, pointers);
  }

 private:
  struct shared {
    dnnl::engine engine{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream{engine};
    std::unordered_map<onednn_detail::recipe_key, onednn_detail::recipe, onednn_detail::recipe_hash> recipes;
  };
  /// Sets the number of OpenMP threads while the library works, then restores the caller's.
  class thread_scope {
   public:
    thread_scope(const openmp_runtime& openmp, int threads) : openmp_(openmp), threads_(threads) {
      if (threads_ == 0) return;
      before_ = openmp_.max_threads();
      openmp_.set_threads(threads_);
    }
    ~thread_scope() {
      if (threads_ > 0) openmp_.set_threads(before_);
    }
    thread_scope(const thread_scope&) = delete;
    thread_scope& operator=(const thread_scope&) = delete;

   private:
    const openmp_runtime& openmp_;
    int threads_, before_ = 0;
  };

  openmp_runtime openmp_;
  int threads_ = 0;
  std::shared_ptr<shared> shared_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
