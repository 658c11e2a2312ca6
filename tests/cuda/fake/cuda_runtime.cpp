// SPDX-License-Identifier: MIT
// The part of the CUDA runtime that the library calls. What is called takes effect at once, unless a stream records.
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
#include "stream.hpp"

namespace {

int devices = 1;
std::map<void*, std::size_t> memory;

using calls = std::vector<std::function<void()>>;

template <class Object>
Object* as(void* opaque) {
  return static_cast<Object*>(opaque);
}
/// A handle of the runtime, which points to something of ours.
template <class Handle, class Object>
Handle handle(Object* o) {
  return reinterpret_cast<Handle>(o);
}
struct stream {
  bool records = false;
  calls recorded;
};
struct graph {
  calls recorded;
};

cudaError_t allocate(void** made, std::size_t bytes, const char* call) {
  if (fake::fails(call)) return cudaErrorMemoryAllocation;
  *made = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  std::memset(*made, 0xee, bytes);  // NaN as floating point
  memory[*made] = bytes;
  fake::made(call);
  return cudaSuccess;
}
cudaError_t release(void* at, const char* made_by) {
  if (at == nullptr) return cudaSuccess;
  const auto found = memory.find(at);
  if (found == memory.end()) return cudaErrorInvalidValue;
  std::memset(at, 0xee, found->second);
  memory.erase(found);
  std::free(at);
  fake::gone(made_by);
  return cudaSuccess;
}

}  // namespace

bool fake::on_device(const void* at, std::size_t bytes) {
  auto after = memory.upper_bound(const_cast<void*>(at));
  if (after == memory.begin()) return false;
  const auto& [start, size] = *--after;
  return static_cast<const char*>(at) + bytes <= static_cast<const char*>(start) + size;
}
void fake::enqueue(cudaStream_t on, std::function<void()> call) {
  auto* const s = fake::object<stream>(on);
  if (s->records) s->recorded.push_back(std::move(call));
  else call();
}
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
  if (fake::fails("cudaStreamSynchronize") || fake::object<stream>(s)->records) return cudaErrorLaunchFailure;
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** made, std::size_t bytes) { return allocate(made, bytes, "cudaMalloc"); }
cudaError_t cudaFree(void* at) { return release(at, "cudaMalloc"); }
cudaError_t cudaMallocAsync(void** made, std::size_t bytes, cudaStream_t s) {
  if (fake::object<stream>(s)->records) return cudaErrorInvalidValue;
  return allocate(made, bytes, "cudaMallocAsync");
}
cudaError_t cudaFreeAsync(void* at, cudaStream_t) { return release(at, "cudaMallocAsync"); }
cudaError_t cudaMallocHost(void** made, std::size_t bytes) {
  if (fake::fails("cudaMallocHost")) return cudaErrorMemoryAllocation;
  *made = std::malloc(bytes);
  fake::made("cudaMallocHost");
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* at) {
  std::free(at);
  fake::gone("cudaMallocHost");
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* dst, const void* src, std::size_t bytes, cudaMemcpyKind way, cudaStream_t s) {
  if (fake::fails("cudaMemcpyAsync")) return cudaErrorLaunchFailure;
  const bool reads = way == cudaMemcpyDeviceToHost || way == cudaMemcpyDeviceToDevice,
             writes = way == cudaMemcpyHostToDevice || way == cudaMemcpyDeviceToDevice;
  if (fake::on_device(src, bytes) != reads || fake::on_device(dst, bytes) != writes) return cudaErrorInvalidValue;
  fake::enqueue(s, [=] { std::memcpy(dst, src, bytes); });
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* made, unsigned) {
  return fake::makes("cudaEventCreateWithFlags", made, [&] { return new int; }) ? cudaSuccess
                                                                                : cudaErrorMemoryAllocation;
}
cudaError_t cudaEventElapsedTime(float* elapsed_ms, cudaEvent_t, cudaEvent_t) {
  if (fake::fails("cudaEventElapsedTime")) return cudaErrorLaunchFailure;
  *elapsed_ms = 250;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t e) {
  delete fake::object<int>(e);
  fake::gone("cudaEventCreateWithFlags");
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) {
  return fake::fails("cudaEventRecord") ? cudaErrorLaunchFailure : cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t) {
  return fake::fails("cudaEventSynchronize") ? cudaErrorLaunchFailure : cudaSuccess;
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
cudaError_t cudaGraphLaunch(cudaGraphExec_t g, cudaStream_t) {
  if (fake::fails("cudaGraphLaunch")) return cudaErrorLaunchFailure;
  for (const auto& call : fake::object<graph>(g)->recorded) call();
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
