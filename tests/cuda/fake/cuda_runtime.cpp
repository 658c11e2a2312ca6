// SPDX-License-Identifier: MIT
// A fake of the part of the CUDA runtime that the library calls. fake::set_order() decides when calls take effect,
// unless a stream records.
#include <cuda_runtime_api.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "../emulator/emulator.hpp"
#include "fake.hpp"
#include "ledger.hpp"
#include "queues.hpp"
#include "stream.hpp"

namespace {

using fake::call_list, fake::event, fake::stream;

/// Device memory: on silent machines it can be neither read nor written.
struct region {
  std::size_t bytes;
  int device;
  bool is_there;
};
std::map<void*, region> memory;
std::map<void*, std::size_t> pinned;  // host memory
std::atomic<std::size_t> sent_bytes = 0;
std::mutex of_memory;
thread_local int current = 0;  // the current device of this thread

thread_local cudaError_t last_error = cudaSuccess;  // not yet queried

/// Returns the status of a failed call: that the device is lost, or its own error.
cudaError_t failure(cudaError_t own) {
  const cudaError_t said = fake::scenario().lost ? cudaErrorDevicesUnavailable : own;
  if (said != cudaSuccess) last_error = said;
  return said;
}
/// Returns the status of a call that can fail only if the device is lost.
cudaError_t success() { return failure(cudaSuccess); }

template <class Object>
Object* as(void* opaque) {
  return static_cast<Object*>(opaque);
}
/// A handle of the runtime, which points to one of our objects.
template <class Handle, class Object>
Handle handle(Object* o) {
  return reinterpret_cast<Handle>(o);
}
struct graph {
  int device;
  call_list recorded;
  std::vector<fake::task> noted;
};

/// Returns whether the current device of this thread is that of this stream, event or graph, as it must be.
bool is_current(int device, const char* call) {
  if (device != current) fake::accuse(std::string(call) + " for another device than that of the thread");
  return device == current;
}
std::size_t taken_of(int device) {
  std::size_t taken = 0;
  for (const auto& each : memory) taken += each.second.device == device ? each.second.bytes : 0;
  return taken;
}
cudaError_t allocate(void** made, std::size_t bytes, int device, const char* call) {
  if (fake::fails(call)) return failure(cudaErrorMemoryAllocation);
  if (!fake::outside_recordings(call)) return cudaErrorStreamCaptureUnsupported;
  const std::lock_guard held(of_memory);
  const std::size_t most = fake::scenario().memory_bytes;
  if (bytes > most || taken_of(device) > most - bytes) return cudaErrorMemoryAllocation;
  const bool is_there = !fake::scenario().silent;
  if (is_there) {
    *made = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    std::memset(*made, 0xee, bytes);  // a NaN as floating point
  } else {
    *made = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (*made == MAP_FAILED) return cudaErrorMemoryAllocation;
  }
  memory[*made] = {bytes, device, is_there};
  fake::made(call);
  return cudaSuccess;
}
/// Removes memory from the list; returns a function that overwrites and frees it, null if not found.
std::function<void()> taken_out(void* at) {
  const std::lock_guard held(of_memory);
  const auto found = memory.find(at);
  if (!fake::is_legal(found != memory.end(), "memory is freed that is not allocated")) return nullptr;
  const region was = found->second;
  memory.erase(found);
  return [at, was] {
    if (!was.is_there) {
      ::munmap(at, was.bytes);
      return;
    }
    std::memset(at, 0xee, was.bytes);
    std::free(at);
  };
}
/// Frees memory when `when` allows it.
template <class When>
cudaError_t release(void* at, const char* made_by, const When& when) {
  if (at == nullptr) return cudaSuccess;
  if (!fake::outside_recordings("a memory release")) return cudaErrorStreamCaptureUnsupported;
  auto give_back = taken_out(at);
  if (!give_back) return cudaErrorInvalidValue;
  when(std::move(give_back));
  fake::gone(made_by);
  return success();
}
/// Returns the region that contains all these bytes; null if none does.
template <class Held, class Size>
const Held* find_in(const std::map<void*, Held>& these, const void* at, std::size_t bytes, const Size& size) {
  const std::lock_guard held(of_memory);
  const auto after = these.upper_bound(const_cast<void*>(at));
  if (after == these.begin()) return nullptr;
  const auto& [start, found] = *std::prev(after);
  return static_cast<const char*>(at) + bytes <= static_cast<const char*>(start) + size(found) ? &found : nullptr;
}
const region* find_region(const void* at, std::size_t bytes) {
  return find_in(memory, at, bytes, [](const region& r) { return r.bytes; });
}
bool is_pinned(const void* at, std::size_t bytes) {
  return find_in(pinned, at, bytes, [](std::size_t size) { return size; }) != nullptr;
}

bool may_launch(const dim3& blocks, const dim3& threads, std::size_t shared_bytes) {
  const bool grid = blocks.x >= 1 && blocks.x <= 0x7FFFFFFF && blocks.y == 1 && blocks.z == 1;
  const bool block = threads.x >= 1 && threads.x <= 1024 && threads.y == 1 && threads.z == 1;
  return fake::is_legal(grid && block && shared_bytes <= (48 << 10), "cudaLaunchKernel with more than a GPU has");
}
/// Notes a launch on a silent machine: its pointers must be allocated.
cudaError_t note_launch(const emulator::kernel& k, const dim3& blocks, const dim3& threads, void** args,
                        cudaStream_t s) {
  fake::digest all;
  all.add(&k).add(blocks.x).add(threads.x);
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < k.argument_bytes.size(); ++i) {
    all.add(args[i], k.argument_bytes[i]);
    bytes += k.argument_bytes[i];
  }
  constexpr std::size_t most_bytes = 4096;
  if (!fake::is_legal(bytes <= most_bytes, "cudaLaunchKernel with too many arguments")) return cudaErrorInvalidValue;
  for (const emulator::pointer& p : k.pointers) {
    const void* at = nullptr;
    std::memcpy(&at, as<char>(args[p.argument]) + p.offset, sizeof at);
    if (at != nullptr && !fake::may_use(s, at, p.alignment, p.alignment, "cudaLaunchKernel on unallocated memory"))
      return cudaErrorInvalidValue;
  }
  if (k.suits && !fake::is_legal(k.suits(args), "cudaLaunchKernel with arguments that do not go together"))
    return cudaErrorInvalidValue;
  fake::note(s, {"cudaLaunchKernel", all.value()});
  return cudaSuccess;
}

}  // namespace

bool fake::on_device(const void* at, std::size_t bytes) { return find_region(at, bytes) != nullptr; }
bool fake::may_use(cudaStream_t on, const void* at, std::size_t bytes, std::size_t alignment, const char* call) {
  const region* const found = find_region(at, bytes);
  const bool may = found != nullptr && found->device == fake::object<stream>(on)->device &&
                   reinterpret_cast<std::uintptr_t>(at) % alignment == 0;
  return is_legal(may, call);
}
std::size_t fake::taken_bytes() {
  const std::lock_guard held(of_memory);
  return taken_of(0);
}
int fake::device_of_thread() { return current; }
bool fake::is_current(cudaStream_t on, int of_handle, const char* call) {
  return ::is_current(of_handle, call) && ::is_current(fake::object<stream>(on)->device, call);
}
void fake::note(cudaStream_t on, task what) {
  auto* const s = fake::object<stream>(on);
  if (s->records) s->noted.push_back(std::move(what));
  else give({std::move(what)});
}
void fake::enqueue(cudaStream_t on, std::function<void()> call) {
  if (scenario().silent) return note(on, {.call = "a call"});
  add(*fake::object<stream>(on), std::move(call));
}
std::size_t fake::bytes_from_host() { return sent_bytes; }
const emulator::kernel* fake::find_kernel(const std::string& name) {
  const emulator::kernel* const found = emulator::find(name);
  return found == nullptr && scenario().silent ? emulator::describe_chain(name) : found;
}

float fake::some_time() { return 250; }

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 3;  // not to be used after an error
  if (fake::fails("cudaGetDeviceCount")) return failure(cudaErrorNoDevice);
  if (fake::scenario().devices == 0) return failure(fake::scenario().driver);
  *count = fake::scenario().devices;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  if (fake::fails("cudaSetDevice") || device >= fake::scenario().devices) return failure(cudaErrorInvalidDevice);
  current = device;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int) {
  if (fake::fails("cudaGetDeviceProperties")) return failure(cudaErrorInvalidDevice);
  *p = {};
  std::strcpy(p->name, "a fake GPU");
  p->major = fake::scenario().major;
  p->minor = fake::scenario().minor;
  p->multiProcessorCount = 4;
  p->totalGlobalMem = std::size_t{1} << 30;
  p->l2CacheSize = 1 << 16;
  p->pciBusID = 0x1b;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr what, int) {
  if (fake::fails("cudaDeviceGetAttribute") || what != cudaDevAttrClockRate) return failure(cudaErrorInvalidValue);
  *value = 1'000'000;
  return cudaSuccess;
}
cudaError_t cudaGetLastError() {
  const cudaError_t last = std::exchange(last_error, cudaSuccess);
  return fake::scenario().lost ? cudaErrorDevicesUnavailable : last;
}
const char* cudaGetErrorName(cudaError_t e) {
  switch (e) {
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorNoDevice:
      return "cudaErrorNoDevice";
    case cudaErrorInvalidDevice:
      return "cudaErrorInvalidDevice";
    case cudaErrorInvalidValue:
      return "cudaErrorInvalidValue";
    case cudaErrorLaunchFailure:
      return "cudaErrorLaunchFailure";
    case cudaErrorDevicesUnavailable:
      return "cudaErrorDevicesUnavailable";
    case cudaErrorInsufficientDriver:
      return "cudaErrorInsufficientDriver";
    case cudaErrorNoKernelImageForDevice:
      return "cudaErrorNoKernelImageForDevice";
    case cudaErrorStreamCaptureUnsupported:
      return "cudaErrorStreamCaptureUnsupported";
    case cudaErrorInvalidResourceHandle:
      return "cudaErrorInvalidResourceHandle";
    default:
      return "cudaErrorUnknown";
  }
}
const char* cudaGetErrorString(cudaError_t e) {
  switch (e) {
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorNoDevice:
      return "no CUDA-capable device is detected";
    case cudaErrorInsufficientDriver:
      return "CUDA driver version is insufficient for CUDA runtime version";
    case cudaErrorDevicesUnavailable:
      return "CUDA-capable device(s) is/are busy or unavailable";
    case cudaErrorNoKernelImageForDevice:
      return "no kernel image is available for execution on the device";
    default:
      return "fake";
  }
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int) {
  if (fake::fails("cudaDeviceGetDefaultMemPool")) return failure(cudaErrorInvalidDevice);
  static int one;
  *pool = handle<cudaMemPool_t>(&one);
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) {
  return fake::fails("cudaMemPoolSetAttribute") ? failure(cudaErrorInvalidValue) : cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* made, unsigned) {
  return fake::makes("cudaStreamCreateWithFlags", made, [&] { return new stream; })
             ? cudaSuccess
             : failure(cudaErrorMemoryAllocation);
}
cudaError_t cudaStreamDestroy(cudaStream_t s) {
  delete fake::object<stream>(s);
  fake::gone("cudaStreamCreateWithFlags");
  return success();
}
cudaError_t cudaStreamSynchronize(cudaStream_t s) {
  if (fake::fails("cudaStreamSynchronize")) return failure(cudaErrorLaunchFailure);
  const stream& on = *fake::object<stream>(s);
  if (!fake::is_legal(!on.records, "cudaStreamSynchronize of a stream that records"))
    return cudaErrorStreamCaptureUnsupported;
  return fake::ends(on) ? cudaSuccess : cudaErrorLaunchFailure;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned) {
  if (fake::fails("cudaStreamWaitEvent")) return failure(cudaErrorLaunchFailure);
  stream& on = *fake::object<stream>(s);
  if (!fake::is_legal(!on.records, "cudaStreamWaitEvent of a stream that records"))
    return cudaErrorStreamCaptureUnsupported;
  if (!is_current(on.device, "cudaStreamWaitEvent")) return cudaErrorInvalidResourceHandle;
  if (fake::scenario().silent) fake::note(s, {.call = "cudaStreamWaitEvent"});
  else
    fake::add(
        on, [] {}, fake::object<event>(e)->reached);
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** made, std::size_t bytes) { return allocate(made, bytes, current, "cudaMalloc"); }
cudaError_t cudaFree(void* at) {
  return release(at, "cudaMalloc", [](std::function<void()> give_back) {
    fake::run_all();
    give_back();
  });
}
cudaError_t cudaMallocAsync(void** made, std::size_t bytes, cudaStream_t s) {
  return allocate(made, bytes, fake::object<stream>(s)->device, "cudaMallocAsync");
}
cudaError_t cudaFreeAsync(void* at, cudaStream_t s) {
  return release(at, "cudaMallocAsync",
                 [s](std::function<void()> give_back) { fake::add(*fake::object<stream>(s), std::move(give_back)); });
}
cudaError_t cudaMallocHost(void** made, std::size_t bytes) {
  if (fake::fails("cudaMallocHost")) return failure(cudaErrorMemoryAllocation);
  if (!fake::outside_recordings("cudaMallocHost")) return cudaErrorStreamCaptureUnsupported;
  *made = std::malloc(bytes);
  const std::lock_guard held(of_memory);
  pinned[*made] = bytes;
  fake::made("cudaMallocHost");
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* at) {
  {
    const std::lock_guard held(of_memory);
    const auto found = pinned.find(at);
    std::memset(at, 0xee, found->second);  // pending copies from there read this
    pinned.erase(found);
  }
  fake::when_idle([at] { std::free(at); });
  fake::gone("cudaMallocHost");
  return success();
}
cudaError_t cudaMemcpyAsync(void* dst, const void* src, std::size_t bytes, cudaMemcpyKind way, cudaStream_t s) {
  if (fake::fails("cudaMemcpyAsync")) return failure(cudaErrorLaunchFailure);
  const bool reads = way == cudaMemcpyDeviceToHost || way == cudaMemcpyDeviceToDevice,
             writes = way == cudaMemcpyHostToDevice || way == cudaMemcpyDeviceToDevice;
  if (!fake::is_legal(fake::on_device(src, bytes) == reads && fake::on_device(dst, bytes) == writes,
                      "cudaMemcpyAsync from or to memory that is not allocated"))
    return cudaErrorInvalidValue;
  if (!reads) sent_bytes += bytes;
  if (fake::scenario().silent) {
    fake::note(s, {"cudaMemcpyAsync", fake::digest().add(dst).add(src).add(bytes).value()});
    if (!writes && !fake::object<stream>(s)->records) std::memset(dst, 0, bytes);
    return cudaSuccess;
  }
  if (reads || is_pinned(src, bytes)) {
    fake::enqueue(s, [=] { std::memcpy(dst, src, bytes); });
  } else {  // unpinned memory is copied at the call
    const auto* const from = static_cast<const char*>(src);
    fake::enqueue(s,
                  [dst, held = std::vector<char>(from, from + bytes)] { std::memcpy(dst, held.data(), held.size()); });
  }
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* made, unsigned) {
  return fake::makes("cudaEventCreateWithFlags", made, [&] { return new event; }) ? cudaSuccess
                                                                                  : failure(cudaErrorMemoryAllocation);
}
cudaError_t cudaEventElapsedTime(float* elapsed_ms, cudaEvent_t, cudaEvent_t) {
  if (fake::fails("cudaEventElapsedTime")) return failure(cudaErrorLaunchFailure);
  *elapsed_ms = fake::elapsed_ms();
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t e) {
  delete fake::object<event>(e);
  fake::gone("cudaEventCreateWithFlags");
  return success();
}
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s) {
  if (fake::fails("cudaEventRecord")) return failure(cudaErrorLaunchFailure);
  event& of = *fake::object<event>(e);
  if (!is_current(of.device, "cudaEventRecord") || !is_current(fake::object<stream>(s)->device, "cudaEventRecord"))
    return cudaErrorInvalidResourceHandle;
  if (fake::scenario().silent) {
    fake::note(s, {.call = "cudaEventRecord"});
    return cudaSuccess;
  }
  const auto reached = std::make_shared<bool>(false);
  of.reached = reached;
  fake::enqueue(s, [reached] { *reached = true; });
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t e) {
  if (fake::fails("cudaEventSynchronize")) return failure(cudaErrorLaunchFailure);
  if (!fake::outside_recordings("cudaEventSynchronize")) return cudaErrorStreamCaptureUnsupported;
  const auto reached = fake::object<event>(e)->reached;
  return fake::run_until([&] { return *reached; }) ? cudaSuccess : cudaErrorLaunchFailure;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t s, cudaStreamCaptureMode mode) {
  if (!fake::is_legal(mode == cudaStreamCaptureModeThreadLocal, "cudaStreamBeginCapture that hinders other threads"))
    return cudaErrorInvalidValue;
  if (fake::fails("cudaStreamBeginCapture") || fake::object<stream>(s)->records) return failure(cudaErrorInvalidValue);
  fake::object<stream>(s)->records = true;
  fake::recording_begins();
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t* made) {
  auto* const of = fake::object<stream>(s);
  if (!fake::is_legal(of->records, "cudaStreamEndCapture of a stream that does not record"))
    return cudaErrorInvalidValue;
  of->records = false;
  fake::recording_ends();
  const auto recorded = std::exchange(of->recorded, {});
  const auto noted = std::exchange(of->noted, {});
  if (fake::fails("cudaStreamEndCapture")) return failure(cudaErrorLaunchFailure);
  *made = handle<cudaGraph_t>(new graph{of->device, recorded, noted});
  fake::made("cudaStreamEndCapture");
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t g) {
  delete fake::object<graph>(g);
  fake::gone("cudaStreamEndCapture");
  return success();
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t g, unsigned long long) {
  if (!is_current(fake::object<graph>(g)->device, "cudaGraphInstantiate")) return cudaErrorInvalidResourceHandle;
  return fake::makes("cudaGraphInstantiate", made, [&] { return new graph(*fake::object<graph>(g)); })
             ? cudaSuccess
             : failure(cudaErrorMemoryAllocation);
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t g) {
  delete fake::object<graph>(g);
  fake::gone("cudaGraphInstantiate");
  return success();
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t g, cudaStream_t s) {
  if (fake::fails("cudaGraphLaunch")) return failure(cudaErrorLaunchFailure);
  const graph& of = *fake::object<graph>(g);
  if (!is_current(of.device, "cudaGraphLaunch") || !is_current(fake::object<stream>(s)->device, "cudaGraphLaunch"))
    return cudaErrorInvalidResourceHandle;
  fake::give(of.noted);
  if (fake::scenario().silent) return cudaSuccess;
  fake::enqueue(s, [all = of.recorded] {
    for (const auto& call : all) call();
  });
  return cudaSuccess;
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t* made, const void* code, cudaJitOption*, void**, unsigned,
                                cudaLibraryOption*, void**, unsigned) {
  if (fake::fails("cudaLibraryLoadData") || std::strcmp(static_cast<const char*>(code), "fake") != 0)
    return failure(cudaErrorInvalidValue);
  if (!fake::outside_recordings("cudaLibraryLoadData")) return cudaErrorStreamCaptureUnsupported;
  if (fake::scenario().loading != cudaSuccess) return fake::scenario().loading;
  *made = handle<cudaLibrary_t>(new int);
  fake::made("cudaLibraryLoadData");
  return cudaSuccess;
}
cudaError_t cudaLibraryUnload(cudaLibrary_t l) {
  delete fake::object<int>(l);
  fake::gone("cudaLibraryLoadData");
  return success();
}
cudaError_t cudaLibraryGetKernel(cudaKernel_t* made, cudaLibrary_t, const char* name) {
  if (fake::fails("cudaLibraryGetKernel")) return failure(cudaErrorInvalidValue);
  const emulator::kernel* const found = fake::find_kernel(name);
  if (found == nullptr) return cudaErrorInvalidValue;
  *made = handle<cudaKernel_t>(const_cast<emulator::kernel*>(found));
  return cudaSuccess;
}
cudaError_t cudaLaunchKernel(const void* function, dim3 blocks, dim3 threads, void** args, std::size_t shared_bytes,
                             cudaStream_t s) {
  if (fake::fails("cudaLaunchKernel")) return failure(cudaErrorLaunchFailure);
  const auto& k = *static_cast<const emulator::kernel*>(function);
  if (!may_launch(blocks, threads, shared_bytes)) return cudaErrorInvalidValue;
  if (!is_current(fake::object<stream>(s)->device, "cudaLaunchKernel")) return cudaErrorInvalidResourceHandle;
  if (fake::scenario().silent) return note_launch(k, blocks, threads, args, s);
  auto held = std::make_shared<std::vector<std::vector<char>>>();
  for (std::size_t i = 0; i < k.argument_bytes.size(); ++i)
    held->emplace_back(as<char>(args[i]), as<char>(args[i]) + k.argument_bytes[i]);
  fake::enqueue(s, [&k, held, blocks, threads] {
    std::vector<void*> addresses;
    for (auto& argument : *held) addresses.push_back(argument.data());
    emulator::launch(k, blocks.x, threads.x, addresses.data());
  });
  return cudaSuccess;
}

}  // extern "C"
