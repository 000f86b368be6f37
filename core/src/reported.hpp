// The library's boundary: what callers see of a failure.
#pragma once

#include <new>
#include <system_error>

#include "xpose/problem.hpp"

namespace xpose {

// Made ahead: throwing a copy of it allocates nothing.
inline const Error kNoMemoryLeft(ErrorKind::no_memory,
                                 "the host has no memory left; end other programs, or transpose "
                                 "less at a time");

// Runs a call of the library; what fails in the standard library becomes an Error.
template <class Call>
auto reported(const Call& call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    throw Error(kNoMemoryLeft);
  } catch (const std::system_error& error) {  // files and threads
    throw Error(ErrorKind::failed, error.what());
  }
}

}  // namespace xpose
