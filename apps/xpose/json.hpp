// The machine-readable form of results. Every document carries "schema": "xpose.KIND/VERSION".
#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "xpose/xpose.hpp"

namespace xpose::app {

using Json = nlohmann::ordered_json;

Json to_json(const Config& config);  // an object: axis, value
Json to_json(const Problem& problem);
Json to_json(const DeviceInfo& device);
Json to_json(const PluginInfo& plugin);
Json to_json(const TuneReport& report);  // "xpose.tune/1"

std::string text_of(const Json& document);  // indented, always UTF-8

// Where --json goes: nowhere, a file, or standard output. A file is opened at once, so that a wrong
// path fails before anything is measured. Throws xpose::Error.
class JsonOutput {
 public:
  explicit JsonOutput(const std::string& target);  // "", "-" or a path
  bool is_stdout() const { return target_ == "-"; }
  void write(const Json& document);  // and flush

 private:
  std::string target_;
  std::ofstream file_;
};

}  // namespace xpose::app
