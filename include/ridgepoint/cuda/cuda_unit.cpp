// SPDX-License-Identifier: MIT
// The component ridgepoint::cuda: every op of the CUDA backend and device memory, exported as one table of plain data.
#include <array>
#include <memory>
#include <string>

#include <ridgepoint/cuda/all.hpp>
#include <ridgepoint/cuda/cuda_ops.hpp>
#include <ridgepoint/cuda/probe_ops.hpp>
#include <ridgepoint/cuda/runtime/staging.hpp>
#include <ridgepoint/version.hpp>

namespace rp = ridgepoint;
using rp::detail::check_call;

struct ridgepoint_cuda_context : rp::detail::cuda_context {
  using cuda_context::cuda_context;
};
struct ridgepoint_cuda_recording {
  rp::detail::cuda_graph_exec calls;
};
struct ridgepoint_cuda_chain : rp::detail::element_chain {};
struct ridgepoint_cuda_copy {
  std::unique_ptr<rp::detail::fetched_copy> held;
};
struct ridgepoint_cuda_staging : rp::detail::staging {
  using staging::staging;
};

namespace {

using context = ridgepoint_cuda_context;

template <class Args>
void run(context& on, const void* from, void* workspace) {
  const Args& args = *static_cast<const Args*>(from);
  on.use();
  if constexpr (requires { workspace_bytes(on, args); })
    if (workspace == nullptr) workspace = on.scratch(workspace_bytes(on, args));
  execute(on, args, workspace);
}
/// Returns the requirements of a call, found by a rehearsal, which compiles its kernels and creates its plans.
template <class Args>
ridgepoint_cuda_info rehearse(context& on, const void* from) {
  const Args& args = *static_cast<const Args*>(from);
  on.use();
  on.rehearse([&] { execute(on, args, nullptr); });
  ridgepoint_cuda_info info{.workspace_bytes = 0, .algorithm = "", .more_matrix_flop = 0};
  if constexpr (requires { workspace_bytes(on, args); }) info.workspace_bytes = workspace_bytes(on, args);
  if constexpr (requires { algorithm_of(on, args); }) info.algorithm = algorithm_of(on, args);
  if constexpr (requires { more_matrix_flop(on, args); }) info.more_matrix_flop = more_matrix_flop(on, args);
  return info;
}
template <class Args>
constexpr auto joining() -> decltype(ridgepoint_cuda_entry::join) {
  if constexpr (rp::all_chain_ops::contains<Args>)
    return [](ridgepoint_cuda_chain& chain, const ridgepoint_cuda_link& link) {
      join(chain, *static_cast<const Args*>(link.args), {.kept = link.kept != 0}, link.workspace);
    };
  else return nullptr;
}
template <class... Args>
constexpr auto entries_of(rp::type_list<Args...>) {
  return std::array{ridgepoint_cuda_entry{run<Args>, rehearse<Args>, sizeof(Args), joining<Args>()}...};
}
constexpr auto entries = entries_of(rp::cuda_ops{});

/// Returns the number of devices; if 0, sets `why` to CUDA's reason.
int count_devices(std::string& why) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  static_cast<void>(cudaGetLastError());
  if (status == cudaSuccess && count > 0) return count;
  why = status == cudaSuccess
            ? "the driver lists no device"
            : rp::concat(cudaGetErrorName(status), " (", static_cast<int>(status), "): ", cudaGetErrorString(status));
  return 0;
}

double elapsed_s(context& on, void (*body)(const void*), const void* with) {
  on.use();
  return rp::detail::time_of(on, [&] { body(with); });
}

void begin_recording(context& on) {
  on.use();
  check_call(cudaStreamBeginCapture(on.stream(), cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
}
ridgepoint_cuda_recording* end_recording(context& on) {
  const rp::detail::cuda_graph graph(
      [&](cudaGraph_t* made) { check_call(cudaStreamEndCapture(on.stream(), made), "cudaStreamEndCapture"); });
  on.use();
  return new ridgepoint_cuda_recording{rp::detail::cuda_graph_exec(
      [&](cudaGraphExec_t* made) { check_call(cudaGraphInstantiate(made, graph.get(), 0), "cudaGraphInstantiate"); })};
}
void drop_recording(context& on) {
  cudaGraph_t made = nullptr;
  static_cast<void>(cudaStreamEndCapture(on.stream(), &made));
  if (made != nullptr) static_cast<void>(cudaGraphDestroy(made));
  static_cast<void>(cudaGetLastError());
}

ridgepoint_cuda_copy* fetch(context& on, void* dst, const void* src, std::size_t bytes) {
  on.use();
  return new ridgepoint_cuda_copy{on.kept<rp::detail::fetches>().start(on, dst, src, bytes)};
}
void wait(context& on, ridgepoint_cuda_copy* copy) {
  const std::unique_ptr<ridgepoint_cuda_copy> held(copy);
  on.kept<rp::detail::fetches>().finish(std::move(held->held));
}

ridgepoint_cuda_chain* make_chain(context& on, const ridgepoint_cuda_link* links, std::size_t count) {
  auto made = std::make_unique<ridgepoint_cuda_chain>();
  for (std::size_t i = 0; i < count; ++i) entries[links[i].op].join(*made, links[i]);
  on.use();
  made->prepare(on);
  return made.release();
}

const ridgepoint_cuda_api api{
    .version = RIDGEPOINT_VERSION,
    .device_count =
        [] {
          std::string ignored;
          return count_devices(ignored);
        },
    .why_none =
        [] {
          thread_local std::string why;
          why.clear();
          static_cast<void>(count_devices(why));
          return why.c_str();
        },
    .create = [](ridgepoint_cuda_choice wanted) { return new context(wanted); },
    .destroy = [](context* on) { delete on; },
    .device_name = [](const context& on) { return on.device_name().c_str(); },
    .describe = [](const context& on) { return on.described(); },
    .allocate = [](context& on, std::size_t bytes) { return on.allocate(bytes); },
    .release = [](context& on, void* memory) { on.release(memory); },
    .upload = [](context& on, void* dst, const void* src,
                 std::size_t bytes) { on.copy(dst, src, bytes, cudaMemcpyHostToDevice); },
    .download =
        [](context& on, void* dst, const void* src, std::size_t bytes) {
          on.copy(dst, src, bytes, cudaMemcpyDeviceToHost);
          on.synchronize();
        },
    .copy = [](context& on, void* dst, const void* src,
               std::size_t bytes) { on.copy(dst, src, bytes, cudaMemcpyDeviceToDevice); },
    .synchronize = [](context& on) { on.synchronize(); },
    .elapsed_s = elapsed_s,
    .begin_recording = begin_recording,
    .end_recording = end_recording,
    .drop_recording = drop_recording,
    .replay =
        [](context& on, const ridgepoint_cuda_recording& r) {
          on.use();
          check_call(cudaGraphLaunch(r.calls.get(), on.stream()), "cudaGraphLaunch");
        },
    .forget = [](ridgepoint_cuda_recording* r) { delete r; },
    .fetch = fetch,
    .wait = wait,
    .make_chain = make_chain,
    .run_chain =
        [](context& on, const ridgepoint_cuda_chain& chain) {
          on.use();
          chain.run(on);
        },
    .drop_chain = [](ridgepoint_cuda_chain* chain) { delete chain; },
    .stage =
        [](context& on, const ridgepoint_cuda_part* parts, std::size_t count) {
          on.use();
          return new ridgepoint_cuda_staging(on, {parts, count});
        },
    .open_staging = [](ridgepoint_cuda_staging& s) { return s.open(); },
    .send = [](ridgepoint_cuda_staging& s) { s.send(); },
    .take = [](ridgepoint_cuda_staging& s) { s.take(); },
    .finish_staging = [](ridgepoint_cuda_staging& s) { s.finish(); },
    .end_staging = [](ridgepoint_cuda_staging* s) { delete s; },
    .gather_rows =
        [](context& on, void* dst, const void* src, std::size_t row_bytes, const long* rows, long count) {
          on.use();
          rp::detail::gather_rows(on, dst, src, row_bytes, rows, count);
        },
    .count = entries.size(),
    .entries = entries.data()};

}  // namespace

extern "C" const ridgepoint_cuda_api* ridgepoint_cuda() { return &api; }
