// The files that options name.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "options/options.hpp"
#include "output/same_file.hpp"
#include "xpose/cache.hpp"
#include "xpose/xpose.hpp"

namespace xpose::app {

void check_cache(const std::string& option, const std::filesystem::path& file) {
  constexpr std::string_view kMagic = "SQLite format 3";
  std::error_code failed;
  if (!std::filesystem::is_regular_file(file, failed)) return;
  std::ifstream stream(file, std::ios::binary);
  std::string begin(kMagic.size(), '\0');
  stream.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(stream.gcount()));
  // A crash of the machine may leave zeros.
  if (begin.find_first_not_of('\0') == std::string::npos || begin == kMagic) return;
  throw UsageError(option + ' ' + one_line(file.string()) +
                   " is no cache: name another file, or remove it");
}

void check_cache_of_environment() {
  const char* const named = std::getenv("XPOSE_CACHE");
  if (named != nullptr && default_cache_file() == named) check_cache("XPOSE_CACHE", named);
}

std::string cache_name(const po::variables_map& values) {
  if (values.count("cache") == 0) return {};
  const auto& name = values["cache"].as<std::string>();
  if (name.empty()) throw UsageError("--cache needs the name of a file");
  for (const char* const other : {"in", "out", "file"}) check_apart(values, "cache", other);
  for (const char* const other : {"csv", "json", "markdown", "report", "svg"})
    check_apart(values, "cache", other);
  return name;
}

void check_apart(const po::variables_map& values, const std::string& option,
                 const std::string& other) {
  const auto name_of = [&](const std::string& one) {
    const auto* const name = boost::any_cast<std::string>(&values[one].value());
    return name == nullptr ? "" : *name;
  };
  const auto said = [](const std::string& one) {
    if (one == "in") return std::string("the input");
    if (one == "out") return std::string("the output");
    return one == "file" ? "the file" : "--" + one;
  };
  const std::string name = name_of(option), beside = name_of(other);
  if (name.empty() || name == "-" || beside.empty() || beside == "-" || !are_one(name, beside))
    return;
  throw UsageError("--" + option + " and " + said(other) + " are both " + one_line(name) +
                   ": name another file for one");
}

std::string output_name(const po::variables_map& values, const std::string& option) {
  const auto& name = values[option].as<std::string>();
  if (name.empty() && !values[option].defaulted())
    throw UsageError("--" + option + " needs the name of a file, or - for the standard output");
  return name;
}

}  // namespace xpose::app
