// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include <ridgepoint/core/concat.hpp>
#include <ridgepoint/core/config.hpp>
#include <ridgepoint/core/printable.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Base of everything ridgepoint throws. Messages read "op: actual; expected". They are printable(): one line, also
/// with arbitrary names of files, options and variables in it.
class error : public std::runtime_error {
 public:
  explicit error(std::string_view message) : std::runtime_error(printable(message)) {}
};
/// Extents, strides or buffers that do not fit together.
class shape_error : public error {
  using error::error;
};
/// A value outside its domain: NaN learning rate, label out of range, zero batch.
class value_error : public error {
  using error::error;
};
/// An op or an ISA the chosen backend does not have.
class unsupported : public error {
  using error::error;
};
/// A file that is missing, truncated, corrupt or of the wrong format, or that cannot be written.
class data_error : public error {
  using error::error;
};
/// A call into another library or a device that failed.
class backend_error : public error {
  using error::error;
};

/// A call between ranks that failed, or that another rank did not make.
class communication_error : public error {
  using error::error;
};

/// Throws Error with the parts concatenated into one message unless ok. Parts are formatted only on failure.
template <class Error = error, class... Parts>
constexpr void require(bool ok, const Parts&... parts) {
  if (!ok) [[unlikely]]
    throw Error(concat(parts...));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
