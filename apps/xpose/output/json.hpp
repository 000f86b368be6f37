// The machine-readable form of results. Every document carries "schema": "xpose.KIND/VERSION".
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "output/result_output.hpp"
#include "xpose/xpose.hpp"

namespace xpose::app {

using Json = nlohmann::ordered_json;

Json to_json(const Config& config);  // an object: axis, value
Json to_json(const Problem& problem);
Json to_json(const DeviceInfo& device);
Json to_json(const PluginInfo& plugin);
Json to_json(const TuneReport& report);  // "xpose.tune/1"

std::string text_of(const Json& document);  // indented, always UTF-8

// The output of --json.
class JsonOutput {
 public:
  explicit JsonOutput(const std::string& target) : output_("--json", target) {}
  bool is_stdout() const { return output_.is_stdout(); }
  const ResultOutput& output() const { return output_; }
  void write(const Json& document);

 private:
  ResultOutput output_;
};

}  // namespace xpose::app
