// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include <ridgepoint/core/random.hpp>
#include <ridgepoint/core/scalar.hpp>
#include <ridgepoint/ops/operand.hpp>
#include <ridgepoint/reference/multiply_add.hpp>
#include <ridgepoint/roofline/work.hpp>

/// The executed witness of a receipt: a scalar that counts its own arithmetic, and which elements of the operands are
/// touched. A reference kernel run with it must count exactly what the op's receipt says.
namespace witness {

enum class role { inputs, weights };  // of what is read; what is written is an output

class counting;

/// Counts of the run since reset().
class ledger {
 public:
  static ledger& current() {
    static thread_local ledger instance;
    return instance;
  }
  void reset() { *this = ledger(); }
  void watch(const counting* data, std::size_t size, role r) { regions_.push_back({data, size, r, {}, {}}); }
  void read(const counting* element) { touch(element, &region::read); }
  void write(const counting* element) { touch(element, &region::written); }
  inline ridgepoint::work executed() const;
  /// How many elements were read, or written, that none of these operands says is.
  inline std::size_t beside(std::span<const ridgepoint::operand> listed) const;

  std::uint64_t flop = 0, matrix_flop = 0, special = 0;

 private:
  struct region {
    const counting* data;
    std::size_t size;
    witness::role role;
    std::vector<bool> read, written;
  };
  inline void touch(const counting* element, std::vector<bool> region::*marks);
  std::vector<region> regions_;
};

/// A double that tells the ledger of every operation on it: + − × and comparisons are FLOP, ÷ √ exp log tanh specials;
/// equality, sign and |x| are free. Reading an element of an operand and assigning to one is traffic.
class counting {
 public:
  counting() = default;
  explicit counting(double value) : value_(value) {}
  counting(const counting& other) : value_(other.read()) {}
  counting& operator=(const counting& other) {
    value_ = other.read();
    ledger::current().write(this);
    return *this;
  }
  explicit operator double() const { return read(); }

  friend counting operator+(const counting& a, const counting& b) { return flop(a.read() + b.read()); }
  friend counting operator-(const counting& a, const counting& b) { return flop(a.read() - b.read()); }
  friend counting operator*(const counting& a, const counting& b) { return flop(a.read() * b.read()); }
  friend counting operator/(const counting& a, const counting& b) { return special(a.read() / b.read()); }
  friend counting operator-(const counting& a) { return counting(-a.read()); }
  friend bool operator<(const counting& a, const counting& b) { return compared(a.read() < b.read()); }
  friend bool operator>(const counting& a, const counting& b) { return compared(a.read() > b.read()); }
  friend bool operator<=(const counting& a, const counting& b) { return compared(a.read() <= b.read()); }
  friend bool operator>=(const counting& a, const counting& b) { return compared(a.read() >= b.read()); }
  friend bool operator==(const counting& a, const counting& b) {
    return !(a.read() < b.read()) && !(a.read() > b.read());
  }
  friend counting abs(const counting& a) { return counting(std::abs(a.read())); }
  friend counting sqrt(const counting& a) { return special(std::sqrt(a.read())); }
  friend counting exp(const counting& a) { return special(std::exp(a.read())); }
  friend counting log(const counting& a) { return special(std::log(a.read())); }
  friend counting log1p(const counting& a) { return special(std::log1p(a.read())); }
  friend counting erf(const counting& a) { return special(std::erf(a.read())); }
  friend counting tanh(const counting& a) { return special(std::tanh(a.read())); }
  friend counting sigmoid(const counting& a) { return special(1 / (1 + std::exp(-a.read()))); }
  friend counting multiply_add(const counting& sum, const counting& x, const counting& y) {
    ledger::current().matrix_flop += 2;
    return sum + x * y;
  }

 private:
  double read() const {
    ledger::current().read(this);
    return value_;
  }
  static counting flop(double value) {
    ++ledger::current().flop;
    return counting(value);
  }
  static counting special(double value) {
    ++ledger::current().special;
    return counting(value);
  }
  static bool compared(bool result) {
    ++ledger::current().flop;
    return result;
  }
  double value_ = 0;
};

/// Stands for a float in memory.
inline constexpr unsigned counting_bytes = 4;

void ledger::touch(const counting* element, std::vector<bool> region::*marks) {
  for (region& r : regions_) {
    if (element < r.data || element >= r.data + r.size) continue;
    (r.*marks).resize(r.size);
    (r.*marks)[static_cast<std::size_t>(element - r.data)] = true;
    return;
  }
}

ridgepoint::work ledger::executed() const {
  ridgepoint::work total{.flop = flop, .matrix_flop = matrix_flop, .special = special};
  for (const region& r : regions_) {
    const auto distinct = [](const std::vector<bool>& marks) {
      return counting_bytes * static_cast<std::uint64_t>(std::count(marks.begin(), marks.end(), true));
    };
    (r.role == role::inputs ? total.bytes.inputs : total.bytes.weights) += distinct(r.read);
    total.bytes.outputs += distinct(r.written);
  }
  return total;
}

/// Whether an element lies between an operand's first and last.
inline bool spans(const ridgepoint::operand& o, const counting* element) {
  const auto* first = static_cast<const counting*>(o.data);
  const auto* last = first;
  if (first == nullptr || o.empty()) return false;
  for (std::size_t i = 0; i < o.rank; ++i) (o.strides[i] < 0 ? first : last) += (o.extents[i] - 1) * o.strides[i];
  return first <= element && element <= last;
}

std::size_t ledger::beside(std::span<const ridgepoint::operand> listed) const {
  std::size_t count = 0;
  for (const region& r : regions_)
    for (std::size_t i = 0; i < r.size; ++i) {
      bool may_read = i >= r.read.size() || !r.read[i], may_write = i >= r.written.size() || !r.written[i];
      for (const ridgepoint::operand& o : listed) {
        if (!spans(o, r.data + i)) continue;
        may_read = may_read || reads(o.role);
        may_write = may_write || writes(o.role);
      }
      count += may_read && may_write ? 0 : 1;
    }
  return count;
}

/// Operands of one run: vectors of counting in [−1, 1] that the ledger watches.
class store {
 public:
  explicit store(std::uint64_t seed) : random_(seed) { ledger::current().reset(); }
  counting* add(std::ptrdiff_t size, role r = role::inputs) {
    auto& values = vectors_.emplace_back();
    values.reserve(static_cast<std::size_t>(size) + 1);
    for (std::ptrdiff_t i = 0; i < size; ++i) values.emplace_back(random_.uniform(-1, 1));
    ledger::current().watch(values.data(), values.size(), r);
    return values.data();
  }

 private:
  ridgepoint::random_stream random_;
  std::deque<std::vector<counting>> vectors_;
};

}  // namespace witness

template <>
struct ridgepoint::scalar_traits<witness::counting> {
  using accumulator = witness::counting;
  static constexpr unsigned bytes = witness::counting_bytes;
};
