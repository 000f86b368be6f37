// Shared parts of the subcommands' command lines. Boost.Program_options enters here alone.
#pragma once

#include <boost/program_options.hpp>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "xpose/xpose.hpp"

namespace xpose::app {

namespace po = boost::program_options;

// Exit codes of the command.
enum ExitCode {
  done = 0,
  failed = 1,
  wrong_usage = 2,
  not_verified = 3,
  no_strategy = 4,
  skipped = 77
};

// A command line that cannot be understood; printed with a pointer to --help.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The rest of the command line behind the subcommand's name.
using Arguments = std::vector<std::string>;

// Parses, or prints the help and returns nothing. `about` is laid out here. `positional` names the
// options that arguments without a name fill in turn. Throws UsageError.
std::optional<po::variables_map> parse(const std::string& command, const std::string& about,
                                       const po::options_description& options,
                                       const std::vector<std::string>& positional,
                                       const Arguments& arguments);

// Columns that help is laid out for: those of the terminal, at most 80.
std::size_t help_width();

// The number that an option was given; its value is kept as text until then. They throw UsageError,
// which shows the text and the range.
std::int64_t whole_number_of(const po::variables_map& values, const std::string& option,
                             std::int64_t least,
                             std::int64_t most = std::numeric_limits<std::int64_t>::max());
double seconds_of(const po::variables_map& values, const std::string& option);  // 0 or more
std::uint32_t element_bytes_of(const po::variables_map& values);                // of --bytes

// --in-process and --stage-seconds, and their values.
void add_trial_options(po::options_description& options);
void read_trial_options(const po::variables_map& values, EngineOptions& options);

// Those, --plugins, --threads, --cache and --no-cache.
void add_engine_options(po::options_description& options);
EngineOptions engine_options(const po::variables_map& values);
unsigned threads_of(const po::variables_map& values);  // of --threads

// --strategy, which may be repeated: variants as parse_variant() reads them.
void add_variant_option(po::options_description& options, const char* about);
std::vector<Variant> variants_of(const po::variables_map& values);

// The name of the file of --cache; "" where it is not given. Throws UsageError for a name that is
// empty or another file's of the same command.
std::string cache_name(const po::variables_map& values);

// They throw UsageError for a file that is no database, which was named by mistake: by an option,
// and by XPOSE_CACHE.
void check_cache(const std::string& option, const std::filesystem::path& file);
void check_cache_of_environment();

// Throws UsageError where two options or arguments name one file, which one of them would replace.
void check_apart(const po::variables_map& values, const std::string& option,
                 const std::string& other);

// The name of a file that an option tells to write, "-" for standard output; "" where it is not
// given. Throws UsageError for a name that is empty.
std::string output_name(const po::variables_map& values, const std::string& option);

// "1234x4321" or "32x16x64": the extents of `least_axes` to 64 axes. Throws UsageError.
std::vector<std::int64_t> parse_shape(const std::string& text, std::size_t least_axes = 2);

}  // namespace xpose::app
