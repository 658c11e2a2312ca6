// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/core/csv.hpp>
#include <ridgepoint/data/cifar.hpp>
#include <ridgepoint/data/idx.hpp>
#include <ridgepoint/data/text_corpus.hpp>
#include <ridgepoint/graph/checkpoint.hpp>
#include <ridgepoint/graph/safetensors.hpp>
#include <ridgepoint/mxu/chip_json.hpp>
#include <ridgepoint/roofline/machine_json.hpp>
#include <ridgepoint/study/measured/load_json.hpp>
#if __has_include(<png.h>)
#include <ridgepoint/data/png.hpp>
#endif

namespace rp = ridgepoint;

namespace {

/// Calls read(path) for each seed of that format named good_…; returns their number.
template <class Read>
int for_each_good_seed(const char* format, const Read& read) {
  int count = 0;
  for (const auto& seed : std::filesystem::directory_iterator(std::filesystem::path(SEED_CORPUS) / format)) {
    if (!seed.path().filename().string().starts_with("good_")) continue;
    CAPTURE(seed.path());
    CHECK_NOTHROW(read(seed.path().string()));
    ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("the fuzzers start from files that their readers accept") {
  CHECK(for_each_good_seed("checkpoint", [](const std::string& path) { return rp::read_checkpoint(path); }) == 3);
  CHECK(for_each_good_seed("chip_json", [](const std::string& path) { return rp::tpu::load_chip(path); }) == 1);
  CHECK(for_each_good_seed("cifar", [](const std::string& path) {
          rp::cifar_images images;
          rp::read_cifar(path, path.ends_with("100") ? rp::cifar100_format : rp::cifar10_format, images);
          return images;
        }) == 2);
  CHECK(for_each_good_seed("csv", [](const std::string& path) { return rp::load_csv(path); }) == 2);
  CHECK(for_each_good_seed("machine_json", [](const std::string& path) { return rp::load_machine(path); }) == 1);
  CHECK(for_each_good_seed("measured_json", [](const std::string& path) { return rp::study::load_measured(path); }) ==
        4);
  CHECK(for_each_good_seed("safetensors", [](const std::string& path) { return rp::read_safetensors(path); }) == 3);
  CHECK(for_each_good_seed("text", [](const std::string& path) { return rp::text_corpus(path); }) == 3);
  CHECK(for_each_good_seed("idx", [](const std::string& path) {
          return path.ends_with("labels") ? rp::read_idx<1>(path) : rp::read_idx<3>(path);
        }) == 3);
#if __has_include(<png.h>)
  CHECK(for_each_good_seed("png", [](const std::string& path) { return rp::read_png(path); }) == 4);
#endif
}
