// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <new>
#include <vector>

#include <zlib.h>

#include <ridgepoint/core/input_file.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The bytes of a file, unpacked on the way if it is gzip (told by its first two bytes, not by its name).
///
/// Needs 64 KiB, whatever the file claims to hold. Users link zlib.
/// Throws: data_error if the file cannot be read or the gzip stream is corrupt, cut off or followed by something else.
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
  /// Bytes on disk.
  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return file_.size_bytes(); }
  /// More bytes than this cannot come out: deflate packs at most 1032 : 1.
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
    if (state == Z_STREAM_END) {  // a gzip file may hold several members, one after another
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
