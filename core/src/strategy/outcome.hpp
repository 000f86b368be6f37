// How a trial, a question to a plugin or a check went.
#pragma once

#include <string>

#include "xpose/plugin.h"
#include "xpose/xpose.hpp"

namespace xpose {

// How something went: a verdict, and why where it is not ok.
struct Outcome {
  Verdict verdict = Verdict::ok;
  std::string detail;
  bool operator==(const Outcome&) const = default;
};

// The same failure in the words of the ABI, of callers and of trials. Everything that has no row of
// its own is ErrorKind::failed, ErrorKind::wrong and Verdict::protocol_error.
ErrorKind kind_of(xpose_status status);
ErrorKind kind_of(Verdict verdict);
Outcome outcome_of(const Error& error);  // of a plugin's call that threw it

}  // namespace xpose
