// The edge between C++ and C: no exception crosses it.
#pragma once

#include "xpose/problem.hpp"
#include "xpose/xpose.h"

namespace xpose::c_api {

// For use in a catch clause: keeps the text of what was caught for xpose_last_error(), and returns
// its status. Allocates nothing.
xpose_status_t caught() noexcept;

// Runs the body of a function of the C API.
template <class Call>
xpose_status_t guarded(const Call& call) noexcept {
  try {
    call();
    return XPOSE_STATUS_OK;
  } catch (...) {
    return caught();
  }
}

// The target of a pointer argument. Throws Error invalid for null; `what` names the argument.
template <class Pointed>
Pointed& required(Pointed* pointer, const char* what) {
  if (pointer == nullptr) throw Error(ErrorKind::invalid, std::string(what) + " is null");
  return *pointer;
}

}  // namespace xpose::c_api
