// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace measurement {

/// "64,128,256" or "64x128x256" → {"64", "128", "256"}.
/// Throws: ridgepoint::value_error unless it is `extents` positive integers of at most eight digits.
std::vector<std::string> parse_shape(const std::string& text, std::size_t extents);

/// A line of a CSV file as "op", "rows,cols". Throws: ridgepoint::value_error unless it starts with a name and a comma.
std::pair<std::string, std::string> parse_op(const std::string& line);

/// Columns of the files in measurement/shapes, in the order that programs want the cells in.
namespace columns {
inline const std::vector<std::string> gemm{"m", "n", "k"}, map{"op", "rows", "cols"},
    conv{"op", "n", "size", "c", "f", "kernel", "stride"}, pool{"op", "n", "size", "c", "window", "stride"},
    norm{"op", "rows", "channels"}, rnn{"op", "steps", "n", "in", "units"}, dense{"n", "in", "out"},
    embedding{"tokens", "vocabulary", "width"}, attention{"op", "n", "steps", "heads", "width", "mask"};
}

/// The rows of a CSV file as "gemm,64,128": the cells of `columns` in this order, in whatever order the file has them;
/// of other columns nothing. "op" and "mask" are names, every other cell is an extent as in parse_shape().
/// Throws: ridgepoint::data_error with file and line if a column is missing, a cell is not what it must be, the file is
/// no table or has no row.
std::vector<std::string> read_rows(const std::filesystem::path& file, const std::vector<std::string>& columns);

/// The extents of a product.
struct gemm_shape {
  std::uint64_t m = 0, n = 0, k = 0;
  [[nodiscard]] std::string text() const;  // "64x128x256"
};

/// `count` products whose extents are log-uniform in [1, 4096], each of at most 2 GFLOP: a larger one is drawn again.
std::vector<gemm_shape> random_shapes(int count, std::uint64_t seed);

/// `count` lines "conv2d,n,size,c,f,kernel,stride" with kernels of 1 to 7, strides of 1 and 2 and, log-uniform, 1 to
/// 512 channels on either side and 1 to 32 images of 4 to 112, each of at most 3 GFLOP: a larger one is drawn again.
std::vector<std::string> random_convolutions(int count, std::uint64_t seed);

/// `count` lines "lstm,steps,n,in,units" of 1 to 100 steps of 1 to 256 samples and 8 to 1024 values on either side,
/// log-uniform, each of at most 20 GFLOP forward: a larger one is drawn again.
std::vector<std::string> random_sequences(int count, std::uint64_t seed);

/// What makes a product special, the first that fits: "dot" (N <= 4), "narrow" (N <= 16), "outer" (K <= 4), "few rows"
/// (M <= 36), "sweep" (K <= 128), or "blocked".
std::string class_of(const gemm_shape& s);

}  // namespace measurement
