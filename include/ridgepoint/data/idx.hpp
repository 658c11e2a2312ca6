// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <zlib.h>

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/core/shape.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

[[nodiscard]] constexpr std::uint32_t idx_magic(int rank) noexcept {
  return 0x0800U + static_cast<std::uint32_t>(rank);
}

}  // namespace detail

/// Writes an IDX file of unsigned bytes, atomically.
/// Throws: data_error if it cannot be written, shape_error if the extents do not match the values or 32 bits.
inline void write_idx(const std::string& path, const shape& extents, std::span<const std::uint8_t> values) {
  require<shape_error>(extents.rank() >= 1 && static_cast<std::size_t>(extents.size()) == values.size(),
                       "write_idx: shape is ", extents, " for ", values.size(), " values; must match, and rank >= 1");
  std::vector<std::uint8_t> header;
  const auto append = [&](std::uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8) header.push_back(static_cast<std::uint8_t>(number >> shift));
  };
  append(detail::idx_magic(extents.rank()));
  for (const index_t extent : extents) {
    require<shape_error>(extent <= 0xFFFFFFFF, "write_idx: extent is ", extent, "; must fit 32 bits");
    append(static_cast<std::uint32_t>(extent));
  }
  atomic_file file(path);
  file.write(header.data(), header.size());
  file.write(values.data(), values.size());
  file.commit();
}

/// Bytes of a file, decompressed if it is gzip (recognised by its first two bytes, not by its name).
///
/// Needs 64 KiB, whatever size the file declares. Users link zlib.
/// Throws: data_error if the file cannot be read or the gzip stream is corrupt, cut off or followed by other data.
class unpacked_file {
 public:
  explicit unpacked_file(const std::string& path) : file_(path) {
    refill();
    is_gzip_ = stream_.avail_in >= 2 && packed_[0] == 0x1F && packed_[1] == 0x8B;
    if (is_gzip_ && inflateInit2(&stream_, 15 + 16) != Z_OK) throw std::bad_alloc();
  }
  unpacked_file(const unpacked_file&) = delete;
  unpacked_file& operator=(const unpacked_file&) = delete;
  ~unpacked_file() {
    if (is_gzip_) inflateEnd(&stream_);
  }

  [[nodiscard]] const std::string& name() const noexcept { return file_.name(); }
  [[nodiscard]] bool is_gzip() const noexcept { return is_gzip_; }
  /// Number of bytes on disk.
  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return file_.size_bytes(); }
  /// Upper bound of the decompressed bytes: deflate packs at most 1032 : 1.
  [[nodiscard]] std::uint64_t most_bytes() const noexcept { return is_gzip_ ? 1032 * size_bytes() : size_bytes(); }

  /// Reads up to `bytes`; fewer only at the end.
  std::size_t read(std::uint8_t* dst, std::size_t bytes) {
    std::size_t count = 0;
    while (count < bytes && (stream_.avail_in != 0 || refill())) {
      const auto space = static_cast<uInt>(std::min<std::size_t>(bytes - count, chunk));
      count += is_gzip_ ? unpack(dst + count, space) : copy(dst + count, space);
    }
    require<data_error>(count == bytes || !inside_member_, name(), ": the gzip data stop early: truncated file");
    return count;
  }

 private:
  static constexpr std::size_t chunk = 65536;

  bool refill() {
    stream_.next_in = packed_.data();
    stream_.avail_in = static_cast<uInt>(file_.read(packed_.data(), chunk));
    return stream_.avail_in != 0;
  }
  std::size_t copy(std::uint8_t* dst, uInt space) noexcept {
    const uInt count = (std::min)(space, stream_.avail_in);
    std::copy_n(stream_.next_in, count, dst);
    stream_.next_in += count;
    stream_.avail_in -= count;
    return count;
  }
  std::size_t unpack(std::uint8_t* dst, uInt space) {
    stream_.next_out = dst;
    stream_.avail_out = space;
    inside_member_ = true;
    const int state = inflate(&stream_, Z_NO_FLUSH);
    if (state == Z_STREAM_END) {  // a gzip file may contain several members in sequence
      inside_member_ = false;
      inflateReset(&stream_);
    }
    if (state == Z_MEM_ERROR) throw std::bad_alloc();
    require<data_error>(state == Z_OK || state == Z_STREAM_END, name(),
                        ": corrupt gzip data: ", stream_.msg == nullptr ? "not deflate" : stream_.msg);
    return space - stream_.avail_out;
  }

  input_file file_;
  std::vector<std::uint8_t> packed_ = std::vector<std::uint8_t>(chunk);
  z_stream stream_{};
  bool is_gzip_ = false, inside_member_ = false;
};

/// Contents of an IDX file, the format of MNIST: unsigned bytes in row-major order.
///
/// On disk: two zero bytes, the element type (0x08: unsigned byte), the rank, one big-endian 32-bit extent per
/// dimension, then the values. Read as one big-endian number the first four bytes are 2049 for labels (rank 1) and 2051
/// for images (rank 3).
struct idx {
  ridgepoint::shape shape;
  std::vector<std::uint8_t> values;
};

namespace detail {

/// Returns the likely cause of a wrong magic number.
[[nodiscard]] constexpr std::string_view explain_idx_magic(std::uint32_t magic) noexcept {
  if (magic >> 16 == 0x1F8B) return ": gzip data inside gzip; unpack the file once";
  if (magic >> 24 == '<') return ": this looks like a web page; fetch the file again";
  if ((magic & 0x00FFFFFF) == 0x00080000) return ": the bytes are in little-endian order; IDX is big-endian";
  if (magic >> 16 == 0 && (magic & 0xFF00) == 0x0800)
    return ": another number of dimensions; images and labels swapped?";
  return "";
}

template <std::size_t N>
std::array<std::uint32_t, N> read_big_endian(unpacked_file& file, std::size_t header_bytes) {
  std::array<std::uint8_t, 4 * N> raw{};
  const std::size_t count = file.read(raw.data(), raw.size());
  require<data_error>(count == raw.size(), file.name(), ": the file ends inside its header; the header has ",
                      header_bytes, " bytes");
  std::array<std::uint32_t, N> numbers{};
  for (std::size_t i = 0; i < raw.size(); ++i) numbers[i / 4] = numbers[i / 4] << 8 | raw[i];
  return numbers;
}

/// Reads the header; rejects one that declares more values than the file can hold.
template <int Rank>
shape read_idx_header(unpacked_file& file) {
  constexpr std::size_t header_bytes = 4 + 4 * Rank;
  const std::uint32_t magic = read_big_endian<1>(file, header_bytes)[0];
  require<data_error>(magic == idx_magic(Rank), file.name(), ": magic is ", magic, explain_idx_magic(magic),
                      "; must be ", idx_magic(Rank), " (", Rank, "-dimensional unsigned bytes)");
  const auto extents = read_big_endian<Rank>(file, header_bytes);
  shape promised;
  try {
    promised = shape(extents.begin(), extents.end());
  } catch (const shape_error& overflow) {
    throw data_error(concat(file.name(), ": ", overflow.what()));
  }
  const auto values = static_cast<std::uint64_t>(promised.size());
  const std::uint64_t most = file.most_bytes() - std::min<std::uint64_t>(file.most_bytes(), header_bytes);
  require<data_error>(values <= most, file.name(), ": the header promises ", promised, " = ", values,
                      " bytes, but only ", most, file.is_gzip() ? " can be packed in a file of this size" : " follow",
                      "; truncated, or not an IDX file");
  require<data_error>(file.is_gzip() || values == most, file.name(), ": ", most - (std::min)(values, most),
                      " bytes follow the ", promised, " values; must be 0");
  return promised;
}

}  // namespace detail

/// IDX file of unsigned bytes with Rank dimensions, plain or gzip, with its header read: extents() can be checked
/// before values() reads the data, possibly a thousand times the file's size.
///
/// Throws: data_error, naming the file, with actual and expected contents: missing, wrong magic, truncated, trailing
/// bytes, corrupt gzip.
template <int Rank>
class idx_file {
 public:
  explicit idx_file(const std::string& path) : file_(path), extents_(detail::read_idx_header<Rank>(file_)) {}

  [[nodiscard]] const std::string& name() const noexcept { return file_.name(); }
  [[nodiscard]] const shape& extents() const noexcept { return extents_; }
  /// Reads as many values as the header declares; rejects a file with more data after them.
  [[nodiscard]] std::vector<std::uint8_t> values() && {
    const auto promised = static_cast<std::size_t>(extents_.size());
    constexpr std::size_t step = std::size_t{1} << 20;
    std::vector<std::uint8_t> values;
    for (std::size_t have = 0; have < promised;) {  // grows only as data arrive
      const std::size_t wanted = (std::min)(step, promised - have);
      if (have + wanted > values.capacity()) values.reserve(next_capacity(have + wanted, values.capacity(), promised));
      values.resize(have + wanted);
      const std::size_t count = file_.read(values.data() + have, wanted);
      have += count;
      require<data_error>(count == wanted, name(), ": truncated: ", have, " values; the header promises ", extents_);
    }
    std::uint8_t extra = 0;
    require<data_error>(file_.read(&extra, 1) == 0, name(), ": more data follow the ", extents_,
                        " values; must be none");
    return values;
  }

 private:
  /// Doubles the capacity until a quarter is read, then reserves everything: copies never need more memory than the
  /// values.
  [[nodiscard]] std::size_t next_capacity(std::size_t have, std::size_t before, std::size_t promised) const noexcept {
    return !file_.is_gzip() || have >= promised / 4 ? promised : (std::max)(have, 2 * before);
  }

  unpacked_file file_;
  shape extents_;
};

/// Reads an IDX file of unsigned bytes with Rank dimensions, plain or gzip.
///
/// Checks the header against the file's size before allocating; memory stays below twice the file or its decompressed
/// contents, whichever is larger, plus 2 MiB.
/// Throws: as idx_file.
/// Example: const rp::idx images = rp::read_idx<3>("train-images-idx3-ubyte");      // images.shape == {60000, 28, 28}
template <int Rank>
[[nodiscard]] idx read_idx(const std::string& path) {
  idx_file<Rank> file(path);
  const shape extents = file.extents();
  return {extents, std::move(file).values()};
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
