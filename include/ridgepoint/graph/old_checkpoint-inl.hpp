// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstring>

#include <ridgepoint/graph/old_checkpoint.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace detail {

inline constexpr std::uint32_t old_checkpoint_version = 2;

/// Takes values off the front of a file's bytes; never past their end.
class old_checkpoint_reader {
 public:
  old_checkpoint_reader(std::string_view bytes, std::string_view file) : rest_(bytes), file_(file) {}
  [[nodiscard]] std::string_view take(std::uint64_t bytes, std::string_view what) {
    require<data_error>(bytes <= rest_.size(), "checkpoint ", file_, ": ", what, " takes ", bytes,
                        " bytes; must be <= ", rest_.size(), ", which are left");
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  template <class T>
  [[nodiscard]] T value(std::string_view what) {
    T v;
    std::memcpy(&v, take(sizeof v, what).data(), sizeof v);
    return v;
  }
  [[nodiscard]] std::string text(std::string_view what) {
    const std::string_view taken = take(value<std::uint32_t>(what), what);
    require<data_error>(valid_utf8(taken), "checkpoint ", file_, ": ", what, " is not UTF-8; must be");
    return std::string(taken);
  }
  [[nodiscard]] std::size_t left() const noexcept { return rest_.size(); }

 private:
  std::string_view rest_, file_;
};

}  // namespace detail

RIDGEPOINT_DEFINITION safetensors parse_old_checkpoint(std::string_view bytes, std::string_view file) {
  const std::string_view magic = detail::old_checkpoint_magic;
  require<data_error>(bytes.starts_with(magic), "checkpoint ", file,
                      ": does not start with \"RPCHKPT\"; must be a checkpoint of an older version");
  require<data_error>(bytes.size() >= magic.size() + 8, "checkpoint ", file, ": has ", bytes.size(),
                      " bytes; must have at least ", magic.size() + 8);
  const auto stated =
      detail::old_checkpoint_reader(bytes.substr(bytes.size() - 4), file).value<std::uint32_t>("checksum");
  bytes.remove_suffix(4);
  detail::old_checkpoint_reader in(bytes.substr(magic.size()), file);

  const auto written = in.value<std::uint32_t>("version");
  require<data_error>(written == detail::old_checkpoint_version, "checkpoint ", file, ": version ", written,
                      "; must be ", detail::old_checkpoint_version);
  const std::uint32_t actual = detail::checksum(bytes);
  require<data_error>(stated == actual, "checkpoint ", file, ": checksum is ", actual, " but must be ", stated,
                      "; the file is damaged");

  const auto element_bytes = in.value<std::uint32_t>("element size");
  require<data_error>(element_bytes == 4 || element_bytes == 8, "checkpoint ", file, ": elements of ", element_bytes,
                      " bytes; must be 4 or 8");
  safetensors c{.tensors = {}, .metadata = {}};
  const auto add_text = [&](const char* key, std::string text) { c.metadata.emplace_back(key, std::move(text)); };
  add_text("step", number_text(in.value<std::uint64_t>("step")));
  add_text("learning_rate", number_text(in.value<double>("learning rate")));
  add_text("batch", number_text(in.value<std::int64_t>("batch")));
  add_text("seed", number_text(in.value<std::uint64_t>("seed")));
  add_text("optimiser", in.text("optimiser"));
  const auto count = in.value<std::uint32_t>("number of entries");
  constexpr std::size_t least_entry = 12;  // length of no name, rank 0, one value of 4 bytes
  static_assert(sizeof(safetensor) <= 16 * least_entry);
  c.tensors.reserve(std::min<std::size_t>(count, in.left() / least_entry));
  for (std::uint32_t i = 0; i < count; ++i) {
    safetensor e{.name = in.text("name"),
                 .dtype = std::string(safetensors_dtype(element_bytes == 4 ? element::f32 : element::f64)),
                 .extents = {},
                 .values = {}};
    const auto rank = in.value<std::uint32_t>("rank");
    require<data_error>(rank <= shape::max_rank, "checkpoint ", file, ": ", e.name, " has rank ", rank,
                        "; must be <= ", shape::max_rank);
    index_t extents[shape::max_rank];
    for (std::uint32_t d = 0; d < rank; ++d) extents[d] = in.value<std::int64_t>("extent");
    try {
      e.extents = shape(extents, extents + rank);
      e.values = in.take(static_cast<std::uint64_t>(checked_mul(e.extents.size(), element_bytes)), "values");
    } catch (const shape_error& error) {
      throw data_error(concat("checkpoint ", file, ": ", e.name, ": ", error.what()));
    }
    c.tensors.push_back(std::move(e));
  }
  require<data_error>(in.left() == 0, "checkpoint ", file, ": ", in.left(),
                      " bytes after the last entry; must be none");
  detail::check_names(c.tensors, file);
  return c;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
