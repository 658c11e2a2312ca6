// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cstring>
#include <fstream>

#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/graph/safetensors.hpp>
#include <ridgepoint/reference/all.hpp>

#include "support/temporary_directory.hpp"
#include "toy.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

namespace {

/// Returns a file with this header and this many value bytes.
std::string file_of(const std::string& header, std::size_t values) {
  const std::uint64_t size = header.size();
  return std::string(reinterpret_cast<const char*>(&size), sizeof size) + header + std::string(values, 'v');
}

void refused(const std::string& bytes, const char* why) {
  CAPTURE(bytes);
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::parse_safetensors(bytes, "f")), doctest::Contains(why), rp::data_error);
}

std::vector<double> all_parameters(const auto& of, const auto& network) {
  std::vector<double> all;
  for (const auto& p : network.made().parameters) {
    const auto values = of.parameter(p.name);
    all.insert(all.end(), values.values().begin(), values.values().end());
  }
  return all;
}

}  // namespace

TEST_CASE("tensors and metadata round-trip through a file, and values begin at a multiple of 8 bytes") {
  const rp::safetensors s{.tensors = {{"w", "F32", {2, 2}, std::string(16, 'w')},
                                      {"none", "I64", {0, 3}, ""},
                                      {"one", "BF16", {}, "bf"},
                                      {"b", "BOOL", {3}, "abc"}},
                          .metadata = {{"by", "me"}}};
  const temporary_directory there;
  write_safetensors(there / "f", s);
  const rp::safetensors back = rp::read_safetensors(there / "f");
  REQUIRE(back.tensors.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(back.tensors[i].name == s.tensors[i].name);
    CHECK(back.tensors[i].dtype == s.tensors[i].dtype);
    CHECK(back.tensors[i].extents == s.tensors[i].extents);
    CHECK(back.tensors[i].values == s.tensors[i].values);
  }
  CHECK(back.metadata == s.metadata);
  const std::string bytes = to_bytes(s);
  CHECK((bytes.size() - 21) % 8 == 0);
  CHECK(bytes.ends_with("wwwwwwwwwwwwwwwwbfabc"));
  CHECK(rp::parse_safetensors(to_bytes(rp::safetensors{})).tensors.empty());
}

TEST_CASE("an incomplete file, or one whose tensors leave gaps or overlap, is refused") {
  const std::string w = R"("w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]})";
  CHECK(rp::parse_safetensors(file_of("{" + w + "}", 8)).tensors.size() == 1);
  refused("1234567", "safetensors f: has 7 bytes; must have at least 8");
  refused(file_of("{" + w + "}", 8).substr(0, 30), "must be <= 22");
  refused(file_of("{" + w + "}", 7), "tensors take 8 bytes; must take 7");
  refused(file_of("{" + w + "}", 9), "tensors take 8 bytes; must take 9");
  refused(file_of("{" + w + "," + w + "}", 8), "\"w\" appears twice");
  refused(file_of("{" + w + R"(,"x":{"dtype":"U8","shape":[1],"data_offsets":[9,10]}})", 10),
          "\"x\" begins at byte 9; must begin at 8, without gap or overlap");
  refused(file_of("{" + w + R"(,"x":{"dtype":"U8","shape":[1],"data_offsets":[7,8]}})", 8), "\"x\" begins at byte 7");
  refused(file_of(R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,7]}})", 7),
          "\"w\" is 2 of F32, from byte 0 to 7; must match in size");
  refused(file_of(R"({"w":{"dtype":"U8","shape":[0],"data_offsets":[8,0]}})", 8), "begins at byte 8; must begin at 0");
  refused(file_of(R"({"w":{"dtype":"F4","shape":[2],"data_offsets":[0,1]}})", 1), "is of type F4");
  refused(file_of(R"({"w":{"dtype":"F64","shape":[999999999,999999999,9],"data_offsets":[0,8]}})", 8),
          "must match in size");
  refused(file_of(R"({"w":{"dtype":"F64","shape":[2147483648,1073741824],"data_offsets":[0,0]}})", 0),
          "must match in size");  // 2^64 bytes
  refused(file_of(R"({"__metadata__":{"a":"1","a":"2"}})", 0), "\"a\" appears twice");
  std::string endless = file_of("{}", 0);
  std::memset(endless.data(), 0xFF, 8);
  refused(endless, "header takes 18446744073709551615 bytes; must be <= 2");
}

TEST_CASE("a file that a reader would refuse is not written") {
  CHECK_THROWS_AS(static_cast<void>(to_bytes(rp::safetensors{.tensors = {{"w", "F32", {2}, "123"}}})), rp::value_error);
  CHECK_THROWS_AS(static_cast<void>(to_bytes(rp::safetensors{.tensors = {{"w", "F31", {1}, "1234"}}})),
                  rp::value_error);
  CHECK_THROWS_AS(
      static_cast<void>(to_bytes(rp::safetensors{.tensors = {{"w", "U8", {1}, "1"}, {"w", "U8", {1}, "1"}}})),
      rp::value_error);
  CHECK_THROWS_AS(static_cast<void>(to_bytes(rp::safetensors{.tensors = {{"__metadata__", "U8", {1}, "1"}}})),
                  rp::value_error);
}

TEST_CASE_TEMPLATE("parameters are saved and loaded, by trainers and sessions, of any backend", T, float, double) {
  const temporary_directory there;
  auto trainer = toy::trainer<T>(rp::reference), other = toy::trainer<T>(rp::reference, 8, 1);
  trainer.fit(toy::corners(), {});
  trainer.save_parameters(there / "learnt.safetensors");
  const rp::safetensors file = rp::read_safetensors(there / "learnt.safetensors");
  CHECK(file.tensors.size() == 4);
  CHECK(file.tensors[0].name == "dense_1.w");
  CHECK(file.tensors[0].dtype == (sizeof(T) == 4 ? "F32" : "F64"));
  CHECK(file.tensors[0].extents == rp::shape{6, 16});

  const auto trained = all_parameters(trainer, trainer.learning());
  other.load_parameters(there / "learnt.safetensors");
  CHECK(all_parameters(other, other.learning()) == trained);
  CHECK(other.steps_done() == 0);
  rp::graph net("answer");
  auto session = net.compile<T>(rp::cpu(1), toy::mlp(net) | nn::softmax{}, {.batch = 128});
  session.load(there / "learnt.safetensors");
  CHECK(all_parameters(session, session.answering()) == trained);
  session.load(trainer);
  std::vector<T> x(128 * 6, T(0.5)), y(128 * 3), again(y.size());
  session.run(x, y);
  session.load(there / "learnt.safetensors");
  session.run(x, again);
  CHECK(y == again);
}

TEST_CASE("a file of another network or type is refused, and nothing is loaded from it") {
  const temporary_directory there;
  auto trainer = toy::trainer<float>(rp::reference);
  const auto before = all_parameters(trainer, trainer.learning());
  trainer.save_parameters(there / "f");
  const rp::safetensors good = rp::read_safetensors(there / "f");
  const auto refuses = [&](const rp::safetensors& s, const char* why) {
    rp::write_safetensors(there / "f", s);
    const std::string message = "safetensors " + (there / "f").string() + ": " + why;
    CHECK_THROWS_WITH_AS(trainer.load_parameters(there / "f"), message.c_str(), rp::data_error);
    CHECK(all_parameters(trainer, trainer.learning()) == before);
  };
  auto changed = good;
  for (rp::safetensor& t : changed.tensors) std::fill(t.values.begin(), t.values.end(), '\0');
  changed.tensors.pop_back();
  refuses(changed, "has no dense_2.b; must be of the same network");
  changed.tensors.push_back({"dense_2.b", "I64", {3}, std::string(24, '\0')});
  refuses(changed, "dense_2.b is I64; must be F32, F64, BF16 or F16");
  changed.tensors.back() = {"dense_2.b", "F32", {1, 3}, std::string(12, '\0')};
  refuses(changed, "dense_2.b is 1x3; must be 3");
  changed.tensors.back() = {"dense_2.b", "F16", {3}, std::string("\0\0\0\x7c\0\0", 6)};
  refuses(changed, "dense_2.b holds inf; must be finite");
  changed.tensors.back() = {"dense_2.b", "F64", {3}, std::string(24, '\x7f').replace(0, 16, 16, '\0')};
  refuses(changed, "dense_2.b holds 1.38242e+306; must be finite as f32");
  changed.tensors.back() = {"dense_2.b", "F32", {3}, std::string(12, '\0')};
  changed.tensors.push_back({"more", "I64", {1}, std::string(8, '\0')});  // not requested
  rp::write_safetensors(there / "f", changed);
  trainer.load_parameters(there / "f");
  CHECK(all_parameters(trainer, trainer.learning()) == std::vector<double>(before.size(), 0.0));

  std::ofstream(there / "f") << std::string(3'000'000, ' ');
  CHECK_THROWS_WITH_AS(trainer.load_parameters(there / "f"), doctest::Contains("has 3000000 bytes; must have at most"),
                       rp::data_error);
  std::ofstream(there / "f") << "garbage";
  CHECK_THROWS_WITH_AS(trainer.load_parameters(there / "f"), doctest::Contains("has 7 bytes; must have at least 8"),
                       rp::data_error);
}
