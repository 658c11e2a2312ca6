// SPDX-License-Identifier: MIT
#include "sweep_rows.hpp"

#include <unistd.h>

#include <cerrno>
#include <iostream>
#include <system_error>

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/core/printable.hpp>

#include "measurement/shown.hpp"

namespace tool {
namespace {

namespace rp = ridgepoint;
using measurement::shown;
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30, most_value = 1 << 30;

std::string reason_of(int failure) { return std::generic_category().message(failure); }

}  // namespace

std::string recorded_row::key() const {
  return rp::concat(point.text(), " on ", machine, host.empty() ? "" : " of ", host, " with ", setting);
}

recorded_row row_from(rp::json document, const std::string& where) {
  recorded_row row;
  {
    const rp::json_reader in(document, where);
    in.require_schema("ridgepoint.sweep");
    row.point = {in.text("network", 64), {}, static_cast<rp::index_t>(in.count("batch", most_value))};
    const rp::json_reader set = in.object("set");
    for (const std::string& name : set.keys())
      row.point.parameters[shown(name, 64)] = static_cast<rp::index_t>(set.count(name.c_str(), most_value));
    row.machine = shown(in.text("machine", 256), 80);
    if (in.has("host")) row.host = shown(in.text("host", 256));
    row.setting = shown(in.text("setting", 256));
    row.state = shown(in.text("state", 256), 80);
    row.step_s = in.optional_number("step_s", 1e-12, 1e9);
    row.utilisation = in.optional_number("utilisation", 0, 1e3);
    row.feed_share = in.optional_number("feed_share", 0, 1);
    if (row.state == "ok") static_cast<void>(in.number("step_s", 1e-12, 1e9));
    row.limit_s = in.optional_number("limit_s", 0, 1e9).value_or(0);
  }
  row.document = std::move(document);
  return row;
}

keyed_rows::place keyed_rows::add(recorded_row row) {
  const auto [same, added] = places_.try_emplace(row.key(), rows_.size());
  const std::size_t at = same->second;
  if (added) {
    rows_.push_back(std::move(row));
    return {row_relation::first, at};
  }
  recorded_row& earlier = rows_[at];
  if (earlier.replaced_by(row)) {
    earlier = std::move(row);
    return {row_relation::later, at};
  }
  if (row.replaced_by(earlier)) return {row_relation::outdated, at};
  return {row.document == earlier.document ? row_relation::equal : row_relation::contradiction, at};
}

sweep_rows read_sweep_rows(const std::string& file) {
  const std::string text = rp::read_file(file, most_bytes);
  sweep_rows read;
  std::vector<std::size_t> lines;  // of the rows
  std::size_t start = 0;
  for (std::size_t end = text.find('\n'), line = 1; end != std::string::npos; end = text.find('\n', start), ++line) {
    const std::string where = rp::concat(file, ": line ", line, ": ");
    const auto [relation, at] =
        read.by_key.add(row_from(rp::parse_strict(text.substr(start, end - start), where), where));
    lines.resize(read.rows().size());
    rp::require<rp::data_error>(relation == row_relation::first || relation == row_relation::later, where,
                                read.rows()[at].key(), " is also in line ", lines[at], "; must be there once");
    if (relation == row_relation::later) ++read.replaced;
    lines[at] = line;
    start = end + 1;
  }
  read.complete_bytes = start, read.cut = start < text.size();
  return read;
}

sweep_file::sweep_file(const std::string& path, const std::string& host)
    : path_(path), file_("sweep", path, "another --out, or wait until it has ended") {
  sweep_rows read = read_sweep_rows(path);
  for (const recorded_row& row : read.rows())
    rp::require<rp::data_error>(row.host.empty() || row.host == host, path, " has rows of ", row.host, ", this is ",
                                host, "; --out must be another directory; `ridgepoint merge` joins files");
  rows_ = std::move(read.by_key);
  if (!read.cut) return;
  rp::require<rp::data_error>(::ftruncate(file_.descriptor(), static_cast<off_t>(read.complete_bytes)) == 0, path,
                              " cannot be shortened: ", reason_of(errno), "; must be a file that can be written");
  std::cerr << "removed half a line at the end of " << rp::printable(path) << '\n';
}

row_line line_of(const rp::json& document) {
  std::string text = rp::json_text(document, -1) + '\n';
  recorded_row row = row_from(rp::parse_strict(text, "row"), "row: ");
  return {std::move(text), std::move(row)};
}

void sweep_file::append(row_line added) {
  const std::string& line = added.text;
  const off_t before = ::lseek(file_.descriptor(), 0, SEEK_END);
  for (std::size_t written = 0; written < line.size();) {
    const ssize_t more = ::write(file_.descriptor(), line.data() + written, line.size() - written);
    if (more < 0) {
      const int failure = errno;
      static_cast<void>(::ftruncate(file_.descriptor(), before));
      throw rp::data_error(
          rp::concat("write: ", path_, ": ", reason_of(failure), "; the directory must be writable and have space"));
    }
    written += static_cast<std::size_t>(more);
  }
  rows_.add(std::move(added.row));
}

}  // namespace tool
