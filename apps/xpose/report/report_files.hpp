// The files of report/, as they are compiled into the command.
#pragma once

#include <string_view>

namespace xpose::app::report_files {

extern const std::string_view kTuneHtml;
extern const std::string_view kExplainHtml;
extern const std::string_view kReportCss;
extern const std::string_view kReportJs;
extern const std::string_view kTuneJs;
extern const std::string_view kRaceJs;
extern const std::string_view kExplainJs;
extern const std::string_view kWarpJs;

}  // namespace xpose::app::report_files
