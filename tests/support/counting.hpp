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
#include <ridgepoint/reference/reference.hpp>
#include <ridgepoint/roofline/work.hpp>

/// Executed witness of a receipt: a scalar that counts its own arithmetic and the touched elements of the operands. A
/// reference kernel run with it must count exactly the op's receipt.
namespace witness {

enum class role { inputs, weights };  // of inputs; what is written is an output

class counting;

/// Counts of the run since reset().
class ledger {
 public:
  static ledger& current() {
    static thread_local ledger instance;
    return instance;
  }
  void reset() { *this = ledger(); }
  inline void watch(const counting* data, std::size_t size, role r);
  void read(const counting* element) { touch(element, &region::read); }
  void write(const counting* element) { touch(element, &region::written); }
  inline ridgepoint::work executed() const;
  /// Number of elements read or written that these operands do not declare as such.
  inline std::size_t unlisted(std::span<const ridgepoint::operand> listed) const;

  std::uint64_t flop = 0, matrix_flop = 0, special = 0;

 private:
  struct region {
    const counting* data;
    std::size_t size;
    witness::role role;
    std::vector<char> read, written;  // per element; accessed through plain pointers: tests are not optimised
  };
  inline void touch(const counting* element, std::vector<char> region::*marks);
  std::vector<region> regions_;
  const counting *first_ = nullptr, *end_ = nullptr;  // all regions are in between, temporaries on the stack are not
};

/// A double that reports every operation on it to the ledger: + − × and comparisons are FLOP, ÷ √ exp log tanh
/// specials; equality, sign and |x| are free. Reading an element of an operand and assigning to one is traffic.
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

/// Bytes that count for one element, as for a float in memory.
inline constexpr unsigned counting_bytes = 4;

void ledger::watch(const counting* data, std::size_t size, role r) {
  regions_.push_back({data, size, r, std::vector<char>(size), std::vector<char>(size)});
  first_ = first_ == nullptr ? data : std::min(first_, data);
  end_ = std::max(end_, data + size);
}

void ledger::touch(const counting* element, std::vector<char> region::*marks) {
  if (element < first_ || element >= end_) return;
  region* const end = regions_.data() + regions_.size();
  for (region* r = regions_.data(); r != end; ++r) {
    if (element < r->data || element >= r->data + r->size) continue;
    (r->*marks).data()[element - r->data] = 1;
    return;
  }
}

ridgepoint::work ledger::executed() const {
  ridgepoint::work total{.flop = flop, .matrix_flop = matrix_flop, .special = special};
  for (const region& r : regions_) {
    const auto distinct = [](const std::vector<char>& marks) {
      return counting_bytes * static_cast<std::uint64_t>(std::count(marks.data(), marks.data() + marks.size(), 1));
    };
    (r.role == role::inputs ? total.bytes.inputs : total.bytes.weights) += distinct(r.read);
    total.bytes.outputs += distinct(r.written);
  }
  return total;
}

std::size_t ledger::unlisted(std::span<const ridgepoint::operand> listed) const {
  struct range {  // of an operand, from its first to its last element in memory
    const counting *first, *last;
    bool read, written;
  };
  std::vector<range> ranges;
  for (const ridgepoint::operand& o : listed) {
    if (o.data == nullptr || o.empty()) continue;
    const auto* const data = static_cast<const counting*>(o.data);
    range all{data, data, reads(o.role), writes(o.role)};
    for (std::size_t i = 0; i < o.rank; ++i)
      (o.strides[i] < 0 ? all.first : all.last) += (o.extents[i] - 1) * o.strides[i];
    ranges.push_back(all);
  }
  std::size_t count = 0;
  const range* const end = ranges.data() + ranges.size();
  for (const region& r : regions_) {
    const char *const read = r.read.data(), *const written = r.written.data();
    for (std::size_t i = 0; i < r.size; ++i) {
      bool may_read = read[i] == 0, may_write = written[i] == 0;
      for (const range* o = ranges.data(); o != end && !(may_read && may_write); ++o) {
        if (r.data + i < o->first || r.data + i > o->last) continue;
        may_read = may_read || o->read;
        may_write = may_write || o->written;
      }
      count += may_read && may_write ? 0 : 1;
    }
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
