#include "output/tried_on.hpp"

namespace xpose::app {

std::string tried_on(const TuneReport& report) {
  if (report.is_estimate)
    return to_string(report.trials.at(*report.winner).variant) +
           " is an estimate, and nothing was measured: " + report.why_not_whole + '.';
  if (!report.stand_in) return "";
  return "Tried on " + to_string(*report.stand_in) + ", which stands in for " +
         to_string(report.problem) + ": " + report.why_not_whole + '.';
}

}  // namespace xpose::app
