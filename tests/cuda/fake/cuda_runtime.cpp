// SPDX-License-Identifier: MIT
// The part of the CUDA runtime that the library calls. What is called takes effect when fake::set_order() says, unless
// a stream records.
#include <cuda_runtime_api.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "../emulator/emulator.hpp"
#include "fake.hpp"
#include "ledger.hpp"
#include "queues.hpp"
#include "stream.hpp"

namespace {

using fake::call_list, fake::event, fake::stream;

int devices = 1;
std::map<void*, std::size_t> memory, pinned;
std::size_t sent_bytes = 0;

template <class Object>
Object* as(void* opaque) {
  return static_cast<Object*>(opaque);
}
/// A handle of the runtime, which points to something of ours.
template <class Handle, class Object>
Handle handle(Object* o) {
  return reinterpret_cast<Handle>(o);
}
struct graph {
  call_list recorded;
};

cudaError_t allocate(void** made, std::size_t bytes, const char* call) {
  if (fake::fails(call)) return cudaErrorMemoryAllocation;
  *made = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  std::memset(*made, 0xee, bytes);  // NaN as floating point
  memory[*made] = bytes;
  fake::made(call);
  return cudaSuccess;
}
/// Forgets memory that will be given back: what gives it back, and spoils it before.
std::function<void()> taken_out(std::map<void*, std::size_t>& of, void* at) {
  const auto found = of.find(at);
  if (found == of.end()) return nullptr;
  const std::size_t bytes = found->second;
  of.erase(found);
  return [at, bytes] {
    std::memset(at, 0xee, bytes);
    std::free(at);
  };
}
bool lies_in(const std::map<void*, std::size_t>& these, const void* at, std::size_t bytes) {
  auto after = these.upper_bound(const_cast<void*>(at));
  if (after == these.begin()) return false;
  const auto& [start, size] = *--after;
  return static_cast<const char*>(at) + bytes <= static_cast<const char*>(start) + size;
}

}  // namespace

bool fake::on_device(const void* at, std::size_t bytes) { return lies_in(memory, at, bytes); }
void fake::enqueue(cudaStream_t on, std::function<void()> call) { add(*fake::object<stream>(on), std::move(call)); }
std::size_t fake::bytes_from_host() { return sent_bytes; }
void fake::set_devices(int count) { devices = count; }

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  if (fake::fails("cudaGetDeviceCount") || devices == 0) return cudaErrorNoDevice;
  *count = devices;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  if (fake::fails("cudaSetDevice") || device >= devices) return cudaErrorInvalidDevice;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int) {
  if (fake::fails("cudaGetDeviceProperties")) return cudaErrorInvalidDevice;
  *p = {};
  std::strcpy(p->name, "a GPU that is played");
  p->major = 9;
  p->multiProcessorCount = 4;
  p->totalGlobalMem = std::size_t{1} << 30;
  p->l2CacheSize = 1 << 16;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr what, int) {
  if (fake::fails("cudaDeviceGetAttribute") || what != cudaDevAttrClockRate) return cudaErrorInvalidValue;
  *value = 1'000'000;
  return cudaSuccess;
}
cudaError_t cudaGetLastError() { return cudaSuccess; }
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
    default:
      return "cudaErrorUnknown";
  }
}
const char* cudaGetErrorString(cudaError_t e) {
  return e == cudaErrorMemoryAllocation ? "out of memory"
         : e == cudaErrorNoDevice       ? "no CUDA-capable device is detected"
                                        : "played";
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int) {
  if (fake::fails("cudaDeviceGetDefaultMemPool")) return cudaErrorInvalidDevice;
  static int one;
  *pool = handle<cudaMemPool_t>(&one);
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) {
  return fake::fails("cudaMemPoolSetAttribute") ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* made, unsigned) {
  return fake::makes("cudaStreamCreateWithFlags", made, [&] { return new stream; }) ? cudaSuccess
                                                                                    : cudaErrorMemoryAllocation;
}
cudaError_t cudaStreamDestroy(cudaStream_t s) {
  delete fake::object<stream>(s);
  fake::gone("cudaStreamCreateWithFlags");
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t s) {
  auto* const on = fake::object<stream>(s);
  if (fake::fails("cudaStreamSynchronize") || on->records) return cudaErrorLaunchFailure;
  return fake::run_until([on] { return on->waiting.empty(); }) ? cudaSuccess : cudaErrorLaunchFailure;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned) {
  if (fake::fails("cudaStreamWaitEvent") || fake::object<stream>(s)->records) return cudaErrorLaunchFailure;
  fake::add(
      *fake::object<stream>(s), [] {}, fake::object<event>(e)->reached);
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** made, std::size_t bytes) { return allocate(made, bytes, "cudaMalloc"); }
cudaError_t cudaFree(void* at) {
  if (at == nullptr) return cudaSuccess;
  fake::run_all();
  const auto give_back = taken_out(memory, at);
  if (!give_back) return cudaErrorInvalidValue;
  give_back();
  fake::gone("cudaMalloc");
  return cudaSuccess;
}
cudaError_t cudaMallocAsync(void** made, std::size_t bytes, cudaStream_t s) {
  if (fake::object<stream>(s)->records) return cudaErrorInvalidValue;
  return allocate(made, bytes, "cudaMallocAsync");
}
cudaError_t cudaFreeAsync(void* at, cudaStream_t s) {
  if (at == nullptr) return cudaSuccess;
  auto give_back = taken_out(memory, at);
  if (!give_back) return cudaErrorInvalidValue;
  fake::enqueue(s, std::move(give_back));
  fake::gone("cudaMallocAsync");
  return cudaSuccess;
}
cudaError_t cudaMallocHost(void** made, std::size_t bytes) {
  if (fake::fails("cudaMallocHost")) return cudaErrorMemoryAllocation;
  *made = std::malloc(bytes);
  pinned[*made] = bytes;
  fake::made("cudaMallocHost");
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* at) {
  const auto found = pinned.find(at);
  std::memset(at, 0xee, found->second);  // what still copies from there finds this
  pinned.erase(found);
  fake::when_idle([at] { std::free(at); });
  fake::gone("cudaMallocHost");
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* dst, const void* src, std::size_t bytes, cudaMemcpyKind way, cudaStream_t s) {
  if (fake::fails("cudaMemcpyAsync")) return cudaErrorLaunchFailure;
  const bool reads = way == cudaMemcpyDeviceToHost || way == cudaMemcpyDeviceToDevice,
             writes = way == cudaMemcpyHostToDevice || way == cudaMemcpyDeviceToDevice;
  if (fake::on_device(src, bytes) != reads || fake::on_device(dst, bytes) != writes) return cudaErrorInvalidValue;
  if (!reads) sent_bytes += bytes;
  if (reads || lies_in(pinned, src, bytes)) {
    fake::enqueue(s, [=] { std::memcpy(dst, src, bytes); });
  } else {  // of memory that is not pinned what is there now counts
    const auto* const from = static_cast<const char*>(src);
    fake::enqueue(s,
                  [dst, held = std::vector<char>(from, from + bytes)] { std::memcpy(dst, held.data(), held.size()); });
  }
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* made, unsigned) {
  return fake::makes("cudaEventCreateWithFlags", made, [&] { return new event; }) ? cudaSuccess
                                                                                  : cudaErrorMemoryAllocation;
}
cudaError_t cudaEventElapsedTime(float* elapsed_ms, cudaEvent_t, cudaEvent_t) {
  if (fake::fails("cudaEventElapsedTime")) return cudaErrorLaunchFailure;
  *elapsed_ms = 250;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t e) {
  delete fake::object<event>(e);
  fake::gone("cudaEventCreateWithFlags");
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s) {
  if (fake::fails("cudaEventRecord")) return cudaErrorLaunchFailure;
  const auto reached = std::make_shared<bool>(false);
  fake::object<event>(e)->reached = reached;
  fake::enqueue(s, [reached] { *reached = true; });
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t e) {
  if (fake::fails("cudaEventSynchronize")) return cudaErrorLaunchFailure;
  const auto reached = fake::object<event>(e)->reached;
  return fake::run_until([&] { return *reached; }) ? cudaSuccess : cudaErrorLaunchFailure;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t s, cudaStreamCaptureMode) {
  if (fake::fails("cudaStreamBeginCapture") || fake::object<stream>(s)->records) return cudaErrorInvalidValue;
  fake::object<stream>(s)->records = true;
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t* made) {
  auto* const of = fake::object<stream>(s);
  of->records = false;
  if (fake::fails("cudaStreamEndCapture")) {
    of->recorded.clear();
    return cudaErrorLaunchFailure;
  }
  *made = handle<cudaGraph_t>(new graph{std::move(of->recorded)});
  of->recorded.clear();
  fake::made("cudaStreamEndCapture");
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t g) {
  delete fake::object<graph>(g);
  fake::gone("cudaStreamEndCapture");
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t g, unsigned long long) {
  return fake::makes("cudaGraphInstantiate", made, [&] { return new graph(*fake::object<graph>(g)); })
             ? cudaSuccess
             : cudaErrorMemoryAllocation;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t g) {
  delete fake::object<graph>(g);
  fake::gone("cudaGraphInstantiate");
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t g, cudaStream_t s) {
  if (fake::fails("cudaGraphLaunch")) return cudaErrorLaunchFailure;
  fake::enqueue(s, [all = fake::object<graph>(g)->recorded] {
    for (const auto& call : all) call();
  });
  return cudaSuccess;
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t* made, const void* code, cudaJitOption*, void**, unsigned,
                                cudaLibraryOption*, void**, unsigned) {
  if (fake::fails("cudaLibraryLoadData") || std::strcmp(static_cast<const char*>(code), "played") != 0)
    return cudaErrorInvalidValue;
  *made = handle<cudaLibrary_t>(new int);
  fake::made("cudaLibraryLoadData");
  return cudaSuccess;
}
cudaError_t cudaLibraryUnload(cudaLibrary_t l) {
  delete fake::object<int>(l);
  fake::gone("cudaLibraryLoadData");
  return cudaSuccess;
}
cudaError_t cudaLibraryGetKernel(cudaKernel_t* made, cudaLibrary_t, const char* name) {
  if (fake::fails("cudaLibraryGetKernel")) return cudaErrorInvalidValue;
  const emulator::kernel* const found = emulator::find(name);
  if (found == nullptr) return cudaErrorInvalidValue;
  *made = handle<cudaKernel_t>(const_cast<emulator::kernel*>(found));
  return cudaSuccess;
}
cudaError_t cudaLaunchKernel(const void* function, dim3 blocks, dim3 threads, void** args, std::size_t,
                             cudaStream_t s) {
  if (fake::fails("cudaLaunchKernel") || threads.x > 1024) return cudaErrorLaunchFailure;
  const auto& k = *static_cast<const emulator::kernel*>(function);
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
