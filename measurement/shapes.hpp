// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace measurement {

/// Splits "64,128,256" or "64x128x256" into {"64", "128", "256"}.
/// Throws: ridgepoint::value_error unless it is `extents` positive integers of at most eight digits.
std::vector<std::string> parse_shape(const std::string& text, std::size_t extents);

/// Splits a line of a CSV file into "op" and "rows,cols". Throws: ridgepoint::value_error unless it starts with a
/// name and a comma.
std::pair<std::string, std::string> parse_op(const std::string& line);

/// Columns of the files in measurement/shapes, in the order in which programs read the cells.
namespace columns {
inline const std::vector<std::string> gemm{"m", "n", "k"}, map{"op", "rows", "cols"},
    conv{"op", "n", "size", "c", "f", "kernel", "stride"}, pool{"op", "n", "size", "c", "window", "stride"},
    norm{"op", "rows", "channels"}, rnn{"op", "steps", "n", "in", "units"}, dense{"n", "in", "out"},
    embedding{"tokens", "vocabulary", "width"}, attention{"op", "n", "steps", "heads", "width", "mask"};
}

/// Returns the rows of a CSV file as "gemm,64,128": the cells of `columns` in this order, whatever their order in the
/// file; other columns are ignored. "op" and "mask" are names, every other cell is an extent as in parse_shape().
/// Throws: ridgepoint::data_error with file and line if a column is missing, a cell is invalid, the file is not a
/// table or has no row.
std::vector<std::string> read_rows(const std::filesystem::path& file, const std::vector<std::string>& columns);

/// Extents of a matrix product.
struct gemm_shape {
  std::uint64_t m = 0, n = 0, k = 0;
  [[nodiscard]] std::string text() const;  // "64x128x256"
};

/// Returns `count` products with extents log-uniform in [1, 4096], each of at most 2 GFLOP: larger ones are redrawn.
std::vector<gemm_shape> random_shapes(int count, std::uint64_t seed);

/// Returns `count` lines "conv2d,n,size,c,f,kernel,stride" with kernels of 1 to 7, strides of 1 and 2 and,
/// log-uniform, 1 to 512 channels and filters and 1 to 32 images of 4 to 112, each of at most 3 GFLOP: larger ones
/// are redrawn.
std::vector<std::string> random_convolutions(int count, std::uint64_t seed);

/// Returns `count` lines "lstm,steps,n,in,units" of 1 to 100 steps of 1 to 256 samples and 8 to 1024 inputs and
/// units, log-uniform, each of at most 20 GFLOP forward: larger ones are redrawn.
std::vector<std::string> random_sequences(int count, std::uint64_t seed);

/// Returns the class of a product, the first that fits: "dot" (N <= 4), "narrow" (N <= 16), "outer" (K <= 4), "few
/// rows" (M <= 36), "sweep" (K <= 128), or "blocked".
std::string class_of(const gemm_shape& s);

}  // namespace measurement
