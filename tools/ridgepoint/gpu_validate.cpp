// SPDX-License-Identifier: MIT
// ridgepoint gpu validate: compares the GPU model with published measurements and prints each error.
// ridgepoint gpu calibrate: refits the constants of V100 and TensorFlow from the published measurements.
#include <iostream>
#include <memory>

#include <ridgepoint/roofline/text_table.hpp>
#include <ridgepoint/study/gpu_calibrate.hpp>
#include <ridgepoint/study/targets/gpu.hpp>

#include "command_files.hpp"
#include "commands.hpp"
#include "gpu_studies.hpp"
#include "validation.hpp"

namespace rp = ridgepoint;

namespace tool::gpu_validate {

const std::vector<rp::study::target>& all_targets() {
  static const std::vector<rp::study::target> all = [] {
    std::vector<rp::study::target> targets = rp::study::gpu_targets();
    targets.push_back({"study-a", "study A: five MNIST nets on an unnamed GPU", {}, tool::compare_study_a});
    targets.push_back({"study-b", "study B: ResNet-32 on K80, V100 and TPU v2", {}, tool::compare_study_b});
    targets.push_back({"study-d", "study D: Keras' examples on K80 and P100", {}, tool::compare_study_d});
    return targets;
  }();
  return all;
}

int calibrate(const std::string& data) {
  const rp::gpu::platform stored = rp::study::paradnn_gpu(), fitted = rp::study::fit_gpu(data);
  rp::text_table table{.head = {"constant", "fitted", "in the program"}, .align = "lrr"};
  for (const rp::study::gpu_constant& c : rp::study::gpu_constants())
    table.rows.push_back({c.name, rp::figures(c.of(fitted), 4), rp::figures(c.of(stored), 4)});
  std::cout << "V100 with TensorFlow 1, from step times of networks with 4 or 32 layers\n\n" << table.text();
  return fitted == stored ? tool::ok : tool::failed;
}

const tool::command validate_command("gpu validate", "Compare the GPU model with published measurements",
                                     [](CLI::App& app) -> tool::action {
                                       const auto o = std::make_shared<tool::validation_options>();
                                       tool::add_validation_options(app, *o, "paradnn_gpu_fc.csv, paradnn_tpu_fc.csv");
                                       return [o] { return tool::validate(*o, all_targets()); };
                                     });
const tool::command calibrate_command("gpu calibrate",
                                      "Refit V100's and TensorFlow's constants; exit code 1 if they changed",
                                      [](CLI::App& app) -> tool::action {
                                        const auto data = std::make_shared<std::string>();
                                        app.add_option("--data", *data, "Directory with ParaDnn's published tables")
                                            ->check(tool::existing_directory())
                                            ->required();
                                        return [data] { return calibrate(*data); };
                                      });

}  // namespace tool::gpu_validate
