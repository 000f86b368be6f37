#include "checked_options.hpp"

#include <string>

namespace xpose {

void check_options(Policy policy) {
  switch (policy) {
    case Policy::measure:
    case Policy::estimate:
    case Policy::cached_only:
      return;
  }
  throw Error(ErrorKind::invalid, "policy " + std::to_string(static_cast<int>(policy)) +
                                      " is none of xpose::Policy; state Policy::measure, "
                                      "Policy::estimate or Policy::cached_only");
}

void check_options(const TuneOptions& options) {
  if (!(options.budget_seconds >= 0))
    throw Error(ErrorKind::invalid, "TuneOptions::budget_seconds is " +
                                        std::to_string(options.budget_seconds) +
                                        "; state 0 seconds, with which nothing is tried, or more");
  if (options.max_rounds < 1)
    throw Error(ErrorKind::invalid, "TuneOptions::max_rounds is " +
                                        std::to_string(options.max_rounds) +
                                        "; state 1 round or more");
}

void check_options(const PlanOptions& options) {
  check_options(options.policy);
  check_options(options.tune);
}

}  // namespace xpose
