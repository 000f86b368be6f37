// xpose: parse the subcommand, run it, print errors in one place.
#include <iostream>
#include <string>
#include <vector>

#include "commands/command_list.hpp"
#include "commands/version.hpp"
#include "output/exit_cleanup.hpp"
#include "output/file_descriptor.hpp"
#include "output/progress_line.hpp"
#include "output/screen.hpp"
#include "output/standard_streams.hpp"
#include "xpose/detail/name_hint.hpp"

namespace {

using xpose::app::Arguments;

using xpose::app::commands;

void print_help(std::ostream& out) {
  const std::size_t width = xpose::app::help_width();
  const auto wrapped = [&](std::string_view text, std::size_t indent = 0) {
    return xpose::app::wrapped_text(text, width, indent);
  };
  out << "usage: xpose COMMAND [options]\n\n"
      << wrapped(
             "Moves a matrix into its transpose, or an array into another order of its axes, as "
             "fast as the memory of the machine allows.")
      << "\n\n";
  constexpr std::size_t kNames = 14;  // columns of them
  for (const auto& [name, command] : commands())
    if (!command.summary.empty())
      out << "  " << name << std::string(kNames - 2 - name.size(), ' ')
          << wrapped(command.summary, kNames) << '\n';
  out << '\n'
      << wrapped(
             "`xpose help COMMAND` explains a command. Exit codes: 0 done, 1 failed, 2 wrong "
             "usage, 3 verification failed, 4 no eligible strategy, 130 interrupted.")
      << '\n';
}

int exit_code(xpose::ErrorKind kind) {
  switch (kind) {
    case xpose::ErrorKind::invalid:
      return xpose::app::wrong_usage;
    case xpose::ErrorKind::no_strategy:
      return xpose::app::no_strategy;
    case xpose::ErrorKind::wrong:
      return xpose::app::not_verified;
    default:
      return xpose::app::failed;
  }
}

// `help tune` is `tune --help`.
Arguments without_help(Arguments arguments) {
  if (arguments.size() > 1 && arguments.front() == "help") {
    arguments.erase(arguments.begin());
    arguments.emplace_back("--help");
  }
  return arguments;
}

[[noreturn]] void refuse(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [known, command] : commands())
    if (!command.summary.empty()) names.push_back(known);
  throw xpose::app::UsageError("there is no command '" + name + '\'' +
                               xpose::detail::name_hint(name, names));
}

int dispatch(const Arguments& arguments) {
  if (arguments.empty()) {
    print_help(std::cerr);
    return xpose::app::wrong_usage;
  }
  const std::string& name = arguments.front();
  if (name == "--help" || name == "-h" || name == "help") {
    print_help(std::cout);
    return xpose::app::done;
  }
  if (name == "--version") {
    std::cout << xpose::app::version_text();
    return xpose::app::done;
  }
  const auto command = commands().find(name);
  if (command == commands().end()) refuse(name);
  return command->second.run({arguments.begin() + 1, arguments.end()});
}

bool is_command(int argc, char** argv) { return argc > 1 && commands().contains(argv[1]); }

}  // namespace

int main(int argc, char** argv) {
  using xpose::app::say;
  const xpose::app::ExitCleanup cleanup;
  const xpose::app::StandardStreams streams;
  try {
    xpose::app::occupy_standard_descriptors();
    const int code = dispatch(without_help(Arguments(argv + 1, argv + argc)));
    if (!std::cout.flush()) {
      say("the results could not be written to the standard output");
      return xpose::app::failed;
    }
    return code;
  } catch (const xpose::app::UsageError& e) {
    say(std::string(e.what()) + "; see `xpose " +
        (is_command(argc, argv) ? std::string(argv[1]) + ' ' : "") + "--help`");
    return xpose::app::wrong_usage;
  } catch (const xpose::Error& e) {
    say(e.what());
    return exit_code(e.kind());
  } catch (const std::bad_alloc&) {
    say("the host is out of memory");
    return xpose::app::failed;
  } catch (const std::exception& e) {
    say(e.what());
    return xpose::app::failed;
  }
}
