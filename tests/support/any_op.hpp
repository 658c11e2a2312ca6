// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <map>
#include <span>
#include <stdexcept>
#include <vector>

#include <ridgepoint/core/either.hpp>
#include <ridgepoint/core/random.hpp>
#include <ridgepoint/graph/plan.hpp>
#include <ridgepoint/ops/all.hpp>

#include "support/guarded.hpp"

/// Tests of any op, generated from the type of its arguments and the list of its operands: a new op gets them without
/// further code. Arguments are drawn at random, member by member, until check(args) accepts them.
namespace any_op {

using ridgepoint::index_t;

namespace detail {
template <class X>
inline constexpr bool is_elements = false;
template <class T>
inline constexpr bool is_elements<ridgepoint::elements<T>> = true;
template <class Aggregate>
consteval std::size_t count_members() {
  if constexpr (requires { Aggregate{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 13;
  else if constexpr (requires { Aggregate{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 12;
  else if constexpr (requires { Aggregate{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 11;
  else if constexpr (requires { Aggregate{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 10;
  else if constexpr (requires { Aggregate{{}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 9;
  else if constexpr (requires { Aggregate{{}, {}, {}, {}, {}, {}, {}, {}}; }) return 8;
  else if constexpr (requires { Aggregate{{}, {}, {}, {}, {}, {}, {}}; }) return 7;
  else if constexpr (requires { Aggregate{{}, {}, {}, {}, {}, {}}; }) return 6;
  else if constexpr (requires { Aggregate{{}, {}, {}, {}, {}}; }) return 5;
  else if constexpr (requires { Aggregate{{}, {}, {}, {}}; }) return 4;
  else if constexpr (requires { Aggregate{{}, {}, {}}; }) return 3;
  else if constexpr (requires { Aggregate{{}, {}}; }) return 2;
  else if constexpr (requires { Aggregate{{}}; }) return 1;
  else return 0;
}
/// Calls f(member) for each member of an aggregate.
template <class Aggregate, class F>
void for_each_member(Aggregate& x, const F& f) {
  const auto each = [&](auto&... members) { (f(members), ...); };
  constexpr std::size_t count = count_members<Aggregate>();
  static_assert(count > 0, "an aggregate of more members: add its lines above and below");
  if constexpr (count == 1) {
    auto& [a] = x;
    each(a);
  } else if constexpr (count == 2) {
    auto& [a, b] = x;
    each(a, b);
  } else if constexpr (count == 3) {
    auto& [a, b, c] = x;
    each(a, b, c);
  } else if constexpr (count == 4) {
    auto& [a, b, c, d] = x;
    each(a, b, c, d);
  } else if constexpr (count == 5) {
    auto& [a, b, c, d, e] = x;
    each(a, b, c, d, e);
  } else if constexpr (count == 6) {
    auto& [a, b, c, d, e, g] = x;
    each(a, b, c, d, e, g);
  } else if constexpr (count == 7) {
    auto& [a, b, c, d, e, g, h] = x;
    each(a, b, c, d, e, g, h);
  } else if constexpr (count == 8) {
    auto& [a, b, c, d, e, g, h, i] = x;
    each(a, b, c, d, e, g, h, i);
  } else if constexpr (count == 9) {
    auto& [a, b, c, d, e, g, h, i, j] = x;
    each(a, b, c, d, e, g, h, i, j);
  } else if constexpr (count == 10) {
    auto& [a, b, c, d, e, g, h, i, j, k] = x;
    each(a, b, c, d, e, g, h, i, j, k);
  } else if constexpr (count == 11) {
    auto& [a, b, c, d, e, g, h, i, j, k, l] = x;
    each(a, b, c, d, e, g, h, i, j, k, l);
  } else if constexpr (count == 12) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m] = x;
    each(a, b, c, d, e, g, h, i, j, k, l, m);
  } else {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n] = x;
    each(a, b, c, d, e, g, h, i, j, k, l, m, n);
  }
}
/// Hashes a number to [-1, 1): SplitMix64 (Steele et al., OOPSLA 2014), which is cheap without optimisation.
inline double uniform(std::uint64_t number) {
  std::uint64_t x = (number + 1) * 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return static_cast<double>((x ^ (x >> 31)) >> 40) * 0x1p-23 - 1;
}
template <class X>
inline constexpr bool is_matrix = false;
template <class T>
inline constexpr bool is_matrix<ridgepoint::matrix_view<T>> = true;
template <class X>
inline constexpr bool is_sequence = false;
template <class T>
inline constexpr bool is_sequence<ridgepoint::sequence_view<T>> = true;
template <class X>
inline constexpr bool is_heads = false;
template <class T>
inline constexpr bool is_heads<ridgepoint::heads_view<T>> = true;
}  // namespace detail

/// Whether operands may share an address, as far as the op allows.
enum class sharing { memory, nothing };

/// Arguments whose pointers are placeholder addresses: redirect() points them to memory.
class drawing {
 public:
  explicit drawing(std::uint64_t seed, sharing may = sharing::memory) : random_(seed), sharing_(may) {}

  /// Draws arguments that check() accepts and whose definition is fast. Throws: std::logic_error if none are found.
  template <class Args>
  Args draw() {
    for (int attempt = 0; attempt < 200'000; ++attempt) {
      extents_.clear();
      for (std::size_t i = 1 + below(3); i-- > 0;) extents_.push_back(sizes[below(std::size(sizes))]);
      kinds_.clear();
      steps_ = -1;
      Args args;
      set(args);
      try {
        check(args);
        const ridgepoint::work all = receipt(args);
        if (all.flop < 200'000 && all.bytes.total() < 1'000'000) return args;
      } catch (const ridgepoint::error&) {  // drawn again
      }
    }
    throw std::logic_error("any_op: 200,000 random arguments were all refused by check()");
  }
  /// fill(i, to) writes element i of the operand at a drawn address: the same value on every call.
  [[nodiscard]] auto filler(const void* address) const {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    return [at, write_one = kinds_.at(at)](std::size_t i, std::byte* to) { write_one(detail::uniform(at + i), to); };
  }

 private:
  using kind = void (*)(double, std::byte*);  // writes an element
  static constexpr index_t sizes[] = {0, 1, 2, 3, 4, 5, 8, 9, 17, 31, 33, 70};
  /// Writes an element; numbers that select an item are 0, which always exists.
  template <class T>
  static void write(double value, std::byte* to) {
    if constexpr (std::same_as<T, ridgepoint::step_state>) {
      const ridgepoint::step_state start{.step = 4, .learning_rate = 0.01, .loss = -1, .correct = 12345};
      std::memcpy(to, &start, sizeof start);
    } else {
      const T element = std::integral<T> ? T{} : static_cast<T>(value);
      std::memcpy(to, &element, sizeof element);
    }
  }

  [[nodiscard]] std::size_t below(std::size_t count) { return random_.below(static_cast<std::uint32_t>(count)); }
  [[nodiscard]] index_t extent() { return extents_[below(extents_.size())]; }
  [[nodiscard]] index_t gap() { return below(2) == 0 ? 0 : static_cast<index_t>(1 + below(3)); }
  template <class T>
  [[nodiscard]] T* address() {
    if (below(4) == 0) return nullptr;
    const kind mine = write<std::remove_const_t<T>>;
    if (kinds_.empty() || sharing_ == sharing::nothing || kinds_.rbegin()->second != mine ||
        below(8) != 0)  // else at the last operand's address
      kinds_[0x100'5A5A'5A40 + 0x1'0000'0000 * kinds_.size()] = mine;
    return reinterpret_cast<T*>(kinds_.rbegin()->first);
  }
  template <class X>
  void set(X& x) {
    using namespace ridgepoint;
    if constexpr (std::is_empty_v<X>) {  // empty: an invalid name
    } else if constexpr (detail::is_elements<X>) {
      x = address<std::remove_pointer_t<decltype(x.data)>>();
    } else if constexpr (std::is_pointer_v<X>) {
      using T = std::remove_pointer_t<X>;
      if constexpr (std::is_pointer_v<T> || std::same_as<T, index_t>) x = nullptr;  // of the host: not an operand
      else x = address<T>();
    } else if constexpr (std::same_as<X, index_t>) {
      x = extent();
    } else if constexpr (std::same_as<X, activation>) {
      x = static_cast<activation>(below(static_cast<std::size_t>(activation_count)));
    } else if constexpr (std::integral<X> || std::is_enum_v<X>) {
      x = static_cast<X>(below(2));
    } else if constexpr (scalar<X> || std::floating_point<X>) {
      const double numbers[] = {0, 0.5, 1};
      x = X(numbers[below(3)]);
    } else if constexpr (std::same_as<X, spatial>) {
      x = {static_cast<index_t>(1 + below(2)), static_cast<index_t>(1 + below(2))};
    } else if constexpr (std::same_as<X, padding2d>) {
      detail::for_each_member(x, [&](index_t& side) { side = static_cast<index_t>(below(2)); });
    } else if constexpr (std::same_as<X, listed_rows>) {
      if (below(2) == 0) detail::for_each_member(x, [&](auto& member) { set(member); });
    } else if constexpr (detail::is_matrix<X>) {
      using T = std::remove_pointer_t<decltype(x.data)>;
      const index_t rows = extent(), cols = extent();
      x = below(4) == 0 ? X(address<T>(), rows, cols, 1, rows + gap()) : X(address<T>(), rows, cols, cols + gap());
    } else if constexpr (detail::is_sequence<X>) {
      using T = std::remove_pointer_t<decltype(x.data)>;
      constexpr bool is_mask = std::same_as<T, const std::int32_t>;  // as the first sequence
      const index_t steps = is_mask ? steps_ : extent(), batch = is_mask ? batch_ : extent(),
                    width = is_mask ? 1 : extent();
      if (steps_ < 0) steps_ = steps, batch_ = batch;
      x = below(2) == 0 ? X::time_major(address<T>(), steps, batch, width)
                        : X::sample_major(address<T>(), steps, batch, width);
    } else if constexpr (detail::is_heads<X>) {  // all but one extent repeat drawn ones, else none would match
      using T = std::remove_pointer_t<decltype(x.data)>;
      const index_t n = extents_[0], rows = extent(), heads = extents_.back(), width = extents_[extents_.size() / 2],
                    row = heads * width + gap();
      x = X(address<T>(), {n, rows, heads, width}, {rows * row, row, width, 1});
    } else if constexpr (requires { std::tuple_size<X>::value; }) {  // an array: set element by element
      for (auto& element : x) set(element);
    } else {
      detail::for_each_member(x, [&](auto& member) { set(member); });
    }
  }

  ridgepoint::random_stream random_;
  sharing sharing_;
  index_t steps_ = -1, batch_ = 0;  // of the first sequence; negative: not drawn yet
  std::vector<index_t> extents_;    // of these arguments: few, so that they often match
  std::map<std::uintptr_t, kind> kinds_;
};

/// True if an operand has elements in memory.
[[nodiscard]] inline bool somewhere(const ridgepoint::operand& o) { return o.data != nullptr && !o.empty(); }
/// Calls f(element) for each element of an operand, as the number of elements before it in memory.
template <class F>
void for_each_element(const ridgepoint::operand& o, const F& f, std::size_t dimension = 0, index_t at = 0) {
  if (dimension == o.rank) return f(at);
  for (index_t i = 0; i < o.extents[dimension]; ++i)
    for_each_element(o, f, dimension + 1, at + i * o.strides[dimension]);
}

/// Bytes at each address of a list of operands, up to the end of the last element.
[[nodiscard]] inline std::map<const void*, std::size_t> sizes_of(std::span<const ridgepoint::operand> listed) {
  std::map<const void*, std::size_t> sizes;
  for (const ridgepoint::operand& o : listed)
    if (somewhere(o)) {
      std::size_t& size = sizes[o.data];
      for_each_element(o,
                       [&](index_t at) { size = std::max(size, static_cast<std::size_t>(at + 1) * o.element_bytes); });
    }
  return sizes;
}

/// Changes every pointer to `from` among arguments, which are plain data, to `to`.
inline void redirect(std::span<std::byte> args, const void* from, const void* to) {
  for (std::size_t at = 0; at + sizeof from <= args.size(); at += alignof(const void*))
    if (std::memcmp(args.data() + at, &from, sizeof from) == 0) std::memcpy(args.data() + at, &to, sizeof to);
}
template <class Args>
void redirect(Args& args, const void* from, const void* to) {
  redirect(std::as_writable_bytes(std::span(&args, 1)), from, to);
}

/// A call of an op with its types erased, so that the check is compiled once for all ops.
struct call {
  std::span<std::byte> args;
  std::span<const ridgepoint::operand> operands;
  const void* on;
  void (*execute)(const call&);
};

/// Runs an op whose operands are adjacent to pages without access, with `poison` in everything that it must not read:
/// outputs, and gaps between rows. Returns the written elements. Nothing else may have changed.
inline std::vector<std::byte> run_against_guards(const call& op, const drawing& drawn, placement_in_page where,
                                                 std::byte poison) {
  struct block {
    guarded_vector<std::byte> memory;
    std::vector<char> written;  // a byte each
    std::vector<std::byte> before;
  };
  std::map<const void*, block> blocks;
  for (const auto& [address, size] : sizes_of(op.operands)) {
    block b{guarded_vector<std::byte>(static_cast<std::ptrdiff_t>(size), where), std::vector<char>(size), {}};
    std::memset(b.memory.data(), std::to_integer<int>(poison), size);
    redirect(op.args, address, b.memory.data());
    blocks.emplace(address, std::move(b));
  }
  for (const ridgepoint::operand& o : op.operands) {
    if (!somewhere(o)) continue;
    block& b = blocks.at(o.data);
    const auto fill = drawn.filler(o.data);
    for_each_element(o, [&](index_t element) {
      const std::size_t at = static_cast<std::size_t>(element) * o.element_bytes;
      if (reads(o.role) || o.rank == 0) fill(static_cast<std::size_t>(element), b.memory.data() + at);
      if (writes(o.role)) std::memset(b.written.data() + at, 1, o.element_bytes);
    });
  }
  for (auto& [address, b] : blocks) b.before.assign(b.memory.data(), b.memory.data() + b.memory.size());

  op.execute(op);

  std::size_t size = 0, strayed = 0;
  for (const auto& [address, b] : blocks) size += b.written.size();
  std::vector<std::byte> result(size);
  std::byte* end = result.data();
  for (const auto& [address, b] : blocks) {
    const char* const written = b.written.data();
    const std::byte *const now = b.memory.data(), *const before = b.before.data();
    for (std::size_t i = 0, bytes = b.written.size(); i < bytes; ++i) {
      if (written[i] != 0) *end++ = now[i];
      else strayed += now[i] != before[i] ? 1 : 0;
    }
  }
  result.resize(static_cast<std::size_t>(end - result.data()));
  CHECK_MESSAGE(strayed == 0, strayed << " bytes changed that the list of operands does not say are written");
  return result;
}

template <class Backend, class Args>
std::vector<std::byte> run_against_guards(const Backend& on, const drawing& drawn, Args args, placement_in_page where,
                                          std::byte poison) {
  const auto listed = operands(args);
  const auto execute_op = [](const call& op) {
    execute(*static_cast<const Backend*>(op.on), *reinterpret_cast<const Args*>(op.args.data()));
  };
  return run_against_guards(call{std::as_writable_bytes(std::span(&args, 1)), listed, &on, execute_op}, drawn, where,
                            poison);
}

/// Checks every operand against a page without access, at its end and at its start: the op writes what its list says,
/// with equal bits for any content of the surrounding memory.
template <class Args, class Backend>
void keeps_to_its_operands(const Backend& on, int samples, int first = 0) {
  for (int number = first; number < first + samples; ++number) {
    CAPTURE(number);
    drawing drawn(static_cast<std::uint64_t>(number));
    const Args args = drawn.template draw<Args>();
    const auto at_the_end = run_against_guards(on, drawn, args, placement_in_page::at_the_end, std::byte{0xFF});  // NaN
    const auto at_the_start = run_against_guards(on, drawn, args, placement_in_page::at_the_start, std::byte{0x3C});
    CHECK_MESSAGE(at_the_end == at_the_start, "the result depends on memory that no operand says is read");
  }
}
/// Checks every op of a list that a backend has, with `samples` draws from `first` on. Skips operands in a backend's
/// own form, whose list does not describe their memory.
template <class Backend, class... Args>
void all_keep_to_their_operands(const Backend& on, int samples, ridgepoint::type_list<Args...>, int first = 0) {
  const auto one = [&]<class A>(std::type_identity<A>) {
    if constexpr (ridgepoint::executes<Backend, A> && !ridgepoint::in_own_form<A>) {
      CAPTURE(to_string(ridgepoint::op_record_of<A>));
      keeps_to_its_operands<A>(on, samples, first);
    }
  };
  (one(std::type_identity<Args>{}), ...);
}

}  // namespace any_op
