// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <bit>
#include <cstring>

#include <ridgepoint/core/print.hpp>
#include <ridgepoint/cpu/elementwise.hpp>
#include <ridgepoint/reference/elementwise.hpp>

#include "support/cpu_sizes.hpp"

namespace rp = ridgepoint;
using rp::index_t;

namespace {

/// Returns patterns that include every sign and exponent, bfloat16 ties, denormals, infinities and NaN.
std::vector<float> patterns(index_t size, std::uint32_t first) {
  std::vector<float> all;
  for (index_t i = 0; i < size; ++i) all.push_back(std::bit_cast<float>(first + static_cast<std::uint32_t>(i) * 4099U));
  return all;
}

/// Returns whether `on` gives the bits of the definition, for operands anywhere in a page.
template <class To, class From, class On>
bool same_bits(const On& on, const std::vector<From>& x) {
  const auto size = static_cast<index_t>(x.size());
  std::vector<To> want(x.size());
  rp::run(rp::reference, rp::convert_args<To, From>{.size = size, .x = x.data(), .y = want.data()});
  bool same = true;
  for (const auto where :
       {placement_in_page::at_the_end, placement_in_page::at_the_start, placement_in_page::misaligned}) {
    const guarded_vector<From> from(size, where);
    const guarded_vector<To> to(size, where);
    std::copy(x.begin(), x.end(), from.data());
    rp::run(on, rp::convert_args<To, From>{.size = size, .x = from.data(), .y = to.data()});
    same = same && (size == 0 || std::memcmp(to.data(), want.data(), x.size() * sizeof(To)) == 0);
  }
  return same;
}

}  // namespace

TEST_CASE("convert gives the bits of its definition, for every size around a register and a part") {
  for (const index_t size : cpu_sizes<float>())
    for (const int threads : {1, 3}) {
      CAPTURE(size);
      const std::vector<float> x = patterns(size, static_cast<std::uint32_t>(size) * 77U);
      CHECK(same_bits<rp::bfloat16>(on_cpu(threads), x));
      std::vector<rp::bfloat16> stored;
      for (const float v : x)
        stored.push_back(rp::bfloat16::from_bits(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(v) >> 16)));
      CHECK(same_bits<float>(on_cpu(threads), stored));
    }
}

TEST_CASE("convert: floats with every low half, and all 65536 bfloat16; NaN is preserved") {
  std::vector<float> x = patterns(1 << 20, 0);  // 4099 is odd: 2^20 of them wrap around
  for (const std::uint32_t low : {0U, 1U, 0x7fffU, 0x8000U, 0x8001U, 0xffffU})
    for (std::uint32_t high = 0; high < 65536; ++high) x.push_back(std::bit_cast<float>(high << 16 | low));
  CHECK(same_bits<rp::bfloat16>(on_cpu(2), x));
  std::vector<rp::bfloat16> stored;
  for (std::uint32_t bits = 0; bits < 65536; ++bits)
    stored.push_back(rp::bfloat16::from_bits(static_cast<std::uint16_t>(bits)));
  CHECK(same_bits<float>(on_cpu(2), stored));
}

TEST_CASE("convert takes ranges of either type and counts its bytes") {
  const rp::tensor<float> x({3}, {1, -2.5F, 3.01F});
  rp::tensor<rp::bfloat16> y({3});
  const rp::work receipt = rp::convert(on_cpu(1), x, y);
  CHECK(receipt == rp::work{.bytes = {.inputs = 12, .outputs = 6}});
  CHECK(rp::concat(y[0], ' ', y[1], ' ', y[2]) == "1 -2.5 3.01562");
  std::vector<float> back(3);
  CHECK(rp::convert(on_cpu(1), y, back) == rp::work{.bytes = {.inputs = 6, .outputs = 12}});
  CHECK(back == std::vector<float>{1, -2.5F, 3.015625F});
  std::vector<float> short_of_one(2);
  CHECK_THROWS_WITH_AS(rp::convert(on_cpu(1), y, short_of_one), "convert: x has 3 elements, y has 2; must be equal",
                       rp::shape_error);
}

TEST_CASE("a gradient is multiplied by the loss scale when converted to bfloat16, and divided when converted back") {
  const rp::step_state state{.loss_scale = 1024};
  const rp::index_t size = 100;
  const std::vector<float> x = patterns(size, 0x3000'0000);
  std::vector<rp::bfloat16> want(x.size()), got(x.size());
  rp::convert_args<rp::bfloat16, float> there{.size = size, .x = x.data(), .y = want.data(), .scale_state = &state};
  rp::run(rp::reference, there);
  there.y = got.data();
  CHECK(rp::run(on_cpu(2), there) == rp::work{.flop = 100, .bytes = {.inputs = 400, .outputs = 200}});
  CHECK(got == want);
  std::vector<float> back(x.size()), wanted(x.size());
  rp::convert_args<float, rp::bfloat16> again{.size = size, .x = got.data(), .y = wanted.data(), .scale_state = &state};
  rp::run(rp::reference, again);
  again.y = back.data();
  rp::run(on_cpu(2), again);
  CHECK(back == wanted);
  CHECK(back[3] == static_cast<float>(rp::bfloat16(x[3])));  // a power of two changes only the exponent
}
