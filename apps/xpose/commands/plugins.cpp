#include <unistd.h>

#include <iostream>

#include "commands/commands.hpp"
#include "output/json.hpp"
#include "output/table.hpp"
#include "output/tune_table.hpp"

namespace xpose::app {
namespace {

std::string axes_text(const StrategyInfo& strategy) {
  std::string text;
  for (const auto& [name, values] : strategy.axes) {
    text += (text.empty() ? "" : "  ") + name + '=';
    for (std::size_t i = 0; i < values.size(); ++i)
      text += (i == 0 ? "" : ",") + std::to_string(values[i]);
  }
  return text;
}

// Without `all` the strategies for CUDA are one line where there is no device for them.
void print_plugins(std::ostream& out, const std::vector<PluginInfo>& plugins, bool all,
                   const Screen& screen) {
  const auto say = [&](const std::string& text) {
    out << wrapped_text(text, screen.width, 2) << '\n';
  };
  const std::string no_cuda = all ? "" : cuda_unavailable_reason();
  std::vector<std::string> elsewhere;
  Table table({{"strategy", Table::left, Table::wrap},
               {"device"},
               {"plugin", Table::left, Table::wrap, 0, 2},
               {"axes", Table::left, Table::wrap, 24, 1},
               {"summary", Table::left, Table::wrap, 40}});
  for (const PluginInfo& plugin : plugins) {
    if (!plugin.refused.empty()) continue;
    for (const StrategyInfo& strategy : plugin.strategies)
      if (strategy.device_kind == DeviceKind::cuda && !no_cuda.empty())
        elsewhere.push_back(strategy.name);
      else
        table.add({strategy.name, strategy.device_kind == DeviceKind::host ? "host" : "cuda",
                   plugin.name + ' ' + plugin.version, axes_text(strategy), strategy.summary});
  }
  table.print(out, screen);
  if (!elsewhere.empty())
    say(strategies_text(elsewhere, plugins) + ": " + no_cuda + "; --all lists them");
  if (const std::string columns = table.left_out(screen); !columns.empty())
    say("Columns left out for lack of width: " + columns + ". --json has all.");
  for (const PluginInfo& plugin : plugins)
    if (!plugin.refused.empty()) say("refused: " + plugin.refused);
}

}  // namespace

int plugins(const Arguments& arguments) {
  po::options_description options;
  options.add_options()(
      "json",
      po::value<std::string>()->default_value("")->implicit_value("-")->value_name("FILE|-"),
      "write the list as JSON");
  options.add_options()("all", "list strategies for absent devices as well");
  add_engine_options(options);
  const auto values =
      parse("plugins", "Lists plugins and strategies, and the reason for each refusal.", options,
            {}, arguments);
  if (!values) return done;
  JsonOutput json(output_name(*values, "json"));
  const Engine engine(engine_options(*values));

  Json document = {{"schema", "xpose.plugins/2"}, {"plugins", Json::array()}};
  for (const PluginInfo& plugin : engine.plugins()) document["plugins"].push_back(to_json(plugin));
  json.write(document);
  if (!json.is_stdout())
    print_plugins(std::cout, engine.plugins(), values->count("all") != 0, screen_of(STDOUT_FILENO));
  return done;
}

}  // namespace xpose::app
