// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <ridgepoint/core/backend.hpp>
#include <ridgepoint/core/error.hpp>
#include <ridgepoint/cuda/cuda_api.hpp>
#include <ridgepoint/cuda/cuda_ops.hpp>
#include <ridgepoint/ops/chain.hpp>
#include <ridgepoint/ops/prepare.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A failed call into CUDA or one of its libraries. what() has the library, call, error name, code and the library's
/// description: "CUDA: cudaMallocAsync: cudaErrorMemoryAllocation (2): out of memory".
class gpu_error : public backend_error {
 public:
  gpu_error(const std::string& message, std::string library, int code, std::string name)
      : backend_error(message), library_(std::move(library)), code_(code), name_(std::move(name)) {}
  [[nodiscard]] const std::string& library() const noexcept { return library_; }  // "CUDA", "cuBLAS", "cuDNN", "NVRTC"
  [[nodiscard]] int code() const noexcept { return code_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }  // "cudaErrorMemoryAllocation"

 private:
  std::string library_;
  int code_;
  std::string name_;
};

/// Out of memory, of a device or of pinned host memory. When a network is created, what() ends with its total: "…: out
/// of memory; all of it takes 2.19 GB: batch 154 MB, parameters 102 MB, …".
class gpu_memory_error : public gpu_error {
  using gpu_error::gpu_error;
};

/// Arithmetic of f32 products on a GPU: f32, or TF32, which keeps 10 of 23 bits and is several times faster.
enum class gpu_products { exact, tensor_floats };

/// Execution of consecutive element-wise calls of a network: fused into one kernel compiled for the sequence, or one by
/// one. Results are bitwise identical.
enum class gpu_chains { fused, one_by_one };

/// Implementation of recurrent layers on a GPU: cuDNN if it has the cell, or always this library's own kernels. A
/// backward pass must use the same choice as its forward pass. cuDNN guarantees reproducible results only if
/// CUBLAS_WORKSPACE_CONFIG is set; own kernels are always reproducible.
enum class gpu_cells { library, own };

/// Choice among the cuDNN engines that compute a convolution as requested: the first in cuDNN's ranking, or the fastest
/// of the first eight, timed on this GPU when a call is prepared. The fastest may vary from run to run, and so may the
/// last bits of results.
enum class gpu_engines { ranked, timed };

/// Options of a backend: the GPU and how it computes.
struct cuda_options {
  int device = 0;
  gpu_products products = gpu_products::exact;
  gpu_chains chains = gpu_chains::fused;
  gpu_cells cells = gpu_cells::library;
  gpu_engines engines = gpu_engines::ranked;
  std::size_t workspace_limit_bytes = std::size_t{8} << 30;  // of a convolution, if cuDNN has an engine that needs less
};

namespace detail {

/// Calls the component and rethrows its failures as this copy's gpu_error.
template <class Call>
auto in_cuda(const Call& call) {
  try {
    return call(*ridgepoint_cuda());
  } catch (const ridgepoint_cuda_failure& failed) {
    if (failed.name == "cudaErrorMemoryAllocation")
      throw gpu_memory_error(failed.what(), failed.library, failed.code, failed.name);
    throw gpu_error(failed.what(), failed.library, failed.code, failed.name);
  }
}

/// Device memory, freed in stream order.
class cuda_buffer {
 public:
  cuda_buffer(std::shared_ptr<ridgepoint_cuda_context> on, void* data, std::size_t bytes) noexcept
      : on_(std::move(on)), data_(data), bytes_(bytes) {}
  cuda_buffer(cuda_buffer&& other) noexcept
      : on_(std::move(other.on_)), data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  cuda_buffer& operator=(cuda_buffer&& other) noexcept {
    std::swap(on_, other.on_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  cuda_buffer(const cuda_buffer&) = delete;
  cuda_buffer& operator=(const cuda_buffer&) = delete;
  ~cuda_buffer() {
    if (data_ != nullptr) ridgepoint_cuda()->release(*on_, data_);
  }
  [[nodiscard]] void* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return bytes_; }

 private:
  std::shared_ptr<ridgepoint_cuda_context> on_;
  void* data_;
  std::size_t bytes_;
};

/// Returns the index of a listed op in the component's table.
template <class... Args>
[[nodiscard]] std::size_t cuda_op_number(type_list<Args...> ops, op_id op) {
  constexpr std::size_t numbers[] = {cuda_ops::index_of<Args>..., cuda_ops::size};
  return numbers[op_position(ops, op)];
}
/// Staging memory of a GPU: see stages_ahead.
class cuda_staging {
 public:
  cuda_staging(std::shared_ptr<ridgepoint_cuda_context> on, std::span<const staged_part> parts) : on_(std::move(on)) {
    std::vector<ridgepoint_cuda_part> all;
    for (const staged_part& p : parts) all.push_back({p.to, p.offset, p.bytes});
    held_.reset(in_cuda([&](const auto& api) { return api.stage(*on_, all.data(), all.size()); }));
  }
  [[nodiscard]] void* open() const {
    return in_cuda([&](const auto& api) { return api.open_staging(*held_); });
  }
  void send() const {
    in_cuda([&](const auto& api) { api.send(*held_); });
  }
  void take() const {
    in_cuda([&](const auto& api) { api.take(*held_); });
  }
  void finish() const {
    in_cuda([&](const auto& api) { api.finish_staging(*held_); });
  }

 private:
  struct end {
    void operator()(ridgepoint_cuda_staging* s) const noexcept { ridgepoint_cuda()->end_staging(s); }
  };
  std::shared_ptr<ridgepoint_cuda_context> on_;
  std::unique_ptr<ridgepoint_cuda_staging, end> held_;
};

/// A prepared call of a GPU, with the workspace size it needs.
struct cuda_prepared {
  preparation info = {};
};

}  // namespace detail

/// Returns the number of GPUs this program can use; 0 without a driver, a device, or the component's libraries.
[[nodiscard]] inline int gpu_count() { return ridgepoint_cuda()->device_count(); }

/// An NVIDIA GPU: products by cuBLAS, everything else by this library's own kernels, which NVRTC compiles for the
/// installed device on first use. Link ridgepoint::cuda.
///
/// Calls are asynchronous and execute in order; copies of a backend share one stream. A training step is recorded once,
/// as a CUDA graph, and replayed. Only one host thread at a time may use a backend and objects created with it. Threads
/// with separate backends do not block each other, on one device or on several.
/// Throws: unsupported if no such device exists, with the reason in one line; gpu_error if a library call fails, and
/// gpu_memory_error if the device is out of memory: the backend remains usable after both. After the device is lost,
/// every call fails, but all memory is still released.
/// Example:
///   const rp::cuda on;                                               // in place of rp::cpu
///   auto trainer = net.train<float>(on, …);
class cuda {
 public:
  using ops = cuda_ops;
  using buffer = detail::cuda_buffer;

  explicit cuda(cuda_options options = {}) : wants_chains_(options.chains == gpu_chains::fused) {
    const ridgepoint_cuda_api& api = *ridgepoint_cuda();
    require<unsupported>(api.version == RIDGEPOINT_VERSION && api.count == cuda_ops::size,
                         "cuda: the library has version ", api.version, " with ", api.count,
                         " ops; must be the headers' version ", RIDGEPOINT_VERSION, " with ", cuda_ops::size);
    const int count = api.device_count();
    if (count == 0) throw unsupported(concat("cuda: no GPU: ", api.why_none()));
    require<value_error>(options.device >= 0 && options.device < count, "cuda: device is ", options.device,
                         "; must be 0 to ", count - 1);
    const ridgepoint_cuda_choice choice{.device = options.device,
                                        .tensor_floats = options.products == gpu_products::tensor_floats ? 1 : 0,
                                        .own_cells = options.cells == gpu_cells::own ? 1 : 0,
                                        .times_engines = options.engines == gpu_engines::timed ? 1 : 0,
                                        .workspace_limit_bytes = options.workspace_limit_bytes};
    on_ = detail::in_cuda([&](const ridgepoint_cuda_api& with) {
      return std::shared_ptr<ridgepoint_cuda_context>(with.create(choice), with.destroy);
    });
  }
  [[nodiscard]] std::string name() const { return concat("cuda.", ridgepoint_cuda()->device_name(*on_)); }

  [[nodiscard]] ridgepoint_cuda_device described() const { return ridgepoint_cuda()->describe(*on_); }

  [[nodiscard]] buffer allocate(std::size_t bytes) const {
    return {on_, detail::in_cuda([&](const auto& api) { return api.allocate(*on_, bytes); }), bytes};
  }
  /// Allocates memory for a part of something: if out of memory, the error appends all(), the description of the total.
  template <class All>
  [[nodiscard]] buffer allocate(std::size_t bytes, const All& all) const {
    try {
      return allocate(bytes);
    } catch (const gpu_memory_error& e) {
      throw gpu_memory_error(concat(e.what(), "; all of it takes ", all()), e.library(), e.code(), e.name());
    }
  }
  void upload(void* dst, const void* src, std::size_t bytes) const {
    detail::in_cuda([&](const auto& api) { api.upload(*on_, dst, src, bytes); });
  }
  void download(void* dst, const void* src, std::size_t bytes) const {
    detail::in_cuda([&](const auto& api) { api.download(*on_, dst, src, bytes); });
  }
  void copy(void* dst, const void* src, std::size_t bytes) const {
    detail::in_cuda([&](const auto& api) { api.copy(*on_, dst, src, bytes); });
  }
  void synchronize() const {
    detail::in_cuda([&](const auto& api) { api.synchronize(*on_); });
  }

  /// Returns the seconds the device takes for the calls of body(), by its own events: see time_of().
  template <class Body>
  [[nodiscard]] double elapsed_s(Body&& body) const {
    using callable = std::remove_reference_t<Body>;
    return detail::in_cuda([&](const auto& api) {
      return api.elapsed_s(
          *on_, [](const void* with) { (*static_cast<const callable*>(with))(); }, &body);
    });
  }

  using recording = std::shared_ptr<const ridgepoint_cuda_recording>;
  /// Records the calls of body() without executing them.
  template <class Body>
  [[nodiscard]] recording record(Body&& body) const {
    detail::in_cuda([&](const auto& api) { api.begin_recording(*on_); });
    try {
      body();
    } catch (...) {
      ridgepoint_cuda()->drop_recording(*on_);
      throw;
    }
    return detail::in_cuda([&](const auto& api) {
      return recording(api.end_recording(*on_), [forget = api.forget](const ridgepoint_cuda_recording* r) {
        forget(const_cast<ridgepoint_cuda_recording*>(r));
      });
    });
  }
  void replay(const recording& calls) const {
    detail::in_cuda([&](const auto& api) { api.replay(*on_, *calls); });
  }

  /// Returns whether consecutive element-wise calls are fused into one kernel: see runs_chains.
  [[nodiscard]] bool wants_chains() const noexcept { return wants_chains_; }
  using chain = std::shared_ptr<const ridgepoint_cuda_chain>;
  [[nodiscard]] chain prepare_chain(std::span<const chain_link> links) const {
    std::vector<ridgepoint_cuda_link> steps;
    for (const chain_link& l : links)
      steps.push_back({.op = detail::cuda_op_number(all_chain_ops{}, l.op),
                       .args = l.args,
                       .workspace = l.workspace,
                       .kept = l.kept ? 1 : 0});
    return detail::in_cuda([&](const auto& api) {
      return chain(
          api.make_chain(*on_, steps.data(), steps.size()),
          [drop = api.drop_chain](const ridgepoint_cuda_chain* c) { drop(const_cast<ridgepoint_cuda_chain*>(c)); });
    });
  }
  void run_chain(const chain& calls) const {
    detail::in_cuda([&](const auto& api) { api.run_chain(*on_, *calls); });
  }

  /// Starts an asynchronous copy to the host: see fetches_later.
  [[nodiscard]] ridgepoint_cuda_copy* fetch(void* dst, const void* src, std::size_t bytes) const {
    return detail::in_cuda([&](const auto& api) { return api.fetch(*on_, dst, src, bytes); });
  }
  void wait(ridgepoint_cuda_copy* ticket) const {
    detail::in_cuda([&](const auto& api) { api.wait(*on_, ticket); });
  }

  /// Allocates pinned host memory and device memory of equal size; a second stream copies between them: see
  /// stages_ahead.
  [[nodiscard]] detail::cuda_staging stage(std::span<const staged_part> parts) const { return {on_, parts}; }
  /// See gathers_rows. Requires: an even number of bytes.
  void gather_rows(void* dst, const void* src, std::size_t row_bytes, const index_t* rows, index_t count) const {
    detail::in_cuda([&](const auto& api) { api.gather_rows(*on_, dst, src, row_bytes, rows, count); });
  }

  template <class Args>
    requires cuda_ops::contains<Args>
  friend void execute(const cuda& on, const Args& args) { on.run(args, nullptr); }
  template <class Args>
    requires cuda_ops::contains<Args>
  friend detail::cuda_prepared prepare(const cuda& on, const Args& args, const prepare_options&) {
    const ridgepoint_cuda_info info = detail::in_cuda(
        [&](const ridgepoint_cuda_api& api) { return api.entries[cuda_ops::index_of<Args>].prepare(*on.on_, &args); });
    preparation made{.algorithm = info.algorithm, .workspace_bytes = info.workspace_bytes};
    if constexpr (requires { receipt(args); })
      if (*info.algorithm != 0) {
        const work definition = receipt(args);
        made.executed = detail::executed_with(definition.matrix_flop + info.more_matrix_flop, definition);
      }
    return {.info = made};
  }
  template <class Args>
    requires cuda_ops::contains<Args>
  friend void execute(const cuda& on, const detail::cuda_prepared&, const Args& args, const call_memory& memory) {
    on.run(args, memory.workspace);
  }
  template <class Args>
    requires cuda_ops::contains<Args>
  friend void make_constants(const cuda&, const detail::cuda_prepared&, const Args&, void*) {}

 private:
  template <class Args>
  void run(const Args& args, void* workspace) const {
    detail::in_cuda([&](const ridgepoint_cuda_api& api) {
      const ridgepoint_cuda_entry& entry = api.entries[cuda_ops::index_of<Args>];
      RIDGEPOINT_ASSERT(entry.args_size == sizeof(Args));
      entry.run(*on_, &args, workspace);
    });
  }

  bool wants_chains_;
  std::shared_ptr<ridgepoint_cuda_context> on_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// The archive has networks on rp::cuda compiled.
#if RIDGEPOINT_COMPILED && defined(RIDGEPOINT_WITH_CUDA)
#include <ridgepoint/graph/session.hpp>
#include <ridgepoint/graph/trainer.hpp>
namespace ridgepoint::inline RIDGEPOINT_ABI {
extern template op_table<cuda> library_ops<float, cuda>();
extern template class program<cuda>;
extern template class network<float, cuda>;
extern template class session<float, cuda>;
extern template class detail::training_core<float, cuda>;
extern template class trainer<float, cuda>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#endif
