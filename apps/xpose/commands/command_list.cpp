#include "commands/command_list.hpp"

#include "commands/commands.hpp"

namespace xpose::app {

const std::map<std::string, Command>& commands() {
  static const std::map<std::string, Command> all = {
      {"tune", {tune, "try every strategy on a problem and name the fastest", {}}},
      {"run", {run, "write a NumPy file with its axes in another order", {}}},
      {"bench", {bench, "measure the standard table of problems, beside other libraries", {}}},
      {"explain", {explain, "show why a strategy is fast or slow, line by line", {}}},
      {"plugins", {plugins, "list plugins and strategies, and the reason for each refusal", {}}},
      {"check", {check, "run the conformance suite on a plugin", {}}},
      {"cache",
       {cache,
        "show, forget, export or import remembered decisions",
        {"show", "forget", "export", "import"}}},
      {"lab", {lab, "run small kernels that show the cost of memory accesses", {}}},
      {"route", {route, "print what a route between ranks would do", {}}},
      {"doctor",
       {doctor, "list the devices of this machine, missing parts and their remedies", {}}},
      {"new-plugin", {new_plugin, "write a project for a strategy of your own", {}}},
      {"complete", {complete, "", {}}},
      {"manual", {manual, "", {}}},
  };
  return all;
}

}  // namespace xpose::app
