// SPDX-License-Identifier: MIT
// Compiled once, for the baseline: every op above the watershed, on the kernels of the instruction set selected at run
// time.
#include <string_view>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/parallel.hpp>
#include <ridgepoint/cpu/above_watershed.hpp>
#include <ridgepoint/cpu/dispatch_entry.hpp>
#include <ridgepoint/cpu/dispatch_table.hpp>
#include <ridgepoint/cpu/dispatched_cpu.hpp>

namespace {

namespace rp = ridgepoint;

template <class... Kernels>
void check_kernels(const ridgepoint_kernel_table& table, std::string_view isa, rp::type_list<Kernels...>) {
  static constexpr std::uint64_t ids[] = {Kernels::id...};
  constexpr std::size_t count = sizeof...(Kernels);
  rp::require<rp::unsupported>(table.version == RIDGEPOINT_VERSION && table.count == count, "cpu: kernels of ", isa,
                               " have version ", table.version, " and number ", table.count, "; expected version ",
                               RIDGEPOINT_VERSION, " and number ", count);
  rp::require<rp::unsupported>(table.isa == isa, "cpu: kernels of ", isa, " are compiled for ", table.isa,
                               "; expected ", isa);
  for (std::size_t k = 0; k < count; ++k)
    rp::require<rp::unsupported>(table.entries[k].id == ids[k] && table.entries[k].run != nullptr, "cpu: kernel ", k,
                                 " of ", isa, " has id ", table.entries[k].id, "; expected ", ids[k]);
}

template <class Args>
constexpr ridgepoint_dispatch_entry entry() {
  if constexpr (rp::above_watershed<Args>) return rp::dispatch_entry<rp::dispatched_cpu, Args>::value;
  else return {nullptr, nullptr, sizeof(Args), nullptr};
}

template <class... Args>
const ridgepoint_dispatch_entry* all_ops(rp::type_list<Args...>) {
  static constexpr ridgepoint_dispatch_entry entries[] = {entry<Args>()...};
  return entries;
}

}  // namespace

const ridgepoint_dispatch_entry* ridgepoint_dispatch_ops(const ridgepoint_dispatch_table* of, const char* isa) {
  check_kernels(*of->kernels, isa, rp::dispatched_kernels{});
  of->use_team(rp::detail::run_on_shared_team);
  return all_ops(rp::dispatched_ops{});
}
int ridgepoint_dispatch_threads() { return rp::available_threads(); }
