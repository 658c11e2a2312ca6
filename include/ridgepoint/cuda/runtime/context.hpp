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
#include <ridgepoint/cuda/runtime/architecture.hpp>
#include <ridgepoint/cuda/runtime/check.hpp>
#include <ridgepoint/cuda/runtime/handle.hpp>
#include <ridgepoint/cuda/runtime/kernels.hpp>
#include <ridgepoint/cuda/runtime/program.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

using cuda_stream = owned_handle<cudaStream_t, cudaStreamDestroy>;
using cuda_event = owned_handle<cudaEvent_t, cudaEventDestroy>;
using cuda_graph = owned_handle<cudaGraph_t, cudaGraphDestroy>;
using cuda_graph_exec = owned_handle<cudaGraphExec_t, cudaGraphExecDestroy>;
using cuda_library = owned_handle<cudaLibrary_t, cudaLibraryUnload>;
using lt_handle = owned_handle<cublasLtHandle_t, cublasLtDestroy>;

/// Memory of a device, synchronously made and given back: what a context keeps for itself.
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

/// Threads of a block that sums, as device/threads.hpp has them.
inline constexpr unsigned block_threads = 256;

/// How many threads a kernel is launched with.
struct launch_shape {
  unsigned blocks = 1, threads = 1;
};
/// Blocks over a matrix: each takes a part of the rows of a tile of `width` columns. See device/columns.hpp.
struct column_shape {
  launch_shape threads;
  unsigned width = 1;
  index_t parts = 1;

  /// A block for each tile.
  [[nodiscard]] launch_shape gathering() const noexcept {
    return {threads.blocks / static_cast<unsigned>(parts), threads.threads};
  }
};

/// A device as ops see it: its stream, its libraries, and the kernels that were compiled for it.
///
/// A rehearsal makes everything a call needs, kernels and plans, and launches nothing: so that a recording, in which
/// nothing may be made, finds it all there.
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
  /// What was called runs code that is given back here.
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

  /// What ops keep with a device, a library's handle and plans, say: made of it when it is first asked for.
  template <class Kept>
  [[nodiscard]] Kept& kept() {
    std::shared_ptr<void>& held = kept_[typeid(Kept)];
    if (held == nullptr) held = std::make_shared<Kept>(*this);
    return *static_cast<Kept*>(held.get());
  }

  /// call() as a rehearsal.
  template <class Call>
  void rehearse(const Call& call) {
    struct guard {
      bool& flag;
      ~guard() { flag = false; }
    } const ends{rehearses_};
    rehearses_ = true;
    call();
  }

  /// Calls of this thread are for this device from now on: other contexts, and other libraries, may have had another.
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

  /// Workspace for a call that was not prepared; the next one's is the same.
  [[nodiscard]] void* scratch(std::size_t bytes) {
    if (scratch_.size_bytes() < bytes) {
      synchronize();
      scratch_ = device_memory();
      scratch_ = device_memory(bytes);
    }
    return scratch_.data();
  }

  /// So many threads of work in blocks of `block_threads`, at most as many blocks as keep the device busy.
  [[nodiscard]] launch_shape loop(index_t work) const noexcept {
    constexpr index_t threads = block_threads, blocks_of_a_multiprocessor = 8;
    const index_t most = index_t{is_.multiprocessors} * blocks_of_a_multiprocessor;
    return {static_cast<unsigned>(std::clamp<index_t>(ceil_div(work, threads), 1, most)),
            static_cast<unsigned>(threads)};
  }
  /// A block for each of so many rows of `width` elements: as many threads as a row has elements, a power of two.
  [[nodiscard]] launch_shape rows(index_t count, index_t width) const noexcept {
    unsigned threads = 32;
    while (threads < block_threads && static_cast<index_t>(threads) < width) threads *= 2;
    constexpr index_t most_blocks = 65'535;
    return {static_cast<unsigned>(std::clamp<index_t>(count, 1, most_blocks)), threads};
  }

  /// Blocks over the columns of a matrix, at most as many as keep the device busy, but for one a tile.
  [[nodiscard]] column_shape columns(index_t rows, index_t cols) const noexcept {
    constexpr index_t widest = 32, rows_of_a_thread = 8;
    const auto width = std::min<index_t>(widest, static_cast<index_t>(std::bit_ceil(static_cast<std::size_t>(cols))));
    const index_t tiles = ceil_div(cols, width), rows_of_a_part = block_threads / width * rows_of_a_thread;
    const index_t most = std::max<index_t>(1, loop(rows * cols).blocks / tiles);
    const index_t parts = std::clamp<index_t>(ceil_div(rows, rows_of_a_part), 1, most);
    return {{static_cast<unsigned>(tiles * parts), block_threads}, static_cast<unsigned>(width), parts};
  }

  /// Starts a kernel. Arguments become what its parameters are.
  template <class... Params>
  void launch(const kernel<Params...>& k, launch_shape shape, std::type_identity_t<Params>... args) {
    const cudaKernel_t found = find(k);
    if (!rehearses_) start(found, k.name, shape, args...);
  }
  /// The same of a kernel that was found, with arguments of its parameters' types.
  template <class... Args>
  void start(cudaKernel_t found, const char* name, launch_shape shape, const Args&... args) {
    std::array<void*, sizeof...(args)> addresses{const_cast<void*>(static_cast<const void*>(&args))...};
    const cudaError_t started = cudaLaunchKernel(static_cast<const void*>(found), dim3(shape.blocks),
                                                 dim3(shape.threads), addresses.data(), 0, stream());
    if (started != cudaSuccess) check_call(started, concat("cudaLaunchKernel of ", name));
  }
  /// A kernel that is not listed, but made for some calls: compiled by itself when it is first asked for.
  [[nodiscard]] cudaKernel_t find_by_expression(const kernel_name& k) {
    const std::string expression = k.expression();
    return kernel_of(load(expression, k.header, {&k, 1}), expression);
  }

 private:
  static constexpr std::size_t lt_workspace_bytes = std::size_t{32} << 20;

  /// Memory that is freed stays with the process, since a step wants it again.
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

  /// What code was compiled for, and where it shall run.
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
  /// Some kernels of a header, which are known by this name from then on.
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
  std::unordered_map<std::string, loaded> code_;  // by kernel_name::program(), or by the one kernel
  std::unordered_map<const kernel_name*, cudaKernel_t> kernels_;
  std::unordered_map<std::type_index, std::shared_ptr<void>> kept_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
