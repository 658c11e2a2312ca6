// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/graph/safetensors.hpp>

namespace rp = ridgepoint;

namespace {
rp::safetensors_header read(std::string_view text) { return rp::detail::safetensors_json(text, "f").header(); }

/// Returns a header of one tensor with this name, as JSON.
std::string named(std::string_view name) {
  return rp::concat("{\"", name, R"(":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})");
}
}  // namespace

TEST_CASE("a header is read in any order of its keys, blanks or not, and written without blanks") {
  const auto h = read(
      "{ \"w\" : {\"shape\":[ 2,3 ],\n \"data_offsets\":[4, 28],\"dtype\":\"F32\"},"
      "\"__metadata__\":{\"by\":\"me\",\"at\":\"\"}, \"b\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0,1]} }  ");
  REQUIRE(h.tensors.size() == 2);
  CHECK(h.tensors[0].name == "w");
  CHECK(h.tensors[0].dtype == "F32");
  CHECK(h.tensors[0].extents == rp::shape{2, 3});
  CHECK(h.tensors[0].begin == 4);
  CHECK(h.tensors[0].end == 28);
  CHECK(h.tensors[1].extents.rank() == 0);
  REQUIRE(h.metadata.size() == 2);
  CHECK(h.metadata[0].second == "me");
  const std::string text = to_json(h);
  CHECK(text == R"({"__metadata__":{"by":"me","at":""},"w":{"dtype":"F32","shape":[2,3],"data_offsets":[4,28]},)"
                R"("b":{"dtype":"U8","shape":[],"data_offsets":[0,1]}})");
  CHECK(to_json(read(text)) == text);
  CHECK(rp::to_json({}) == "{}");
  CHECK(read("{}").tensors.empty());
}

TEST_CASE("strings keep every character, escaped or not") {
  CHECK(read(named(R"(\"\\\/\b\f\n\r\t)")).tensors[0].name == "\"\\/\b\f\n\r\t");
  CHECK(read(named("\\u0041\\u00e4\\u20AC\\ud83d\\uDE00")).tensors[0].name == "A\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
  CHECK(read(named("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80")).tensors[0].name == "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
  rp::safetensors_header odd;
  odd.metadata.emplace_back(std::string("\"\\\n\0\x1f", 5), "\xc3\xa4/");
  CHECK(to_json(odd) == "{\"__metadata__\":{\"\\\"\\\\\\u000a\\u0000\\u001f\":\"\xc3\xa4/\"}}");
  CHECK(read(to_json(odd)).metadata == odd.metadata);
}

TEST_CASE("an invalid header is refused, naming the file and the position") {
  const auto refused = [](std::string_view text, const char* why) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(static_cast<void>(read(text)), doctest::Contains(why), rp::data_error);
  };
  refused("", "safetensors f: header does not begin with {");
  refused(" {}", "does not begin with {");
  refused("{", "header byte 1: ends too early");
  refused("{} x", "header byte 3: text after the header's object");
  refused(R"({"w")", "ends too early");
  refused(R"({"w" 1})", "is 1; must be :");
  refused(R"({"w":1})", "is 1; must be {");
  refused(R"({"w":{}})", "lacks dtype, shape or data_offsets");
  refused(R"({"w":{"dtype":"U8","shape":[1]}})", "\"w\" lacks");
  refused(R"({"w":{"dtype":"U8","dtype":"U8"}})", "dtype appears twice");
  refused(R"({"w":{"kind":"U8"}})", "key \"kind\"; must be dtype, shape or data_offsets");
  refused(R"({"w":{"shape":[-1]}})", "is not a number");
  refused(R"({"w":{"shape":[1.5]}})", "is .; must be ,");
  refused(R"({"w":{"shape":[01]}})", "is not a number");
  refused(R"({"w":{"shape":[1,]}})", "is not a number");
  refused(R"({"w":{"shape":[1234567890123456789]}})", "more than 18 digits");
  refused(R"({"w":{"shape":[1,1,1,1,1,1,1]}})", "rank is above 6");
  refused(R"({"w":{"shape":[999999999999,999999999999]}})", "safetensors f: ");
  refused(R"({"w":{"data_offsets":[0]}})", "has 1 data_offsets");
  refused(R"({"w":{"data_offsets":[0,1,2]}})", "more than 2 data_offsets");
  refused(R"({"__metadata__":{"a":1}})", "is 1; must be \"");
  refused(R"({"__metadata__":{},"__metadata__":{}})", "__metadata__ appears twice");
  refused("{\"w", "string does not end");
  refused("{\"w\\", "string does not end");
  refused("{\"w\n\"", "control character");
  refused(R"({"\x")", "escape \\x");
  refused(R"({"\u12g4")", "four hexadecimal digits");
  refused(R"({"\u12)", "four hexadecimal digits");
  refused(R"({"\ud83d")", "half a surrogate pair");
  refused(R"({"\ud83d\u0041")", "half a surrogate pair");
  refused(R"({"\ude00")", "half a surrogate pair");
  for (const char* bytes : {"{\"\x80\"", "{\"\xc0\x80\"", "{\"\xc3\"", "{\"\xe0\x80\x80\"", "{\"\xed\xa0\x80\"",
                            "{\"\xf4\x90\x80\x80\"", "{\"\xf8\x88\x80\x80\x80\"", "{\"\xe2\x82"})
    refused(bytes, "header is not UTF-8");
}
