// SPDX-License-Identifier: MIT
#include "progress_bar.hpp"

#include <unistd.h>

#include <cmath>
#include <iostream>

#include <ridgepoint/core/printable.hpp>

namespace tool {

std::string duration_text(double seconds) {
  const auto s = static_cast<long long>(std::lround(seconds));
  const auto two = [](long long n) { return (n < 10 ? "0" : "") + std::to_string(n); };
  if (s < 60) return std::to_string(s) + " s";
  if (s < 3600) return std::to_string(s / 60) + " min " + two(s % 60) + " s";
  return std::to_string(s / 3600) + " h " + two(s / 60 % 60) + " min";
}

progress_bar::progress_bar(std::string what) : what_(std::move(what)), terminal_(isatty(STDERR_FILENO) == 1) {}

progress_bar::~progress_bar() {
  if (terminal_ && first_ >= 0) std::cerr << "\r\x1b[K" << std::flush;
}

void progress_bar::show(std::int64_t done, std::int64_t total, std::string_view note) {
  if (!terminal_ || total <= 0) return;
  const auto now = clock::now();
  if (first_ < 0) {
    first_ = done;
    started_ = now;
  } else if (done < total && now - shown_ < std::chrono::milliseconds(100)) {
    return;
  }
  shown_ = now;
  constexpr std::int64_t width = 24;
  const auto filled = static_cast<std::size_t>(width * done / total);
  std::cerr << '\r' << ridgepoint::printable(what_) << " [" << std::string(filled, '#')
            << std::string(width - filled, '.') << "] " << done << '/' << total;
  if (!note.empty()) std::cerr << "  " << ridgepoint::printable(note);
  if (done > first_) {
    const double elapsed_s = std::chrono::duration<double>(now - started_).count();
    const double left_s = elapsed_s * static_cast<double>(total - done) / static_cast<double>(done - first_);
    std::cerr << "  ETA " << duration_text(left_s);
  }
  std::cerr << "\x1b[K" << std::flush;
}

}  // namespace tool
