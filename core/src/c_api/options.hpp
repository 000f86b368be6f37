// Options that several calls of the C API take.
#pragma once

#include "xpose/tune.hpp"

namespace xpose::c_api {

// The seconds of a budget, where 0 is the default. Throws Error invalid for what is no budget.
inline double budget(double seconds) {
  if (!(seconds >= 0))
    throw Error(ErrorKind::invalid, "budget_seconds is negative or no number; 0 is the default");
  return seconds > 0 ? seconds : TuneOptions{}.budget_seconds;
}

}  // namespace xpose::c_api
