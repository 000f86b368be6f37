#include <iostream>

#include "json.hpp"
#include "options.hpp"
#include "table.hpp"

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

}  // namespace

int plugins(const Arguments& arguments) {
  po::options_description options;
  options.add_options()(
      "json",
      po::value<std::string>()->default_value("")->implicit_value("-")->value_name("FILE|-"),
      "write the list as JSON");
  add_engine_options(options);
  const auto values =
      parse("plugins", "Lists the plugins and their strategies, and why any file was refused.",
            options, {}, arguments);
  if (!values) return done;
  JsonOutput json((*values)["json"].as<std::string>());
  const Engine engine(engine_options(*values));

  Json document = {{"schema", "xpose.plugins/1"}, {"plugins", Json::array()}};
  Table table({{"strategy"}, {"device"}, {"plugin"}, {"axes"}, {"summary"}});
  for (const PluginInfo& plugin : engine.plugins()) {
    document["plugins"].push_back(to_json(plugin));
    if (!plugin.refused.empty()) continue;
    for (const StrategyInfo& strategy : plugin.strategies)
      table.add({strategy.name, strategy.device_kind == DeviceKind::host ? "host" : "cuda",
                 plugin.name + ' ' + plugin.version, axes_text(strategy), strategy.summary});
  }
  json.write(document);
  if (json.is_stdout()) return done;
  table.print(std::cout, false);
  for (const PluginInfo& plugin : engine.plugins())
    if (!plugin.refused.empty()) std::cout << "refused: " << plugin.refused << '\n';
  return done;
}

}  // namespace xpose::app
