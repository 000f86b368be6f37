// The files of report/, as they are compiled into the command.
#pragma once

#include <string_view>

namespace xpose::app::report_files {

extern const std::string_view tune_html;
extern const std::string_view explain_html;
extern const std::string_view report_css;
extern const std::string_view report_js;
extern const std::string_view tune_js;
extern const std::string_view race_js;
extern const std::string_view explain_js;
extern const std::string_view warp_js;

}  // namespace xpose::app::report_files
