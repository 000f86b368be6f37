// The command `xpose cache`: shows, forgets, exports and imports decisions and quarantine.
#include "xpose/cache.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iostream>
#include <map>

#include "commands/cache_import.hpp"
#include "commands/cache_json.hpp"
#include "commands/cache_table.hpp"
#include "commands/commands.hpp"
#include "output/result_output.hpp"
#include "output/screen.hpp"

namespace xpose::app {
namespace {

void add_cache_option(po::options_description& options) {
  options.add_options()("cache", po::value<std::string>()->value_name("FILE"),
                        "the cache, instead of XPOSE_CACHE or the one in your cache folder");
}

std::filesystem::path cache_file(const po::variables_map& values) {
  if (std::string name = cache_name(values); !name.empty()) return name;
  std::filesystem::path file = default_cache_file();
  if (file.empty())
    throw Error(ErrorKind::failed,
                "no home folder can hold a cache: name a file with --cache or in XPOSE_CACHE");
  return file;
}

bool is_there(const std::filesystem::path& file) {
  std::error_code failure;
  const bool exists = std::filesystem::exists(file, failure);
  if (failure)
    throw Error(ErrorKind::failed, "cache " + one_line(file.string()) +
                                       " cannot be looked for: " + failure.message() +
                                       "; name another file with --cache or in XPOSE_CACHE");
  return exists;
}

// --strategy and --problem, which may not be empty: an empty filter means every row.
CacheFilter filter_of(const po::variables_map& values) {
  CacheFilter filter;
  for (const auto& [name, text] :
       {std::pair{"strategy", &filter.strategy}, {"problem", &filter.problem}}) {
    if (values.count(name) == 0) continue;
    *text = values[name].as<std::string>();
    if (text->empty()) throw UsageError(std::string("--") + name + " needs a text");
  }
  if (filter.strategy.find('{') != std::string::npos)
    throw UsageError("cache rows are found by the name of a strategy: give --strategy " +
                     filter.strategy.substr(0, filter.strategy.find('{')) + ", without values");
  return filter;
}

std::string count_text(std::size_t count, const std::string& what) {
  return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
}

// ------------------------------------------------------------------------------------------ show

// The rows that forget() would remove, the newest first.
CacheContents selected(CacheContents contents, const CacheFilter& filter) {
  std::erase_if(contents.decisions, [&](const Decision& decision) {
    return (!filter.strategy.empty() && decision.winner.strategy != filter.strategy) ||
           (decision.key.problem.find(filter.problem) == std::string::npos &&
            problem_text(decision.key.problem).find(filter.problem) == std::string::npos);
  });
  std::erase_if(contents.quarantine, [&](const Quarantine& row) {
    return (!filter.strategy.empty() && row.strategy != filter.strategy) || !filter.problem.empty();
  });
  std::ranges::stable_sort(contents.decisions, std::greater{}, &Decision::when);
  std::ranges::stable_sort(contents.quarantine, std::greater{}, &Quarantine::since);
  return contents;
}

int show(const Arguments& arguments) {
  po::options_description options;
  options.add_options()(
      "json",
      po::value<std::string>()->default_value("")->implicit_value("-")->value_name("FILE|-"),
      "write the rows as JSON, in the form that import reads")(
      "problem", po::value<std::string>()->value_name("TEXT"),
      "only decisions whose problem contains this text, such as \"4096x4096\"")(
      "strategy", po::value<std::string>()->value_name("NAME"),
      "only decisions for this strategy, and its quarantine");
  add_cache_option(options);
  const auto values =
      parse("cache show", "Lists the remembered decisions and the strategies in quarantine.",
            options, {}, arguments);
  if (!values) return done;
  const CacheFilter filter = filter_of(*values);
  JsonOutput json(output_name(*values, "json"));
  const std::filesystem::path file = cache_file(*values);
  const bool exists = is_there(file);
  const CacheContents contents = exists ? selected(read_cache(file), filter) : CacheContents{};

  json.write(to_json(contents));
  if (json.is_stdout()) return done;
  const Screen screen = screen_of(STDOUT_FILENO);
  print_cache(std::cout, contents, screen);
  const std::string name = one_line(file.string());
  const std::string sum = !exists ? "Nothing is remembered: " + name + " does not exist yet."
                                  : count_text(contents.decisions.size(), "decision") + ", " +
                                        std::to_string(contents.quarantine.size()) +
                                        " in quarantine, of " + name + '.';
  std::cout << wrapped_text(sum, screen.width) << '\n';
  return done;
}

// ---------------------------------------------------------------------------------------- forget

int forget_rows(const Arguments& arguments) {
  po::options_description options;
  options.add_options()("all", "every row")("quarantine", "only strategies in quarantine")(
      "problem", po::value<std::string>()->value_name("TEXT"),
      "decisions whose problem contains this text")(
      "strategy", po::value<std::string>()->value_name("NAME"),
      "decisions for this strategy, and its quarantine");
  add_cache_option(options);
  const auto values =
      parse("cache forget",
            "Removes the rows that match every option given. A forgotten problem is "
            "measured again. A strategy that leaves quarantine is tried again.",
            options, {}, arguments);
  if (!values) return done;
  CacheFilter filter = filter_of(*values);
  filter.only_quarantine = values->count("quarantine") != 0;
  const bool narrowed =
      filter.only_quarantine || !filter.strategy.empty() || !filter.problem.empty();
  if (narrowed == (values->count("all") != 0))
    throw UsageError("cache forget needs --all, or any of --quarantine, --strategy and --problem");
  if (filter.only_quarantine && !filter.problem.empty())
    throw UsageError(
        "a strategy is in quarantine for every problem: give --quarantine or "
        "--problem, not both");

  const std::filesystem::path file = cache_file(*values);
  const std::size_t rows = is_there(file) ? forget(file, filter) : 0;
  std::cout << "Forgot " << count_text(rows, "row") << " of " << one_line(file.string()) << ".\n";
  return done;
}

// -------------------------------------------------------------------------------- export, import

std::string file_name(const po::variables_map& values, const char* action, const char* stream) {
  auto name = values["file"].as<std::string>();
  if (name.empty())
    throw UsageError(std::string("cache ") + action + " needs the name of a file; " + stream);
  return name;
}

// The decisions for --device, with which the key of a problem begins.
void keep_device(CacheContents& contents, const po::variables_map& values) {
  if (values.count("device") == 0) return;
  const auto kind = values["device"].as<std::string>();
  if (kind != "host" && kind != "cuda")
    throw UsageError("--device of a table is host or cuda, not '" + kind + '\'');
  std::erase_if(contents.decisions,
                [&](const Decision& decision) { return !decision.key.problem.starts_with(kind); });
}

int export_table(const po::variables_map& values, CacheContents contents, ResultOutput& output) {
  keep_device(contents, values);
  EngineOptions options;
  options.remember = false;
  const Table table = table_of(contents, Engine(options).plugins(),
                               values.count("note") == 0 ? "" : values["note"].as<std::string>());
  if (table.rows == 0)
    throw Error(ErrorKind::failed,
                "no table is written, because no decision of the cache has a trial of a plugin "
                "that is here; measure first, for example by `xpose bench`");
  output.write(table.json);
  if (output.is_stdout()) return done;
  std::cout << "Wrote " << count_text(table.rows, "row") << " to "
            << one_line(values["file"].as<std::string>()) << ".\n";
  if (table.unknown != 0)
    std::cout << "Left out because their plugins are not here: "
              << count_text(table.unknown, "decision") << ".\n";
  return done;
}

int export_rows(const Arguments& arguments) {
  po::options_description options;
  options.add_options()("file", po::value<std::string>()->value_name("FILE"),
                        "the JSON file to write; -: print it")(
      "table",
      "write a table instead: what is fastest on a class of devices, by versions of plugins and "
      "not by their digests, for a folder of XPOSE_TABLE_PATH")(
      "device", po::value<std::string>()->value_name("host|cuda"),
      "with --table: only decisions for this kind of device")(
      "note", po::value<std::string>()->value_name("TEXT"),
      "with --table: what produced it, for its readers");
  add_cache_option(options);
  const auto values = parse("cache export",
                            "Writes every row as JSON, for `xpose cache import` on another machine "
                            "with the same device. The file appears when it is complete, or not "
                            "at all.",
                            options, {"file"}, arguments);
  if (!values) return done;
  const bool is_table = values->count("table") != 0;
  if (!is_table && values->count("device") + values->count("note") != 0)
    throw UsageError("--device and --note are of a table: give --table too");
  const std::string target = file_name(*values, "export", "-: the standard output");
  ResultOutput output("cache export", target);
  CacheContents contents = read_cache(cache_file(*values));
  if (is_table) return export_table(*values, std::move(contents), output);
  output.write(text_of(to_json(contents)) + '\n');
  if (output.is_stdout()) return done;
  std::cout << "Wrote " << count_text(contents.decisions.size(), "decision") << " and "
            << contents.quarantine.size() << " in quarantine to " << one_line(target) << ".\n";
  return done;
}

// The whole text, and at most one byte more than a document may have.
std::string document_from(const std::string& source) {
  std::ifstream file;
  if (source != "-") file.open(source, std::ios::binary);
  std::istream& in = source == "-" ? std::cin : file;
  std::string text;
  std::array<char, 1 << 16> block{};
  while (in && text.size() <= kMaxCacheDocument) {
    in.read(block.data(), block.size());
    text.append(block.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (in.bad() || (source != "-" && !file.is_open()))
    throw Error(ErrorKind::failed, source + " cannot be read: " + std::strerror(errno));
  return text;
}

int import_rows(const Arguments& arguments) {
  po::options_description options;
  options.add_options()("file", po::value<std::string>()->value_name("FILE"),
                        "the JSON file to read; -: standard input");
  add_cache_option(options);
  const auto values =
      parse("cache import",
            "Adds the rows of an exported file: all of them, or none if the file is "
            "malformed. The newer of two decisions for one problem and device "
            "stays.",
            options, {"file"}, arguments);
  if (!values) return done;
  const std::string source = file_name(*values, "import", "-: the standard input");
  const std::filesystem::path file = cache_file(*values);
  const std::string document = document_from(source);
  CacheContents contents;
  try {
    contents = cache_from_json(document, std::time(nullptr));
  } catch (const Error& error) {
    throw Error(error.kind(), (source == "-" ? "the standard input" : source) +
                                  " is not imported: " + error.what());
  }
  const std::size_t rows = contents.decisions.size() + contents.quarantine.size();
  std::vector<std::string> sentences;
  if (!contents.decisions.empty())
    sentences = take_usable(contents, Engine({.remember = false}).plugins());
  const std::size_t taken = merge_into_cache(file, contents);
  std::cout << taken << " of " << count_text(rows, "row") << (taken == 1 ? " was" : " were")
            << " new to " << one_line(file.string()) << ".\n";
  for (const std::string& sentence : sentences) std::cout << sentence << '\n';
  return done;
}

}  // namespace

int cache(const Arguments& arguments) {
  static const std::map<std::string, int (*)(const Arguments&)> actions = {
      {"show", show}, {"forget", forget_rows}, {"export", export_rows}, {"import", import_rows}};
  const std::string name = arguments.empty() ? "" : arguments.front();
  if (name == "--help" || name == "-h") {
    std::cout << "usage: xpose cache show|forget|export|import [options]\n\n"
              << wrapped_text(
                     "Decisions and strategies in quarantine are remembered between processes. "
                     "`xpose cache show --help` explains show, and so on.",
                     help_width())
              << '\n';
    return done;
  }
  const auto action = actions.find(name);
  if (action == actions.end())
    throw UsageError("cache needs show, forget, export or import" +
                     (name.empty() ? "" : ", not '" + name + '\''));
  return action->second({arguments.begin() + 1, arguments.end()});
}

}  // namespace xpose::app
