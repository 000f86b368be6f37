// A call through the plugin ABI.
#pragma once

#include <cxxabi.h>

#include <exception>
#include <string>

#include "xpose/plugin.h"
#include "xpose/xpose.hpp"

namespace xpose {

struct CallResult {
  xpose_status status = XPOSE_OK;
  std::string words;  // where status is not XPOSE_OK: the plugin's text, or "gave no reason"
};

// call(xpose_text) -> xpose_status. An exception that comes through the ABI ends here, as
// XPOSE_FAILED.
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
  } catch (const std::exception& error) {
    return {XPOSE_FAILED, "threw an exception through the ABI: " + one_line(error.what())};
  } catch (...) {
    return {XPOSE_FAILED, "threw an exception through the ABI"};
  }
}

}  // namespace xpose
