// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstring>
#include <string>
#include <vector>

#include <ridgepoint/core/atomic_file.hpp>
#include <ridgepoint/core/input_file.hpp>
#include <ridgepoint/core/shape.hpp>
#include <ridgepoint/graph/crc32.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// One tensor of a checkpoint.
struct checkpoint_entry {
  std::string name;  // "dense_1.w", "dense_1.m"
  shape extents;
  std::string values;  // extents.size() elements, little endian
};

/// The state of training, as it is kept in a file.
///
/// File: "RPCHKPT" and a zero byte, then little endian u32 version, u32 bytes per element, u64 step, f64 learning rate,
/// i64 batch, u64 seed, optimiser as text, u32 number of entries, each entry as name (text), u32 rank, i64 extents,
/// values; at the end the u32 CRC-32 of all before it. Text is a u32 length and its bytes.
struct checkpoint {
  static constexpr std::uint32_t version = 2;
  static constexpr std::uint64_t most_steps = std::uint64_t{1} << 53;  // past any training, and exact as a double
  std::uint32_t element_bytes = 4;
  std::uint64_t step = 0;
  double learning_rate = 0;
  index_t batch = 1;  // with the seed: which samples the next step takes, and which values dropout keeps
  std::uint64_t seed = 0;
  std::string optimiser;
  std::vector<checkpoint_entry> entries;
};

static_assert(std::endian::native == std::endian::little, "checkpoints are written as the memory is");

namespace detail {

inline constexpr std::string_view checkpoint_magic("RPCHKPT\0", 8);

template <class T>
void put_value(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}
inline void put_text(std::string& out, std::string_view text) {
  put_value(out, static_cast<std::uint32_t>(text.size()));
  out += text;
}
[[nodiscard]] inline std::uint32_t checksum(std::string_view bytes) { return crc32(std::as_bytes(std::span(bytes))); }

/// Takes values off the front of a file's bytes; never past their end.
class checkpoint_reader {
 public:
  checkpoint_reader(std::string_view bytes, std::string_view file) : rest_(bytes), file_(file) {}
  [[nodiscard]] std::string_view take(std::uint64_t bytes, std::string_view what) {
    require<data_error>(bytes <= rest_.size(), "checkpoint ", file_, ": ", what, " takes ", bytes,
                        " bytes; must be <= ", rest_.size(), ", which are left");
    const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(bytes));
    rest_.remove_prefix(taken.size());
    return taken;
  }
  template <class T>
  [[nodiscard]] T value(std::string_view what) {
    T v;
    std::memcpy(&v, take(sizeof v, what).data(), sizeof v);
    return v;
  }
  [[nodiscard]] std::string text(std::string_view what) { return std::string(take(value<std::uint32_t>(what), what)); }
  [[nodiscard]] std::size_t left() const noexcept { return rest_.size(); }

 private:
  std::string_view rest_, file_;
};

}  // namespace detail

[[nodiscard]] inline std::string to_bytes(const checkpoint& c) {
  std::string out(detail::checkpoint_magic);
  detail::put_value(out, checkpoint::version);
  detail::put_value(out, c.element_bytes);
  detail::put_value(out, c.step);
  detail::put_value(out, c.learning_rate);
  detail::put_value(out, static_cast<std::int64_t>(c.batch));
  detail::put_value(out, c.seed);
  detail::put_text(out, c.optimiser);
  detail::put_value(out, static_cast<std::uint32_t>(c.entries.size()));
  for (const checkpoint_entry& e : c.entries) {
    detail::put_text(out, e.name);
    detail::put_value(out, static_cast<std::uint32_t>(e.extents.rank()));
    for (const index_t extent : e.extents) detail::put_value(out, static_cast<std::int64_t>(extent));
    out += e.values;
  }
  detail::put_value(out, detail::checksum(out));
  return out;
}

/// Throws: data_error, naming the file, for bytes that are not a whole checkpoint of this version. Allocates for what
/// the bytes hold, whatever sizes they state: the values, and at most 16 times the bytes for what describes them.
[[nodiscard]] inline checkpoint parse_checkpoint(std::string_view bytes, std::string_view file = "in memory") {
  const std::string_view magic = detail::checkpoint_magic;
  require<data_error>(bytes.starts_with(magic), "checkpoint ", file,
                      ": does not start with \"RPCHKPT\"; must be a ridgepoint checkpoint");
  require<data_error>(bytes.size() >= magic.size() + 8, "checkpoint ", file, ": has ", bytes.size(),
                      " bytes; must have at least ", magic.size() + 8);
  const auto stated = detail::checkpoint_reader(bytes.substr(bytes.size() - 4), file).value<std::uint32_t>("checksum");
  bytes.remove_suffix(4);
  detail::checkpoint_reader in(bytes.substr(magic.size()), file);

  const auto version = in.value<std::uint32_t>("version");
  require<data_error>(version == checkpoint::version, "checkpoint ", file, ": version ", version, "; must be ",
                      checkpoint::version);
  const std::uint32_t actual = detail::checksum(bytes);
  require<data_error>(stated == actual, "checkpoint ", file, ": checksum is ", actual, " but must be ", stated,
                      "; the file is damaged");

  checkpoint c;
  c.element_bytes = in.value<std::uint32_t>("element size");
  require<data_error>(c.element_bytes == 4 || c.element_bytes == 8, "checkpoint ", file, ": elements of ",
                      c.element_bytes, " bytes; must be 4 or 8");
  c.step = in.value<std::uint64_t>("step");
  require<data_error>(c.step <= checkpoint::most_steps, "checkpoint ", file, ": step is ", c.step,
                      "; must be <= ", checkpoint::most_steps);
  c.learning_rate = in.value<double>("learning rate");
  require<data_error>(std::isfinite(c.learning_rate) && c.learning_rate >= 0, "checkpoint ", file,
                      ": learning rate is ", c.learning_rate, "; must be finite and >= 0");
  c.batch = in.value<std::int64_t>("batch");
  require<data_error>(c.batch >= 1, "checkpoint ", file, ": batch is ", c.batch, "; must be >= 1");
  c.seed = in.value<std::uint64_t>("seed");
  c.optimiser = in.text("optimiser");
  const auto count = in.value<std::uint32_t>("number of entries");
  constexpr std::size_t least_entry = 12;  // length of no name, rank 0, one value of 4 bytes
  static_assert(sizeof(checkpoint_entry) <= 16 * least_entry);
  c.entries.reserve(std::min<std::size_t>(count, in.left() / least_entry));
  for (std::uint32_t i = 0; i < count; ++i) {
    checkpoint_entry e{.name = in.text("name"), .extents = {}, .values = {}};
    const auto rank = in.value<std::uint32_t>("rank");
    require<data_error>(rank <= shape::max_rank, "checkpoint ", file, ": ", e.name, " has rank ", rank,
                        "; must be <= ", shape::max_rank);
    index_t extents[shape::max_rank];
    for (std::uint32_t d = 0; d < rank; ++d) extents[d] = in.value<std::int64_t>("extent");
    try {
      e.extents = shape(extents, extents + rank);
      e.values = in.take(static_cast<std::uint64_t>(checked_mul(e.extents.size(), c.element_bytes)), "values");
    } catch (const shape_error& error) {
      throw data_error(concat("checkpoint ", file, ": ", e.name, ": ", error.what()));
    }
    c.entries.push_back(std::move(e));
  }
  require<data_error>(in.left() == 0, "checkpoint ", file, ": ", in.left(),
                      " bytes after the last entry; must be none");
  return c;
}

/// The file appears whole or not at all: an interruption leaves the one before.
/// Throws: data_error if it can not be written.
inline void write_checkpoint(const std::filesystem::path& path, const checkpoint& c) { write_file(path, to_bytes(c)); }

/// Throws: data_error if the file can not be read, is larger than `most_bytes`, or is not a checkpoint.
[[nodiscard]] inline checkpoint read_checkpoint(const std::filesystem::path& path,
                                                std::uint64_t most_bytes = std::uint64_t{1} << 36) {
  return parse_checkpoint(read_file(path, most_bytes), path.string());
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
