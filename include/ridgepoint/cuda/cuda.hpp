// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <ridgepoint/core/backend.hpp>
#include <ridgepoint/cuda/cuda_api.hpp>
#include <ridgepoint/cuda/cuda_ops.hpp>
#include <ridgepoint/cuda/gpu_error.hpp>
#include <ridgepoint/ops/prepare.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// How products of f32 are made on a GPU: from f32, or from TF32, which keeps 10 bits of 23 and is several times as
/// fast.
enum class gpu_products { exact, tensor_floats };

/// Which GPU, and how it computes.
struct cuda_options {
  int device = 0;
  gpu_products products = gpu_products::exact;
};

namespace detail {

/// Calls into the component; what it refuses becomes this copy's gpu_error.
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

/// Memory of a device, given back in the order of its stream.
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

/// What a GPU prepares of a call: the workspace it wants.
struct cuda_prepared {
  preparation told = {};
};

}  // namespace detail

/// How many GPUs there are that this program can use; 0 without a driver, a device, or the component's libraries.
[[nodiscard]] inline int gpu_count() { return ridgepoint_cuda()->device_count(); }

/// An NVIDIA GPU: products by cuBLAS, everything else by kernels of this library's own, which NVRTC compiles for the
/// device at hand when they are first called. Link ridgepoint::cuda.
///
/// Calls return before they are done, and take effect in order; copies of a backend share one stream. A training step
/// is recorded once, as a CUDA graph, and replayed. One host thread at a time may use a backend and what was made with
/// it; threads that have a backend each do not wait for one another, on one device or on several.
/// Throws: unsupported if there is no such device, in one line that says why; gpu_error where a library fails, and
/// gpu_memory_error where the device has no memory left: both can then be used as before. A device that is lost fails
/// in every call from then on, but gives everything back.
/// Example:
///   const rp::cuda on;                                               // in place of rp::cpu
///   auto trainer = net.train<float>(on, …);
class cuda {
 public:
  using ops = cuda_ops;
  using buffer = detail::cuda_buffer;

  explicit cuda(cuda_options options = {}) {
    const ridgepoint_cuda_api& api = *ridgepoint_cuda();
    require<unsupported>(api.version == RIDGEPOINT_VERSION && api.count == cuda_ops::size,
                         "cuda: the library has version ", api.version, " with ", api.count,
                         " ops; must be the headers' version ", RIDGEPOINT_VERSION, " with ", cuda_ops::size);
    const int count = api.device_count();
    if (count == 0) throw unsupported(concat("cuda: no GPU: ", api.why_none()));
    require<value_error>(options.device >= 0 && options.device < count, "cuda: device is ", options.device,
                         "; must be 0 to ", count - 1);
    const ridgepoint_cuda_choice choice{.device = options.device,
                                        .tensor_floats = options.products == gpu_products::tensor_floats ? 1 : 0};
    on_ = detail::in_cuda([&](const ridgepoint_cuda_api& with) {
      return std::shared_ptr<ridgepoint_cuda_context>(with.create(choice), with.destroy);
    });
  }
  [[nodiscard]] std::string name() const { return concat("cuda.", ridgepoint_cuda()->device_name(*on_)); }

  [[nodiscard]] ridgepoint_cuda_device described() const { return ridgepoint_cuda()->describe(*on_); }

  [[nodiscard]] buffer allocate(std::size_t bytes) const {
    return {on_, detail::in_cuda([&](const auto& api) { return api.allocate(*on_, bytes); }), bytes};
  }
  /// The same for a part of something: where no memory is left, the error says what all() says that all of it takes.
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

  /// Seconds that the device takes for what body() calls, by its own events: see time_of().
  template <class Body>
  [[nodiscard]] double elapsed_s(Body&& body) const {
    using callable = std::remove_reference_t<Body>;
    return detail::in_cuda([&](const auto& api) {
      return api.elapsed_s(
          *on_, [](const void* with) { (*static_cast<const callable*>(with))(); }, &body);
    });
  }

  using recording = std::shared_ptr<const ridgepoint_cuda_recording>;
  /// What body() calls, which is not run.
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

  /// A copy to the host that goes on beside it: see fetches_later.
  [[nodiscard]] ridgepoint_cuda_copy* fetch(void* dst, const void* src, std::size_t bytes) const {
    return detail::in_cuda([&](const auto& api) { return api.fetch(*on_, dst, src, bytes); });
  }
  void wait(ridgepoint_cuda_copy* ticket) const {
    detail::in_cuda([&](const auto& api) { api.wait(*on_, ticket); });
  }

  template <class Args>
    requires cuda_ops::contains<Args>
  friend void execute(const cuda& on, const Args& args) { on.run(args, nullptr); }
  template <class Args>
    requires cuda_ops::contains<Args>
  friend detail::cuda_prepared prepare(const cuda& on, const Args& args, const prepare_options&) {
    const std::size_t bytes = detail::in_cuda([&](const ridgepoint_cuda_api& api) {
      return api.entries[cuda_ops::index_of<Args>].workspace_bytes(*on.on_, &args);
    });
    return {.told = {.workspace_bytes = bytes}};
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

  std::shared_ptr<ridgepoint_cuda_context> on_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
