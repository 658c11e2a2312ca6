// SPDX-License-Identifier: MIT
#include "flags_build.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/core/scope_exit.hpp>

#include "available_memory.hpp"
#include "flags_cache.hpp"
#include "flags_profile.hpp"
#include "flags_project.hpp"
#include "interruption.hpp"
#include "measurement/flags/code_bytes.hpp"
#include "measurement/flags/compiler_output.hpp"
#include "measurement/flags/flushes_denormals.hpp"
#include "progress_bar.hpp"

namespace tool {
namespace {

namespace rp = ridgepoint;
namespace fs = std::filesystem;

/// Bytes of padding before the code: thirds of a page, at different offsets in a cache line.
constexpr std::array<int, 3> filler_bytes{0, 1360, 2736};

/// Returns the link arguments of every program.
arguments libraries_of(const flags_source& of) {
  return joined({of.link, {"-lbenchmark_main", "-lbenchmark", "-lpthread"}});
}

/// Reads code size and denormal handling from a program.
void describe(flags_build& set) {
  const std::string made = rp::read_file(set.programs.at(0).string(), std::uint64_t{1} << 30);
  set.code_bytes = measurement::code_bytes(made);
  set.flushes_denormals = measurement::flushes_denormals(made);
}

/// Returns the compiler with all flags of a set.
arguments compiler_command(const flags_build& set, const flags_source& of) {
  arguments command = joined({{set.compiler.file.string()}, of.options, set.set.flags});
  for (const std::string& directory : of.include) command.push_back("-I" + fs::absolute(directory).string());
  return command;
}
/// Returns the command that links a program from objects or sources.
arguments link_command(const arguments& compiler, const flags_source& of, const arguments& objects,
                       const std::string& program) {
  return joined({compiler, objects, {"-o", program}, libraries_of(of)});
}

/// Builds one set from a source.
class set_builder {
 public:
  set_builder(flags_build& set, const flags_source& of, content_hashes& hashes)
      : set_(set), of_(of), hashes_(hashes), command_(compiler_command(set, of)) {
    key_ = set.compiler.version + '\n' + of.file.string();
    if (set.set.profile_guided) key_ += "\nprofile-guided " + of.filter;
    for (const arguments& part : {command_, of.link})
      for (const std::string& word : part) key_ += '\n' + word;
    folder_ = of.folder / (set.set.name + '-' + hash_text(key_));
  }

  void build() {
    const std::set<std::string> macros = macros_of(command_);
    check_flags(joined({of_.options, set_.set.flags}), macros);
    for (const std::string& macro : macros) key_ += '\n' + macro;  // -march=native differs between CPUs
    set_.kept = is_kept();
    if (!set_.kept) make(family_of(macros));
    for (std::size_t i = 0; i < filler_bytes.size(); ++i) set_.programs.push_back(program(folder_, i));
  }

 private:
  static fs::path program(const fs::path& folder, std::size_t i) { return folder / rp::concat("program.", i); }

  bool is_kept() {
    const auto record = build_record::load(folder_);
    if (!record || record->key != key_ || !record->holds(hashes_)) return false;
    for (std::size_t i = 0; i < filler_bytes.size(); ++i)
      if (!fs::exists(program(folder_, i))) return false;
    set_.compile_s = record->compile_s;
    return true;
  }

  void make(compiler_family family) {
    const fs::path unfinished = folder_.string() + rp::concat('.', ::getpid(), ".tmp");
    const rp::scope_exit clean([&] {
      std::error_code ignored;
      fs::remove_all(unfinished, ignored);
    });
    fs::create_directories(unfinished);
    const std::string object = (unfinished / "program.o").string(), rule = (unfinished / "program.d").string();
    const auto start = std::chrono::steady_clock::now();
    if (set_.set.profile_guided)
      command_ = joined({command_, trained_flags(command_, of_, libraries_of(of_), object, family)});
    run_compiler(joined({command_, {"-MD", "-MF", rule, "-c", of_.file.string(), "-o", object}}));
    link(unfinished, 0, {object});
    set_.compile_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    for (std::size_t i = 1; i < filler_bytes.size(); ++i) link(unfinished, i, {filler(unfinished, i), object});
    build_record record{.key = key_, .compile_s = set_.compile_s};
    for (const std::string& file : measurement::dependencies_of(rp::read_file(rule, 16 << 20)))
      record.contents[file] = hashes_.of(file);
    record.save(unfinished);
    fs::remove_all(folder_);
    fs::rename(unfinished, folder_);
  }
  void link(const fs::path& into, std::size_t i, const arguments& objects) const {
    run_compiler(link_command(command_, of_, objects, program(into, i).string()));
  }
  /// Builds an object of that many unused bytes.
  [[nodiscard]] std::string filler(const fs::path& into, std::size_t i) const {
    const std::string source = (into / rp::concat("filler", i, ".s")).string();
    std::string object = source + ".o";
    rp::write_file(source, rp::concat(".text\n.skip ", filler_bytes[i], "\n.section .note.GNU-stack,\"\",@progbits\n"));
    run_compiler({set_.compiler.file.string(), "-c", source, "-o", object});
    return object;
  }

  flags_build& set_;
  const flags_source& of_;
  content_hashes& hashes_;
  arguments command_;
  std::string key_;
  fs::path folder_;
};

/// Builds one set unless it was built elsewhere, or records why it has no program.
void build_one(flags_build& set, const flags_source& of, content_hashes& hashes) {
  try {
    if (!of.target.empty()) build_target(set, of);
    else if (set.programs.empty()) set_builder(set, of, hashes).build();
    describe(set);
  } catch (const build_failure& e) {
    set.failure = e.what();
    set.programs.clear();
  } catch (const fs::filesystem_error& e) {
    set.failure = e.what();
  }
}

}  // namespace

unsigned compilers_at_once() {
  const std::uint64_t cores = std::max(1U, std::thread::hardware_concurrency());
  return static_cast<unsigned>(std::clamp<std::uint64_t>(available_bytes() >> 30, 1, cores));
}

std::vector<std::string> build_command(const flags_build& set, const flags_source& of, const std::string& program) {
  return link_command(compiler_command(set, of), of, {of.file.string()}, program);
}

void build_flags(std::vector<flags_build>& sets, const flags_source& of) {
  content_hashes hashes;
  progress_bar bar("building");
  std::mutex mutex;  // of the bar and the first error
  std::atomic<std::size_t> next = 0, done = 0;
  std::exception_ptr error;
  const auto work = [&] {
    for (std::size_t i = next++; i < sets.size(); i = next++) {
      try {
        if (interruption::wanted() && sets[i].failure.empty()) sets[i].failure = "interrupted";
        if (sets[i].failure.empty()) build_one(sets[i], of, hashes);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!error) error = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      bar.show(static_cast<std::int64_t>(++done), static_cast<std::int64_t>(sets.size()), sets[i].set.name);
    }
  };
  {
    std::vector<std::jthread> workers;
    for (unsigned i = 0; i < compilers_at_once(); ++i) workers.emplace_back(work);
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace tool
