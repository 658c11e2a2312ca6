// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include <ridgepoint/core/backend.hpp>
#include <ridgepoint/core/float_control.hpp>
#include <ridgepoint/core/team.hpp>
#include <ridgepoint/cpu/caches.hpp>
#include <ridgepoint/cpu/dispatch_table.hpp>
#include <ridgepoint/cpu/dispatched_ops.hpp>
#include <ridgepoint/simd/variants.hpp>

/// The copies linked into this program; defined by the library target ridgepoint::dispatch.
extern "C" const ridgepoint_isa_variant ridgepoint_dispatch_variants[];

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The SIMD CPU backend with the strongest instruction set the CPU runs, selected by the constructor, for any compiler
/// flags of this translation unit. Link ridgepoint::dispatch.
///
/// RIDGEPOINT_ISA in the environment, or the second argument, forces one; RIDGEPOINT_CACHES plans for other caches than
/// this CPU's (cpu/caches.hpp). Each op is one call through a table into the archive, whose kernels are compiled for
/// that instruction set; arguments cross as plain data.
/// Example:
///   const rp::cpu best;                          // best.name() == "ridgepoint.avx2", say
///   const rp::cpu plain(1, "sse4_2");            // one thread, SSE4.2
///   const rp::cpu exact(0, {}, rp::subnormals::as_they_are);  // recurrent layers may be slow where states decay
class cpu : public host_memory {
 public:
  using ops = dispatched_ops;  // compiled in the archive, so that plans of every type may contain them

  /// Throws: value_error unless 0 <= threads <= 1024 and the forced name is an instruction set, or if RIDGEPOINT_CACHES
  /// is malformed; unsupported if this CPU or this program lacks the instruction set.
  explicit cpu(int threads = 0, std::string_view isa = {},
               ridgepoint::subnormals treated = ridgepoint::subnormals::flushed)
      : on_{threads, static_cast<int>(treated), nullptr} {
    check_thread_count("cpu", threads);
    static_cast<void>(host_caches());  // throws here rather than in an op if RIDGEPOINT_CACHES is malformed
    const ridgepoint_isa_variant& variant = simd::pick_variant(ridgepoint_dispatch_variants, isa);
    table_ = static_cast<const ridgepoint_dispatch_table*>(variant.table());
    on_.kernels = table_->kernels;
    require<unsupported>(on_.kernels->version == RIDGEPOINT_VERSION && table_->count == dispatched_ops::size,
                         "cpu: the library has version ", on_.kernels->version, " with ", table_->count,
                         " ops; must be the headers' version ", RIDGEPOINT_VERSION, " with ", dispatched_ops::size);
    call([&] { ops_ = ridgepoint_dispatch_ops(table_, variant.isa); });
  }
  [[nodiscard]] std::string name() const { return concat("ridgepoint.", isa()); }
  [[nodiscard]] std::string_view isa() const noexcept { return on_.kernels->isa; }
  [[nodiscard]] int thread_count() const noexcept {
    return on_.threads > 0 ? on_.threads : ridgepoint_dispatch_threads();
  }

  /// Runs the op with arguments Args.
  template <class Args>
    requires dispatched_ops::contains<Args>
  friend void execute(const cpu& on, const Args& args) {
    constexpr std::size_t op = dispatched_ops::index_of<Args>;
    const ridgepoint_dispatch_entry& entry = on.entry(op);
    RIDGEPOINT_ASSERT(entry.args_size == sizeof(Args));
    if (const auto run_small = on.table_->entries[op].run_small; run_small != nullptr && run_small(&args)) return;
    call([&] { entry.run(on.on_, &args); });
  }

  /// Prepares the op in that instruction set's copy; runs a prepared call; and writes its constants.
  template <class Args>
    requires dispatched_ops::contains<Args>
  friend cpu_prepared prepare(const cpu& on, const Args& args, const prepare_options& options) {
    cpu_prepared made;
    call([&] { on.entry(dispatched_ops::index_of<Args>).prepare(on.on_, &args, &options, &made); });
    return made;
  }
  template <class Args>
    requires dispatched_ops::contains<Args>
  friend void execute(const cpu& on, const cpu_prepared& made, const Args& args, const call_memory& memory) {
    made.run(on.on_, made.state, &args, &memory);
  }
  template <class Args>
    requires dispatched_ops::contains<Args>
  friend void make_constants(const cpu& on, const cpu_prepared& made, const Args& args, void* to) {
    if (made.make_constants != nullptr) made.make_constants(on.on_, made.state, &args, to);
  }

 private:
  /// Rethrows an exception of the copy for an instruction set, which has its own type, as this copy's type.
  template <class Call>
  static void call(const Call& of_the_copy) {
    try {
      of_the_copy();
    } catch (const std::runtime_error& refused) {
      throw unsupported(refused.what());
    }
  }

  [[nodiscard]] const ridgepoint_dispatch_entry& entry(std::size_t op) const noexcept {
    return ops_[op].run != nullptr ? ops_[op] : table_->entries[op];
  }

  const ridgepoint_dispatch_table* table_ = nullptr;
  const ridgepoint_dispatch_entry* ops_ = nullptr;  // above the watershed
  ridgepoint_dispatch_backend on_ = {};
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
