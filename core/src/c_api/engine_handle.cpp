#include "c_api/engine_handle.hpp"

#include <memory>
#include <span>
#include <string>

#include "c_api/status.hpp"
#include "c_api/versioned.hpp"

namespace xpose::c_api {
namespace {

std::string text(const char* given) { return given == nullptr ? "" : given; }

EngineOptions engine_options(const xpose_engine_options_t* given) {
  const auto stated = versioned(given, "xpose_engine_options_t");
  EngineOptions options;
  options.threads = stated.threads;
  if (stated.plugin_folder_count > 0) {
    required(stated.plugin_folders, "xpose_engine_options_t::plugin_folders");
    for (const char* folder : std::span(stated.plugin_folders, stated.plugin_folder_count))
      options.plugin_folders.emplace_back(&required(folder, "a folder of plugins"));
  }
  options.worker = text(stated.worker);
  options.cache = text(stated.cache);
  options.remember = stated.forget == 0;
  options.in_process = stated.in_process != 0;
  if (!(stated.stage_seconds >= 0))
    throw Error(ErrorKind::invalid,
                "xpose_engine_options_t::stage_seconds is negative or no number; 0 is the default");
  if (stated.stage_seconds > 0) options.stage_seconds = stated.stage_seconds;
  if (stated.warn != nullptr)
    options.warn = [warn = stated.warn, context = stated.context](std::string_view line) {
      warn(context, std::string(line).c_str());
    };
  return options;
}

}  // namespace
}  // namespace xpose::c_api

using namespace xpose;

xpose_status_t xpose_engine_create(const xpose_engine_options_t* options, xpose_engine_t** engine) {
  return c_api::guarded([&] {
    c_api::required(engine, "the argument engine");
    *engine = nullptr;
    *engine = new xpose_engine_t{Engine(c_api::engine_options(options))};
  });
}

void xpose_engine_destroy(xpose_engine_t* engine) { delete engine; }
