// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/roofline/markup.hpp>

TEST_CASE("names are escaped in markup, in its attributes and in the encoding") {
  CHECK(ridgepoint::escape_markup("<script>&\"'\x01\n\t\xc3\x97") == "&lt;script&gt;&amp;&quot;&#39;\\x01\n\t\xc3\x97");
  CHECK(ridgepoint::escape_markup("\xff\u202e") == "\\xff\\u202e");
}
