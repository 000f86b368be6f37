// The command `xpose new-plugin`: a project for a strategy, ready to build.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <iostream>
#include <utility>
#include <vector>

#include "commands/commands.hpp"
#include "commands/shell_command.hpp"
#include "new_plugin/new_plugin_files.hpp"
#include "output/absolute_name.hpp"
#include "output/file_descriptor.hpp"

namespace xpose::app {
namespace {

namespace fs = std::filesystem;

struct ProjectFile {
  std::string name;
  std::string_view text;
};

// The files of a project whose plugin is called my_idea.
std::vector<ProjectFile> project(bool cuda, bool c) {
  using namespace new_plugin_files;
  std::vector<ProjectFile> files = {{"my_idea.cpp", kHostCpp},
                                    {"my_idea_test.cpp", kHostTestCpp},
                                    {"CMakeLists.txt", kHostCmake}};
  if (cuda)
    files = {{"my_idea.cu", kCudaCu},
             {"my_idea_test.cpp", kCudaTestCpp},
             {"CMakeLists.txt", kCudaCmake}};
  if (c) files = {{"my_idea.c", kCC}, {"my_idea_test.c", kCTestC}, {"CMakeLists.txt", kCCmake}};
  files.push_back({".gitignore", "/build/\n"});
  return files;
}

std::string replaced(std::string text, std::string_view from, const std::string& to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

// "row_bands" as RowBands.
std::string camel_case(const std::string& name) {
  std::string camel;
  bool starts_word = true;
  for (const char c : name) {
    if (c != '_') camel += starts_word ? static_cast<char>(std::toupper(c)) : c;
    starts_word = c == '_';
  }
  return camel;
}

// The name of plugin and strategy is that of the folder.
std::string name_of(const fs::path& folder) {
  constexpr std::size_t kMost = 40;
  std::string name = folder.filename().string();
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  if (name.empty() || name.size() > kMost || !is_lower(name[0]) ||
      !std::ranges::all_of(
          name, [&](char c) { return is_lower(c) || (c >= '0' && c <= '9') || c == '_'; }))
    throw UsageError("'" + name +
                     "' cannot name a plugin: name the folder as the strategy, by a letter and at "
                     "most 39 more of a-z, 0-9 and _");
  constexpr std::string_view kTargets[] = {"all",  "clean",   "help",       "install",
                                           "test", "package", "preinstall", "xpose"};
  if (std::ranges::find(kTargets, name) != std::ranges::end(kTargets))
    throw UsageError("'" + name +
                     "' cannot name a plugin: CMake has a target of that name; choose another");
  const Engine engine({.remember = false});
  for (const PluginInfo& plugin : engine.plugins())
    for (const StrategyInfo& strategy : plugin.strategies)
      if (strategy.name == name || plugin.name == name)
        throw UsageError("there is a strategy or plugin '" + name + "' already, in " +
                         plugin.file.string() + "; choose another name");
  return name;
}

void write(const fs::path& file, const std::string& text) {
  const FileDescriptor out(open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (out.get() < 0) fail(file.string(), "cannot be written", errno);
  try {
    write_text(out.get(), text, file.string());
  } catch (...) {
    unlink(file.c_str());
    throw;
  }
}

using NamedText = std::pair<std::string, std::string>;

// The files of a project, of which nothing is left unless all of it can be written.
void write_all(const fs::path& folder, const std::vector<NamedText>& files) {
  std::error_code failure;
  const bool is_new = fs::create_directories(folder, failure);
  if (failure)
    throw Error(ErrorKind::failed, folder.string() + " cannot be made: " + failure.message());
  std::vector<fs::path> written;
  try {
    for (const auto& [name, text] : files) {
      write(folder / name, text);
      written.push_back(folder / name);
    }
  } catch (...) {
    std::error_code ignored;
    for (const fs::path& file : written) fs::remove(file, ignored);
    if (is_new) fs::remove(folder, ignored);
    throw;
  }
}

}  // namespace

int new_plugin(const Arguments& arguments) {
  po::options_description options;
  options.add_options()(
      "folder", po::value<std::string>()->value_name("FOLDER"),
      "the folder to make, whose name becomes that of the plugin and of its strategy")(
      "cuda", "a strategy for GPUs, in CUDA C++")("c", "a strategy for the host, in plain C");
  const auto values = parse(
      "new-plugin",
      "Writes a project for a strategy of your own: its source, which is right and waits for your "
      "idea, a test, and a CMakeLists.txt. Without an option it is for the host, in C++.",
      options, {"folder"}, arguments);
  if (!values) return done;
  const bool cuda = values->count("cuda") != 0;
  const bool c = values->count("c") != 0;
  if (cuda && c) throw UsageError("--cuda and --c exclude each other: kernels are CUDA C++");
  if ((*values)["folder"].as<std::string>().empty())
    throw UsageError("new-plugin needs the name of a folder");
  fs::path folder =
      absolute_name("new-plugin", (*values)["folder"].as<std::string>()).lexically_normal();
  if (folder.filename().empty()) folder = folder.parent_path();  // "a/b/"
  const std::string name = name_of(folder);
  if (std::error_code ignored; fs::exists(folder, ignored) && !fs::is_empty(folder, ignored))
    throw Error(ErrorKind::failed, folder.string() + " is there and not empty: name a new folder");

  std::vector<NamedText> files;
  std::string written;
  for (const ProjectFile& file : project(cuda, c)) {
    files.emplace_back(
        replaced(file.name, "my_idea", name),
        replaced(replaced(std::string(file.text), "my_idea", name), "MyIdea", camel_case(name)));
    written += (written.empty() ? "" : ", ") + files.back().first;
  }
  write_all(folder, files);
  std::cout << "Wrote " << written << " into " << one_line(folder.string()) << ". Next:\n\n  cd "
            << shell_word(folder.string())
            << "\n  cmake -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build -j && ctest "
               "--test-dir build\n  xpose "
            << (cuda ? "explain " + name : "tune")
            << " --plugins build/lib/xpose/plugins --shape 1000x2000\n";
  return done;
}

}  // namespace xpose::app
