// A call through the plugin ABI.
#pragma once

#include <cxxabi.h>

#include <exception>
#include <new>
#include <string>

#include "xpose/plugin.h"
#include "xpose/xpose.hpp"

namespace xpose {

struct CallResult {
  xpose_status status = XPOSE_OK;
  std::string words;  // where status is not XPOSE_OK: the plugin's text, or "gave no reason"
};

inline std::string thrown_words(const std::exception* error = nullptr) {
  const char* const what = error == nullptr ? nullptr : error->what();
  std::string words = "threw an exception through the ABI";
  return what == nullptr ? words : words + ": " + one_line(what);
}

// call(xpose_text) -> xpose_status. An exception that comes through the ABI ends here, as
// XPOSE_FAILED or, where memory ran out, XPOSE_NO_MEMORY.
template <class Call>
CallResult call_plugin(const Call& call) {
  char text[512];
  text[0] = '\0';
  try {
    const xpose_status status = call(xpose_text{static_cast<char*>(text), sizeof text});
    if (status == XPOSE_OK) return {};
    text[sizeof text - 1] = '\0';
    return {status, text[0] == '\0' ? "gave no reason" : one_line(static_cast<const char*>(text))};
  } catch (const abi::__forced_unwind&) {
    throw;  // the thread is being cancelled
  } catch (const std::bad_alloc& error) {
    return {XPOSE_NO_MEMORY, thrown_words(&error)};
  } catch (const std::exception& error) {
    return {XPOSE_FAILED, thrown_words(&error)};
  } catch (...) {
    return {XPOSE_FAILED, thrown_words()};
  }
}

}  // namespace xpose
