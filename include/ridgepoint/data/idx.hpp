// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <ridgepoint/core/shape.hpp>
#include <ridgepoint/data/gzip.hpp>
#include <ridgepoint/data/write_idx.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The contents of an IDX file, the format of MNIST: unsigned bytes in row-major order.
///
/// On disk: two zero bytes, the element type (0x08: unsigned byte), the rank, one big-endian 32-bit extent per
/// dimension, then the values. Read as one big-endian number the first four bytes are 2049 for labels (rank 1) and 2051
/// for images (rank 3).
struct idx {
  ridgepoint::shape shape;
  std::vector<std::uint8_t> values;
};

namespace detail {

/// What a wrong magic number most likely means.
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

/// Reads the header, and refuses one that promises more than the file can hold.
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

/// An IDX file of unsigned bytes with Rank dimensions, plain or gzip, whose header has been read: extents() can be
/// checked before values() reads what may be a thousand times the file.
///
/// Throws: data_error, naming the file, what it is and what it must be: missing, wrong magic, truncated, trailing
/// bytes, corrupt gzip.
template <int Rank>
class idx_file {
 public:
  explicit idx_file(const std::string& path) : file_(path), extents_(detail::read_idx_header<Rank>(file_)) {}

  [[nodiscard]] const std::string& name() const noexcept { return file_.name(); }
  [[nodiscard]] const shape& extents() const noexcept { return extents_; }
  /// As many values as the header promises, and not a byte more: a file that goes on is refused where they end.
  [[nodiscard]] std::vector<std::uint8_t> values() && {
    const auto promised = static_cast<std::size_t>(extents_.size());
    constexpr std::size_t step = std::size_t{1} << 20;
    std::vector<std::uint8_t> values;
    for (std::size_t have = 0; have < promised;) {  // grows only as data really arrive
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
  /// Doubles until a quarter is there, then everything: copies of what is there never need more than the values do.
  [[nodiscard]] std::size_t next_capacity(std::size_t have, std::size_t before, std::size_t promised) const noexcept {
    return !file_.is_gzip() || have >= promised / 4 ? promised : (std::max)(have, 2 * before);
  }

  unpacked_file file_;
  shape extents_;
};

/// Reads an IDX file of unsigned bytes with Rank dimensions, plain or gzip.
///
/// The header is compared with the size of the file before anything is allocated; memory stays below twice the file or
/// its unpacked contents, whichever is larger, and 2 MiB.
/// Throws: as idx_file.
/// Example: const rp::idx images = rp::read_idx<3>("train-images-idx3-ubyte");      // images.shape == {60000, 28, 28}
template <int Rank>
[[nodiscard]] idx read_idx(const std::string& path) {
  idx_file<Rank> file(path);
  const shape extents = file.extents();
  return {extents, std::move(file).values()};
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
