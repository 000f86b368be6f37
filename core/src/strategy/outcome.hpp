// How a trial, a question to a plugin or a check went.
#pragma once

#include <string>

#include "xpose/xpose.hpp"

namespace xpose {

// How something went: a verdict, and why where it is not ok.
struct Outcome {
  Verdict verdict = Verdict::ok;
  std::string detail;
  bool operator==(const Outcome&) const = default;
};

}  // namespace xpose
