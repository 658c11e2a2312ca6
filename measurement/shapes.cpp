// SPDX-License-Identifier: MIT
#include "shapes.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <ridgepoint/core/csv.hpp>
#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/random.hpp>

namespace measurement {

namespace rp = ridgepoint;

namespace {
/// Returns a log-uniform number in [least, most].
std::uint64_t spread(rp::random_stream& random, double least, double most) {
  return static_cast<std::uint64_t>(std::exp(random.uniform(std::log(least), std::log(most + 1))));
}
bool is_extent(const std::string& text) {
  return !text.empty() && text.size() <= 8 && text[0] != '0' &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}
bool is_name(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}
}  // namespace

std::vector<std::string> parse_shape(const std::string& text, std::size_t extents) {
  std::vector<std::string> shape(1);
  for (const char c : text) {
    if (c == ',' || c == 'x') shape.emplace_back();
    else if (c != ' ') shape.back() += c;
  }
  rp::require<rp::value_error>(shape.size() == extents && std::ranges::all_of(shape, is_extent), "shape: '", text,
                               "'; must be ", extents, " positive integers of at most eight digits, as in 64,128");
  return shape;
}

std::pair<std::string, std::string> parse_op(const std::string& line) {
  const std::size_t comma = line.find(',');
  const std::string name = line.substr(0, comma);
  rp::require<rp::value_error>(comma != std::string::npos && is_name(name), "problem: '", line,
                               "'; must be an op and its extents, as in tanh,64,128");
  return {name, line.substr(comma + 1)};
}

std::vector<std::string> read_rows(const std::filesystem::path& file, const std::vector<std::string>& columns) {
  const rp::csv_table table = rp::load_csv(file.string());
  rp::require<rp::data_error>(table.size() > 0, "shapes: ", file.string(),
                              " has no shapes; must have a line of column names and at least one shape");
  std::vector<std::string> rows(table.size());
  for (const std::string& name : columns) {
    const std::size_t column = table.column(name);
    const bool named = name == "op" || name == "mask";
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const std::string& cell = table.text(r, column);
      rp::require<rp::data_error>(named ? is_name(cell) : is_extent(cell), table.where(r, column), " is \"",
                                  cell.substr(0, 40), "\"; must be ",
                                  named ? "a name" : "a positive integer of at most eight digits");
      rows[r] += (rows[r].empty() ? "" : ",") + cell;
    }
  }
  return rows;
}

std::string gemm_shape::text() const { return rp::concat(m, 'x', n, 'x', k); }

std::vector<gemm_shape> random_shapes(int count, std::uint64_t seed) {
  rp::random_stream random(seed);
  const auto extent = [&] { return spread(random, 1, 4096); };
  std::vector<gemm_shape> shapes;
  while (shapes.size() < static_cast<std::size_t>(count)) {
    const std::uint64_t m = extent(), n = extent(), k = extent();
    if (2 * m * n * k <= 2'000'000'000) shapes.push_back({.m = m, .n = n, .k = k});
  }
  return shapes;
}

std::vector<std::string> random_convolutions(int count, std::uint64_t seed) {
  rp::random_stream random(seed);
  std::vector<std::string> lines;
  while (lines.size() < static_cast<std::size_t>(count)) {
    const std::uint64_t n = spread(random, 1, 32), size = spread(random, 4, 112), c = spread(random, 1, 512),
                        f = spread(random, 1, 512), kernel = 1 + random.below(7), stride = 1 + random.below(2),
                        out = (size + 2 * ((kernel - 1) / 2) - kernel) / stride + 1;
    if (2 * n * out * out * c * f * kernel * kernel <= 3'000'000'000)
      lines.push_back(rp::concat("conv2d,", n, ',', size, ',', c, ',', f, ',', kernel, ',', stride));
  }
  return lines;
}

std::vector<std::string> random_sequences(int count, std::uint64_t seed) {
  rp::random_stream random(seed);
  std::vector<std::string> lines;
  while (lines.size() < static_cast<std::size_t>(count)) {
    const std::uint64_t steps = spread(random, 1, 100), n = spread(random, 1, 256), in = spread(random, 8, 1024),
                        units = spread(random, 8, 1024);
    if (2 * steps * n * 4 * units * (in + units) <= 20'000'000'000)
      lines.push_back(rp::concat("lstm,", steps, ',', n, ',', in, ',', units));
  }
  return lines;
}

std::string class_of(const gemm_shape& s) {
  if (s.n <= 4) return "dot";
  if (s.n <= 16) return "narrow";
  if (s.k <= 4) return "outer";
  if (s.m <= 36) return "few rows";
  return s.k <= 128 ? "sweep" : "blocked";
}

}  // namespace measurement
