// The problem that the trials of a report ran on, in words.
#pragma once

#include <string>

#include "xpose/xpose.hpp"

namespace xpose::app {

// "Tried on 7712x7713 of 4 bytes on host, which stands in for 20000x20001 of 4 bytes on host: ...";
// of an estimate that it is one; both with the reason. Empty where trials ran on the problem.
std::string tried_on(const TuneReport& report);

}  // namespace xpose::app
