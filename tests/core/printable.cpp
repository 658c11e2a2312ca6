// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/core/printable.hpp>

using ridgepoint::printable;

TEST_CASE("a name is one line without terminal control or misleading characters") {
  CHECK(printable("plain/näme ×√².json") == "plain/näme ×√².json");
  CHECK(printable("") == "");
  CHECK(printable("\x1b]0;title\x07\x1b[31m") == "\\x1b]0;title\\x07\\x1b[31m");
  CHECK(printable("a\nb\rc\td\v\f") == "a\\nb\\rc\\td\\x0b\\x0c");
  CHECK(printable(std::string_view("a\0b\x7f", 4)) == "a\\x00b\\x7f");
  CHECK(printable("\xff\xfe|\xc3|\xe2\x82|\xed\xa0\x80") == "\\xff\\xfe|\\xc3|\\xe2\\x82|\\xed\\xa0\\x80");
  CHECK(printable("\xc2\x9b"
                  "31m") == "\\u009b31m");  // CSI as one character
  CHECK(printable("\u202egnp.exe\u2066\u200b\ufeff\u2028") == "\\u202egnp.exe\\u2066\\u200b\\ufeff\\u2028");
  CHECK(printable("\U000E0041|\U0001F600") == "\\U000e0041|\U0001F600");
}

TEST_CASE("printable characters are unchanged") {
  const std::string once = printable("C:\\x1b \x1b \xff");
  CHECK(once == "C:\\x1b \\x1b \\xff");
  CHECK(printable(once) == once);
}

TEST_CASE("requested control characters are kept") { CHECK(printable("a\n\tb\x01", "\n\t") == "a\n\tb\\x01"); }
