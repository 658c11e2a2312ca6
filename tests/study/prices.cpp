// SPDX-License-Identifier: MIT
#include <ridgepoint/study/prices.hpp>

#include <doctest/doctest.h>

#include <fstream>

#include "support/near.hpp"
#include "support/temporary_directory.hpp"

namespace rp = ridgepoint;
namespace study = ridgepoint::study;
using study::published_prices;

TEST_CASE("prices: the last up to a month, by name in any case") {
  CHECK(find_price(published_prices(), "k80", "2017-10")->usd_per_hour == 0.745);
  CHECK(find_price(published_prices(), "K80")->usd_per_hour == 0.4975);
  CHECK(find_price(published_prices(), "k80", "2017-11")->date == "2017-11");
  CHECK(find_price(published_prices(), "k80", "2017-06") == nullptr);
  CHECK(find_price(published_prices(), "abacus") == nullptr);
  CHECK(find_price(published_prices(), "cpu64", "2017-07")->usd_per_hour == near(0.5091, 1e-4));
  for (const study::price& p : published_prices()) CHECK(study::is_month(p.date));
}

TEST_CASE("prices: cost and break-even") {
  CHECK(study::cost_usd(7200, 1.5) == near(3));
  // study D, July 2017: mnist_mlp on the K80 and on 8 vCPU with compiled TensorFlow
  const double k80 = study::cost_usd(65.0967, find_price(published_prices(), "k80", "2017-07")->usd_per_hour),
               cpu = study::cost_usd(87.8402, find_price(published_prices(), "cpu8", "2017-07")->usd_per_hour);
  CHECK(cpu / k80 == near(0.115271, 1e-4));
  const double worth = study::break_even_usd_per_hour(87.8402, 65.0967, 0.745);
  CHECK(study::cost_usd(87.8402, worth) == near(k80));
}

TEST_CASE("prices: a file is read, and refused with line and value") {
  const temporary_directory directory;
  const std::string path = (directory / "prices.csv").string();
  const auto load = [&](const std::string& rows) {
    std::ofstream(path) << "machine,usd_per_hour,date,source\n" << rows;
    return study::load_prices(path);
  };
  const auto prices = load("h200,3.79,2026-01,list\nh200,2.5,2026-09,list\nown,0.2,2025-12,power\n");
  CHECK(prices.size() == 3);
  CHECK(find_price(prices, "h200")->usd_per_hour == 2.5);
  const auto refused = [&](const char* rows, const char* why) {
    CHECK_THROWS_WITH_AS(static_cast<void>(load(rows)), doctest::Contains(why), rp::data_error);
  };
  refused("h200,-1,2026-01,list\n", "line 2, column usd_per_hour is \"-1\"; must be 1e-6 to 1e6");
  refused("h200,nan,2026-01,list\n", "is \"nan\"; must be 1e-6 to 1e6");
  refused("h200,,2026-01,list\n", "is \"\"; must be 1e-6 to 1e6");
  refused("h200,1e9,2026-01,list\n", "must be 1e-6 to 1e6");
  refused("h200,3 EUR,2026-01,list\n", "must be a number");
  refused("h200,3,2026-13,list\n", "column date is \"2026-13\"; must be a year and month");
  refused("h200,3,1999-12,list\n", "must be a year and month");
  refused("h200,3,today,list\n", "must be a year and month");
  refused(",3,2026-01,list\n", "is empty; must name a machine");
  refused("h200,3,2026-01,list\nh200,4,2026-01,list\n", "has a second price of h200 from 2026-01");
  refused("h200,3,2026-01\n", "has 3 cells");
  std::ofstream(path) << "machine,eur_per_hour,date,source\nh200,3,2026-01,list\n";
  CHECK_THROWS_WITH_AS(static_cast<void>(study::load_prices(path)), doctest::Contains("no column usd_per_hour"),
                       rp::data_error);
}
