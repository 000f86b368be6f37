// The files that options name.
#pragma once

#include <boost/program_options.hpp>
#include <filesystem>
#include <string>

namespace xpose::app {

namespace po = boost::program_options;

// The name of the file of --cache; "" where it is not given. Throws UsageError for a name that is
// empty or another file's of the same command.
std::string cache_name(const po::variables_map& values);

// Throws UsageError for a file that is no database. An engine moves a corrupt cache aside, and
// would move a file that was named by mistake.
void check_cache(const std::filesystem::path& file);

// Throws UsageError where two options or arguments name one file, which one of them would replace.
void check_apart(const po::variables_map& values, const std::string& option,
                 const std::string& other);

// The name of a file that an option tells to write, "-" for standard output; "" where it is not
// given. Throws UsageError for a name that is empty.
std::string output_name(const po::variables_map& values, const std::string& option);

}  // namespace xpose::app
