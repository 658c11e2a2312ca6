// SPDX-License-Identifier: MIT
#include "flags_project.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/roofline/strict_json.hpp>

#include "flags_cache.hpp"
#include "measurement/flags/compiler_output.hpp"
#include "measurement/flags/shell_word.hpp"

namespace tool {
namespace {

namespace rp = ridgepoint;
namespace fs = std::filesystem;

void run_cmake(const fs::path& cmake, const arguments& more) {
  run_build_step(joined({{cmake.string()}, more}), [](const process_end& end) {
    return measurement::first_build_complaint(end.printed + '\n' + end.complained);
  });
}

/// Returns flags as CMake passes them to a shell. Throws: build_failure if a flag would change there.
std::string shell_text(const arguments& flags) {
  std::string text;
  for (const std::string& flag : flags) {
    if (!measurement::is_made_of_letters_digits_and("+-._=/:,", flag))
      throw build_failure(flag + " has characters that are special to CMake or a shell");
    text += (text.empty() ? "" : " ") + flag;
  }
  return text;
}

/// Answers of CMake's file API about a build.
class cmake_reply {
 public:
  /// Writes the query that CMake must find when it configures.
  static void ask(const fs::path& build) {
    const fs::path query = build / ".cmake" / "api" / "v1" / "query";
    fs::create_directories(query);
    rp::write_file((query / "codemodel-v2").string(), "");
  }

  /// Throws: ridgepoint::data_error if there is no reply.
  explicit cmake_reply(const fs::path& build) : build_(build), folder_(build / ".cmake" / "api" / "v1" / "reply") {}

  /// Returns the program of a target. Throws: build_failure if the build has none.
  [[nodiscard]] fs::path program(const std::string& target) const {
    fs::path index;  // the last one by name is the newest
    for (const auto& file : fs::directory_iterator(folder_))
      if (file.path().filename().string().starts_with("index-")) index = std::max(index, file.path());
    const rp::json answers = read(index.filename().string());
    const rp::json model = read(reader(answers).object("reply").object("codemodel-v2").text("jsonFile"));
    for (const rp::json_reader& known : configuration(reader(model).objects("configurations")).objects("targets")) {
      if (known.text("name") != target) continue;
      const rp::json one = read(known.text("jsonFile"));
      if (reader(one).text("type") != "EXECUTABLE") break;
      fs::path made = (build_ / reader(one).objects("artifacts").at(0).text("path")).lexically_normal();
      if (made.lexically_relative(build_).string().starts_with(".."))
        throw build_failure(made.string() + " would be shared by every set; must be inside the build folder");
      return made;
    }
    throw build_failure("the project has no executable " + target);
  }

 private:
  /// Returns Release among several configurations, or the only one.
  static rp::json_reader configuration(const std::vector<rp::json_reader>& all) {
    const auto release =
        std::ranges::find_if(all, [](const rp::json_reader& one) { return one.text("name") == "Release"; });
    return release == all.end() ? all.at(0) : *release;
  }
  static rp::json_reader reader(const rp::json& document) { return {document, "CMake's file API: "}; }
  [[nodiscard]] rp::json read(const std::string& name) const {
    const std::string file = (folder_ / name).string();
    return rp::parse_strict(rp::read_file(file, 64 << 20), file);
  }

  fs::path build_, folder_;
};

std::optional<fs::file_time_type> time_of(const fs::path& file) {
  std::error_code failure;
  const fs::file_time_type time = fs::last_write_time(file, failure);
  return failure ? std::nullopt : std::optional(time);
}

}  // namespace

void build_target(flags_build& set, const flags_source& of) {
  if (set.set.profile_guided) throw build_failure("a profile is for --source");
  const arguments flags = joined({of.options, set.set.flags});
  check_flags(flags, macros_of(joined({{set.compiler.file.string()}, flags})));
  arguments all = flags;
  for (const std::string& directory : of.include) all.push_back("-I" + fs::absolute(directory).string());
  const std::string text = shell_text(all);
  const std::string key = set.compiler.version + '\n' + of.file.string() + '\n' + of.cmake.generator + '\n' + text;
  std::string name = set.set.name;
  std::ranges::replace(name, ',', '-');  // CMake links with -Wl,-rpath,FOLDER
  const fs::path build = of.folder / (name + '-' + hash_text(key));
  cmake_reply::ask(build);
  const auto start = std::chrono::steady_clock::now();
  run_cmake(of.cmake.file, {"-G", of.cmake.generator, "-S", of.file.string(), "-B", build.string(),
                            "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-DNDEBUG",
                            "-DCMAKE_CXX_FLAGS=" + text, "-DCMAKE_CXX_COMPILER=" + set.compiler.file.string()});
  const fs::path program = cmake_reply(build).program(of.target);
  const auto before = time_of(program);
  run_cmake(of.cmake.file,
            {"--build", build.string(), "--config", "Release", "--target", of.target, "--parallel", "1"});
  set.compile_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const auto record = build_record::load(build);
  set.kept = before && before == time_of(program) && record;
  if (set.kept) set.compile_s = record->compile_s;
  else build_record{.key = key, .compile_s = set.compile_s}.save(build);
  set.programs = {program};
}

}  // namespace tool
