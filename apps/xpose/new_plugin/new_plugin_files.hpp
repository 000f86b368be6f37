// The files of new_plugin/, as they are compiled into the command. Each is a whole file of a
// project whose plugin is called my_idea.
#pragma once

#include <string_view>

namespace xpose::app::new_plugin_files {

extern const std::string_view kHostCpp;
extern const std::string_view kHostTestCpp;
extern const std::string_view kHostCmake;
extern const std::string_view kCudaCu;
extern const std::string_view kCudaTestCpp;
extern const std::string_view kCudaCmake;
extern const std::string_view kCC;
extern const std::string_view kCTestC;
extern const std::string_view kCCmake;

}  // namespace xpose::app::new_plugin_files
