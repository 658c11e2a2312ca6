// SPDX-License-Identifier: MIT
#include <ridgepoint/mxu/array_trace.hpp>

#include <doctest/doctest.h>

#include <map>

#include "array_cases.hpp"

namespace rp = ridgepoint;
using array_cases::dataflows;
using namespace rp::systolic;

namespace {

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++n;
  return n;
}

/// Checks that every tag is closed, in order.
bool well_formed(const std::string& markup) {
  std::vector<std::string> open;
  for (std::size_t at = 0; (at = markup.find('<', at)) != std::string::npos;) {
    const std::size_t end = markup.find('>', at);
    if (end == std::string::npos) return false;
    const bool closes = markup[++at] == '/';
    const std::size_t from = at + (closes ? 1 : 0);
    const std::string name = markup.substr(from, markup.find_first_of(" \n/>", from) - from);
    if (closes) {
      if (open.empty() || open.back() != name) return false;
      open.pop_back();
    } else if (markup[end - 1] != '/' && name != "meta") {
      open.push_back(name);
    }
    at = end;
  }
  return open.empty();
}

}  // namespace

TEST_CASE("array trace: one frame per cycle, and every element of the product completes once, with its value") {
  for (const dataflow flow : dataflows) {
    const array_options options{.flow = flow, .fetch_cycles = flow == dataflow::output_stationary ? 0u : 4u};
    const array_trace trace = record<3, 2>({.m = 5, .k = 7, .n = 4}, options);
    CHECK(trace.frames.size() == trace.counters.cycles);
    CHECK(trace.counters == count_cycles({3, 2}, trace.extent, options));
    std::map<std::pair<rp::index_t, rp::index_t>, float> complete;
    for (const array_frame& f : trace.frames) {
      CHECK(f.elements.size() == 6);
      for (const traced_result& r : f.results)
        if (r.complete) CHECK(complete.emplace(std::pair(r.at.row, r.at.col), r.value).second);
    }
    CHECK(complete.size() == 20);
    for (const auto& [at, value] : complete) {
      float sum = 0;
      for (rp::index_t p = 0; p < 7; ++p) sum += static_cast<float>((at.first * 7 + p + 1) * (p * 4 + at.second + 1));
      CHECK(value == sum);
    }
  }
}

TEST_CASE("array trace: operands meet matching weights; weights wait in the shadow register before use") {
  const array_trace trace = record<3, 3>({.m = 4, .k = 3, .n = 3}, {});
  std::size_t products = 0;
  for (const array_frame& f : trace.frames)
    for (const traced_element& e : f.elements)
      if (e.works) products += e.operand->col == e.weight->row;
  CHECK(products == 36);
  CHECK(to_string(*trace.frames[2].elements[0].shadow) == "b00");
  CHECK(trace.frames[3].elements[0].takes_weight);
  CHECK(to_string(*trace.frames[3].waiting[2][1]) == "a02");  // enters in two cycles
  CHECK_FALSE(trace.frames[3].waiting[2][0]);
}

TEST_CASE("array trace: text of a cycle") {
  const array_trace trace = record<2, 2>({.m = 2, .k = 2, .n = 2}, {});
  CHECK(text(trace, trace.frames[3], rp::systolic::ink::plain) ==
        "cycle 4 of 6  active: operands enter\n"
        "          +-----------+-----------+\n"
        "          |  a10*b00  |  a00*b01  |\n"
        "          |    = 3    |    = 2    |\n"
        "          +-----------+-----------+\n"
        "     a11 >|  a01*b10  |           |\n"
        "          |    = 7    |   (b11)   |\n"
        "          +-----------+-----------+\n"
        "             c00 = 7\n");
  CHECK(count(text(trace, trace.frames[3], rp::systolic::ink::ansi), "\033[") > 4);
  CHECK(summary(trace).starts_with("cycles 6 = active 2 + stall 0 + shift 2 + drain 2"));
}

TEST_CASE("array trace: pictures are well-formed and contain every cycle") {
  for (const dataflow flow : dataflows) {
    const array_trace trace = record<2, 3>({.m = 3, .k = 5, .n = 12}, {.flow = flow});
    const std::string picture = svg(trace), page = html(trace);
    CHECK(well_formed(picture));
    CHECK(well_formed(page.substr(page.find("<html"), page.find("<script>") - page.find("<html")) + "</body></html>"));
    CHECK(count(picture, "<g ") == trace.frames.size());
    CHECK(count(page, "<figure ") == trace.frames.size());
    CHECK(page.find("http://www.w3.org/2000/svg") != std::string::npos);
    CHECK(count(page, "src=") + count(page, "href=") == 0);  // self-contained
  }
  CHECK_THROWS_AS(static_cast<void>(record<2, 2>({2, 2, 2}, {.mxus = 2})), rp::value_error);
  CHECK_THROWS_AS(static_cast<void>(record<2, 2>({0, 2, 2}, {})), rp::shape_error);
}

TEST_CASE("array trace: arrays with run-time and compile-time sizes give the same trace") {
  for (const dataflow flow : dataflows) {
    const gemm_extent extent{.m = 5, .k = 7, .n = 4};
    const array_trace fixed = record<3, 2>(extent, {.flow = flow}), any = record({3, 2}, extent, {.flow = flow});
    CHECK(any.counters == fixed.counters);
    CHECK(any.c == fixed.c);
    CHECK(svg(any) == svg(fixed));
  }
  CHECK_THROWS_AS(static_cast<void>(record({129, 2}, {2, 2, 2}, {})), rp::shape_error);
  CHECK_THROWS_AS(static_cast<void>(record({0, 2}, {2, 2, 2}, {})), rp::shape_error);
}
