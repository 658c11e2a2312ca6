// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <utility>

#include <ridgepoint/data/idx.hpp>
#include <ridgepoint/graph/dataset.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Grey images with one label each, stored as the bytes of their files: 47 MB for MNIST's 60,000; floats would need 188
/// MB. gather() returns pixel / 255.
class labelled_images final : public dataset {
 public:
  /// Throws: data_error, naming the files, if there are no images, an image has no pixels, the numbers of images and
  /// labels differ, or a label is not below `classes`.
  labelled_images(const std::string& image_file, const std::string& label_file, int classes = 10)
      : labelled_images(idx_file<3>(image_file), idx_file<1>(label_file), classes) {}
  /// Takes files with headers read: checks both before reading any value, and reads labels before images.
  labelled_images(idx_file<3>&& images, idx_file<1>&& labels, int classes = 10) : classes_(classes) {
    images_.shape = images.extents(), labels_.shape = labels.extents();
    check_extents(images.name(), labels.name());
    const std::string label_file(labels.name());
    labels_.values = std::move(labels).values();
    check_labels(label_file);
    images_.values = std::move(images).values();
  }
  /// Takes images {count, height, width} and labels {count} in memory. The names are for messages.
  /// Throws: as above.
  labelled_images(idx images, idx labels, int classes, std::string_view image_file, std::string_view label_file)
      : images_(std::move(images)), labels_(std::move(labels)), classes_(classes) {
    check_extents(image_file, label_file);
    check_labels(label_file);
  }

  [[nodiscard]] index_t size() const override { return images_.shape[0]; }
  [[nodiscard]] shape sample_shape() const override { return {images_.shape[1], images_.shape[2], 1}; }
  [[nodiscard]] int classes() const override { return classes_; }
  [[nodiscard]] gathering gathered() const override { return gathering::on_any_threads; }
  [[nodiscard]] bool stays_the_same() const override { return true; }
  void gather(std::span<const index_t> rows, float* x, std::int32_t* labels) const override {
    const index_t pixels = images_.shape[1] * images_.shape[2];
    for (const index_t row : rows) {
      const std::uint8_t* image = images_.values.data() + row * pixels;
      for (index_t i = 0; i < pixels; ++i) x[i] = static_cast<float>(image[i]) / 255.0F;
      x += pixels;
      *labels++ = labels_.values[static_cast<std::size_t>(row)];
    }
  }
  /// Returns the bytes of image `row`, row by row. Requires: 0 <= row < size().
  [[nodiscard]] std::span<const std::uint8_t> image(index_t row) const {
    const auto pixels = static_cast<std::size_t>(images_.shape[1] * images_.shape[2]);
    return std::span(images_.values).subspan(static_cast<std::size_t>(row) * pixels, pixels);
  }

 private:
  void check_extents(std::string_view image_file, std::string_view label_file) const {
    require<data_error>(images_.shape.size() > 0, image_file, ": holds ", images_.shape,
                        " pixels; must have at least one image of one pixel");
    require<data_error>(images_.shape[0] == labels_.shape[0], image_file, ": ", images_.shape[0], " images, but ",
                        label_file, " has ", labels_.shape[0], " labels; must be equal");
  }
  void check_labels(std::string_view label_file) const {
    const auto wrong =
        std::find_if(labels_.values.begin(), labels_.values.end(), [this](int label) { return label >= classes_; });
    if (wrong != labels_.values.end())
      throw data_error(concat(label_file, ": label ", wrong - labels_.values.begin(), " is ", int{*wrong},
                              "; must be 0 to ", classes_ - 1));
  }

  idx images_, labels_;
  int classes_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
