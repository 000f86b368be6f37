// The commands behind the manual pages and the completion of shells, which packages and shells
// call.
#include <filesystem>
#include <iostream>
#include <stdexcept>

#include "commands/command_list.hpp"
#include "commands/commands.hpp"
#include "manual/completion.hpp"
#include "manual/page.hpp"
#include "output/absolute_name.hpp"
#include "output/pending_file.hpp"

namespace xpose::app {
namespace {

std::vector<NamedWord> device_words(bool numbered) {
  std::vector<NamedWord> words = {
      {"auto", "the command's own choice"}, {"host", "the processors"}, {"cuda", "the first GPU"}};
  if (!numbered) return words;
  for (const DeviceInfo& info : devices())
    if (info.device.kind == DeviceKind::cuda)
      words.push_back({"cuda:" + std::to_string(info.device.ordinal), info.name});
  return words;
}

std::vector<NamedWord> strategy_words(const std::vector<std::string>& folders) {
  EngineOptions options;
  options.plugin_folders = default_plugin_folders();
  for (const std::string& folder : folders)
    options.plugin_folders.push_back(absolute_name("--plugins", folder));
  std::vector<NamedWord> words;
  const Engine engine(options);
  for (const PluginInfo& plugin : engine.plugins())
    for (const StrategyInfo& strategy : plugin.strategies)
      if (strategy.role != Role::experiment) words.push_back({strategy.name, strategy.summary});
  return words;
}

WordSources sources() {
  WordSources all{{}, strategy_words, device_words};
  for (const auto& [name, command] : commands()) {
    CompletedCommand& completed = all.commands[name];
    completed.summary = command.summary;
    completed.line = [run = command.run] { return command_line_of(run); };
    for (const std::string& action : command.actions)
      completed.actions[action] = [run = command.run, action] {
        return command_line_of(run, {action});
      };
  }
  return all;
}

void write_file(const std::filesystem::path& file, const std::string& text) try {
  PendingFile out(file);
  out.write(text);
  out.commit();
} catch (const std::runtime_error& error) {
  throw Error(ErrorKind::failed, error.what());
}

}  // namespace

// Lines of "WORD<tab>ABOUT"; ":files" or ":folders" where the shell knows the names.
int complete(const Arguments& arguments) {
  const Completion completion = complete_words(arguments, sources());
  if (completion.kind == Completion::files) std::cout << ":files\n";
  if (completion.kind == Completion::folders) std::cout << ":folders\n";
  for (const NamedWord& found : completion.found)
    std::cout << found.word << '\t' << found.about << '\n';
  return done;
}

int manual(const Arguments& arguments) {
  po::options_description options;
  options.add_options()("folder", po::value<std::string>()->value_name("FOLDER"),
                        "the folder to write to");
  const auto values =
      parse("manual", "Writes the pages of the manual: xpose.1, and one for each command.", options,
            {"folder"}, arguments);
  if (!values) return done;
  const std::filesystem::path folder = (*values)["folder"].as<std::string>();
  std::vector<std::pair<std::string, std::string>> summaries;
  for (const auto& [name, command] : commands()) {
    if (command.summary.empty()) continue;
    summaries.emplace_back(name, command.summary);
    std::vector<ManualPart> parts;
    for (const std::string& action : command.actions)
      parts.push_back({action, command_line_of(command.run, {action})});
    if (parts.empty()) parts.push_back({name, command_line_of(command.run)});
    write_file(folder / ("xpose-" + name + ".1"),
               command_page(name, command.summary, parts, version()));
  }
  write_file(folder / "xpose.1", overview_page(summaries, version()));
  return done;
}

}  // namespace xpose::app
