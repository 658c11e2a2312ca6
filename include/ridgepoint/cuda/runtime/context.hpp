// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <memory>
#include <string>
#include <typeindex>
#include <unordered_map>
#include <vector>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/cuda/runtime/check.hpp>
#include <ridgepoint/cuda/runtime/kernels.hpp>
#include <ridgepoint/cuda/runtime/program.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Returns the architectures that NVRTC supports, 90 for compute capability 9.0, in ascending order.
[[nodiscard]] inline std::vector<int> known_architectures() {
  int count = 0;
  check_call(nvrtcGetNumSupportedArchs(&count), "nvrtcGetNumSupportedArchs");
  std::vector<int> all(static_cast<std::size_t>(count));
  check_call(nvrtcGetSupportedArchs(all.data()), "nvrtcGetSupportedArchs");
  std::ranges::sort(all);
  return all;
}

/// Returns the compile target for a GPU of this compute capability: "sm_90", native machine code; if NVRTC does not
/// support that, "compute_80", PTX for the newest supported architecture below it, which the driver compiles.
/// Throws: ridgepoint_cuda_failure, naming both, if the GPU is older than every architecture NVRTC supports.
[[nodiscard]] inline std::string architecture_for(int major, int minor) {
  const std::vector<int> known = known_architectures();
  const int wanted = 10 * major + minor;
  const auto after = std::ranges::upper_bound(known, wanted);
  if (after == known.begin())
    fail_in("NVRTC", concat("compiling for a GPU of compute capability ", major, '.', minor),
            NVRTC_ERROR_INVALID_OPTION, nvrtcGetErrorString(NVRTC_ERROR_INVALID_OPTION),
            known.empty() ? "it supports no architecture"
                          : concat("it compiles for sm_", known.front(), " to sm_", known.back()));
  const int newest = *std::prev(after);
  return concat(newest == wanted ? "sm_" : "compute_", newest);
}

using cuda_stream = owned_handle<cudaStream_t, cudaStreamDestroy>;
using cuda_event = owned_handle<cudaEvent_t, cudaEventDestroy>;
using cuda_graph = owned_handle<cudaGraph_t, cudaGraphDestroy>;
using cuda_graph_exec = owned_handle<cudaGraphExec_t, cudaGraphExecDestroy>;
using cuda_library = owned_handle<cudaLibrary_t, cudaLibraryUnload>;
using lt_handle = owned_handle<cublasLtHandle_t, cublasLtDestroy>;

/// Device memory that is allocated and freed synchronously: for a context's own use.
class device_memory {
 public:
  device_memory() = default;
  explicit device_memory(std::size_t bytes)
      : held_([&](void** made) { check_call(cudaMalloc(made, bytes), concat("cudaMalloc of ", bytes, " bytes")); }),
        bytes_(bytes) {}
  [[nodiscard]] void* data() const noexcept { return held_.get(); }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return bytes_; }

 private:
  owned_handle<void*, cudaFree> held_;
  std::size_t bytes_ = 0;
};

/// Threads of a block that reduces; must match device/threads.hpp.
inline constexpr unsigned block_threads = 256;

/// Blocks, and threads per block, of a kernel launch.
struct launch_shape {
  unsigned blocks = 1, threads = 1;
};
/// Blocks over a matrix: each takes a part of the rows of a tile of `width` columns. See device/columns.hpp.
struct column_shape {
  launch_shape threads;
  unsigned width = 1;
  index_t parts = 1;

  /// Returns one block per tile.
  [[nodiscard]] launch_shape gathering() const noexcept {
    return {threads.blocks / static_cast<unsigned>(parts), threads.threads};
  }
};

/// A device as ops see it: its stream, its libraries, and its compiled kernels.
///
/// A rehearsal creates everything a call needs, kernels and plans, without launching anything. A recording, which must
/// not create anything, then finds it ready.
class cuda_context {
 public:
  explicit cuda_context(ridgepoint_cuda_choice wanted) : choice_(wanted) {
    check_call(cudaSetDevice(wanted.device), "cudaSetDevice");
    cudaDeviceProp properties{};
    check_call(cudaGetDeviceProperties(&properties, wanted.device), "cudaGetDeviceProperties");
    int clock_khz = 0;
    check_call(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, wanted.device), "cudaDeviceGetAttribute");
    name_ = properties.name;
    architecture_ = architecture_for(properties.major, properties.minor);
    is_ = {.device = wanted.device,
           .major = properties.major,
           .minor = properties.minor,
           .multiprocessors = properties.multiProcessorCount,
           .memory_bytes = properties.totalGlobalMem,
           .l2_bytes = static_cast<std::size_t>(properties.l2CacheSize),
           .clock_hz = 1e3 * clock_khz,
           .address = {}};
    std::snprintf(is_.address, sizeof is_.address, "%04x:%02x:%02x.0", static_cast<unsigned>(properties.pciDomainID),
                  static_cast<unsigned>(properties.pciBusID), static_cast<unsigned>(properties.pciDeviceID));
    keep_freed_memory();
    stream_ = cuda_stream([](cudaStream_t* made) {
      check_call(cudaStreamCreateWithFlags(made, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    });
    lt_ = lt_handle([](cublasLtHandle_t* made) { check_call(cublasLtCreate(made), "cublasLtCreate"); });
    lt_workspace_ = device_memory(lt_workspace_bytes);
  }
  cuda_context(const cuda_context&) = delete;
  cuda_context& operator=(const cuda_context&) = delete;
  /// Waits for pending kernels, whose code is freed here.
  ~cuda_context() { static_cast<void>(cudaStreamSynchronize(stream())); }

  [[nodiscard]] const std::string& device_name() const noexcept { return name_; }
  [[nodiscard]] const ridgepoint_cuda_device& described() const noexcept { return is_; }
  [[nodiscard]] cudaStream_t stream() const noexcept { return stream_.get(); }
  [[nodiscard]] cublasLtHandle_t lt() const noexcept { return lt_.get(); }
  [[nodiscard]] const device_memory& lt_workspace() const noexcept { return lt_workspace_; }
  [[nodiscard]] bool may_use_tensor_floats() const noexcept { return choice_.tensor_floats != 0; }
  [[nodiscard]] std::size_t workspace_limit_bytes() const noexcept { return choice_.workspace_limit_bytes; }
  [[nodiscard]] bool times_engines() const noexcept { return choice_.times_engines != 0; }
  [[nodiscard]] bool may_use_library_cells() const noexcept { return choice_.own_cells == 0; }
  [[nodiscard]] bool rehearses() const noexcept { return rehearses_; }

  /// Returns per-device state of an op, such as a library's handle and plans; created on first use.
  template <class Kept>
  [[nodiscard]] Kept& kept() {
    std::shared_ptr<void>& held = kept_[typeid(Kept)];
    if (held == nullptr) held = std::make_shared<Kept>(*this);
    return *static_cast<Kept*>(held.get());
  }

  /// Runs call() as a rehearsal.
  template <class Call>
  void rehearse(const Call& call) {
    struct guard {
      bool& flag;
      ~guard() { flag = false; }
    } const ends{rehearses_};
    rehearses_ = true;
    call();
  }

  /// Makes this the current device of the calling thread: other contexts and libraries may have selected another.
  void use() const { check_call(cudaSetDevice(choice_.device), "cudaSetDevice"); }

  [[nodiscard]] void* allocate(std::size_t bytes) {
    void* made = nullptr;
    if (bytes != 0) check_call(cudaMallocAsync(&made, bytes, stream()), concat("cudaMallocAsync of ", bytes, " bytes"));
    return made;
  }
  void release(void* memory) noexcept { static_cast<void>(cudaFreeAsync(memory, stream())); }

  void copy(void* dst, const void* src, std::size_t bytes, cudaMemcpyKind way) {
    if (bytes != 0) check_call(cudaMemcpyAsync(dst, src, bytes, way, stream()), "cudaMemcpyAsync");
  }
  void synchronize() { check_call(cudaStreamSynchronize(stream()), "cudaStreamSynchronize"); }

  /// Returns a workspace for a call that was not prepared; the next call reuses it.
  [[nodiscard]] void* scratch(std::size_t bytes) {
    if (scratch_.size_bytes() < bytes) {
      synchronize();
      scratch_ = device_memory();
      scratch_ = device_memory(bytes);
    }
    return scratch_.data();
  }

  /// Returns blocks of `block_threads` for `work` threads, limited to as many as keep the device busy.
  [[nodiscard]] launch_shape loop(index_t work) const noexcept {
    constexpr index_t threads = block_threads, blocks_of_a_multiprocessor = 8;
    const index_t most = index_t{is_.multiprocessors} * blocks_of_a_multiprocessor;
    return {static_cast<unsigned>(std::clamp<index_t>(ceil_div(work, threads), 1, most)),
            static_cast<unsigned>(threads)};
  }
  /// Returns one block per row of `width` elements; its threads are a power of two, 32 to 256, about one per element.
  [[nodiscard]] launch_shape rows(index_t count, index_t width) const noexcept {
    unsigned threads = 32;
    while (threads < block_threads && static_cast<index_t>(threads) < width) threads *= 2;
    constexpr index_t most_blocks = 65'535;
    return {static_cast<unsigned>(std::clamp<index_t>(count, 1, most_blocks)), threads};
  }

  /// Returns blocks over the columns of a matrix: one per tile or more, up to as many as keep the device busy.
  [[nodiscard]] column_shape columns(index_t rows, index_t cols) const noexcept {
    constexpr index_t widest = 32, rows_of_a_thread = 8;
    const auto width = std::min<index_t>(widest, static_cast<index_t>(std::bit_ceil(static_cast<std::size_t>(cols))));
    const index_t tiles = ceil_div(cols, width), rows_of_a_part = block_threads / width * rows_of_a_thread;
    const index_t most = std::max<index_t>(1, loop(rows * cols).blocks / tiles);
    const index_t parts = std::clamp<index_t>(ceil_div(rows, rows_of_a_part), 1, most);
    return {{static_cast<unsigned>(tiles * parts), block_threads}, static_cast<unsigned>(width), parts};
  }

  /// Starts a kernel; converts arguments to its parameters' types.
  template <class... Params>
  void launch(const kernel<Params...>& k, launch_shape shape, std::type_identity_t<Params>... args) {
    const cudaKernel_t found = find(k);
    if (!rehearses_) start(found, k.name, shape, args...);
  }
  /// Starts a kernel that find_by_expression() returned; arguments must have its parameters' types.
  template <class... Args>
  void start(cudaKernel_t found, const char* name, launch_shape shape, const Args&... args) {
    std::array<void*, sizeof...(args)> addresses{const_cast<void*>(static_cast<const void*>(&args))...};
    const cudaError_t started = cudaLaunchKernel(static_cast<const void*>(found), dim3(shape.blocks),
                                                 dim3(shape.threads), addresses.data(), 0, stream());
    if (started != cudaSuccess) check_call(started, concat("cudaLaunchKernel of ", name));
  }
  /// Returns a kernel that is not listed but generated for certain calls; compiled separately on first use.
  [[nodiscard]] cudaKernel_t find_by_expression(const kernel_name& k) {
    const std::string expression = k.expression();
    return kernel_of(load(expression, k.header, {&k, 1}), expression);
  }

 private:
  static constexpr std::size_t lt_workspace_bytes = std::size_t{32} << 20;

  /// Keeps freed memory in the process, since the next step needs it again.
  void keep_freed_memory() const {
    cudaMemPool_t pool = nullptr;
    check_call(cudaDeviceGetDefaultMemPool(&pool, choice_.device), "cudaDeviceGetDefaultMemPool");
    std::uint64_t all = ~std::uint64_t{0};
    check_call(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all), "cudaMemPoolSetAttribute");
  }

  [[nodiscard]] cudaKernel_t find(const kernel_name& k) {
    if (const auto found = kernels_.find(&k); found != kernels_.end()) return found->second;
    return kernels_.emplace(&k, kernel_of(load(k.program(), k.header, compiled_with(k)), k.expression())).first->second;
  }

  /// Returns the compile target and the device, for error messages.
  [[nodiscard]] std::string code_for_device() const {
    return concat(" (", architecture_, " code, compute capability ", is_.major, '.', is_.minor, ')');
  }
  struct loaded {
    std::unordered_map<std::string, std::string> symbols;
    cuda_library library;
  };
  [[nodiscard]] cudaKernel_t kernel_of(const loaded& code, const std::string& expression) const {
    cudaKernel_t made = nullptr;
    check_call(cudaLibraryGetKernel(&made, code.library.get(), code.symbols.at(expression).c_str()),
               concat("cudaLibraryGetKernel of ", expression, code_for_device()));
    return made;
  }
  /// Loads some kernels of a header, compiled on first use and then found by this name.
  const loaded& load(const std::string& name, const std::string& header, std::span<const kernel_name> kernels) {
    if (const auto found = code_.find(name); found != code_.end()) return found->second;
    device_code code = compile_device_code(header, kernels, architecture_);
    cuda_library library([&](cudaLibrary_t* made) {
      check_call(cudaLibraryLoadData(made, code.image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
                 concat("cudaLibraryLoadData of ", header, code_for_device()));
    });
    return code_.emplace(name, loaded{std::move(code.symbols), std::move(library)}).first->second;
  }

  ridgepoint_cuda_choice choice_;
  std::string name_, architecture_;
  ridgepoint_cuda_device is_{};
  bool rehearses_ = false;
  cuda_stream stream_;
  lt_handle lt_;
  device_memory lt_workspace_, scratch_;
  std::unordered_map<std::string, loaded> code_;  // by kernel_name::program(), or by the single kernel
  std::unordered_map<const kernel_name*, cudaKernel_t> kernels_;
  std::unordered_map<std::type_index, std::shared_ptr<void>> kept_;
};

[[nodiscard]] inline cuda_event make_event(unsigned flags) {
  return cuda_event(
      [&](cudaEvent_t* made) { check_call(cudaEventCreateWithFlags(made, flags), "cudaEventCreateWithFlags"); });
}
inline void record_event(const cuda_event& e, cudaStream_t on) {
  check_call(cudaEventRecord(e.get(), on), "cudaEventRecord");
}
/// Makes later work on the stream wait for the event's latest record; does nothing if it was never recorded.
inline void wait_for_event(cudaStream_t on, const cuda_event& e) {
  check_call(cudaStreamWaitEvent(on, e.get(), 0), "cudaStreamWaitEvent");
}
/// Blocks the host until the event.
inline void wait_for_event(const cuda_event& e) { check_call(cudaEventSynchronize(e.get()), "cudaEventSynchronize"); }

/// Returns the seconds the device takes for the work that body() enqueues, by its own events.
template <class Body>
[[nodiscard]] double time_of(const cuda_context& on, const Body& body) {
  const cuda_event before = make_event(cudaEventDefault), after = make_event(cudaEventDefault);
  record_event(before, on.stream());
  body();
  on.use();
  record_event(after, on.stream());
  wait_for_event(after);
  float elapsed_ms = 0;
  check_call(cudaEventElapsedTime(&elapsed_ms, before.get(), after.get()), "cudaEventElapsedTime");
  return static_cast<double>(elapsed_ms) * 1e-3;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
