#include "c_api/status.hpp"

#include <array>
#include <cstring>
#include <new>
#include <string>

#include "xpose/xpose.hpp"

namespace xpose::c_api {
namespace {

// Longer than every text of the library. Not a string: memory may be what ran out.
thread_local std::array<char, 4096> last_error{};

void keep(const char* text) noexcept {
  std::size_t length = text == nullptr ? 0 : std::strlen(text);
  if (length >= last_error.size()) {
    length = last_error.size() - 1;
    const auto continues = [&] {
      return (static_cast<unsigned char>(text[length]) & 0xc0U) == 0x80U;
    };
    while (length > 0 && continues()) --length;  // whole characters of UTF-8
  }
  if (length > 0) std::memcpy(last_error.data(), text, length);
  last_error[length] = '\0';
}

xpose_status_t status_of(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::invalid:
      return XPOSE_STATUS_INVALID;
    case ErrorKind::no_strategy:
      return XPOSE_STATUS_NO_STRATEGY;
    case ErrorKind::device:
      return XPOSE_STATUS_DEVICE;
    case ErrorKind::no_memory:
      return XPOSE_STATUS_NO_MEMORY;
    case ErrorKind::wrong:
      return XPOSE_STATUS_WRONG;
    case ErrorKind::failed:
      return XPOSE_STATUS_FAILED;
  }
  return XPOSE_STATUS_FAILED;
}

}  // namespace

xpose_status_t caught() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    keep(error.what());
    return status_of(error.kind());
  } catch (const std::bad_alloc&) {
    keep("the host has no memory left; end other programs, or move less at a time");
    return XPOSE_STATUS_NO_MEMORY;
  } catch (const std::exception& error) {
    keep(error.what());
    return XPOSE_STATUS_FAILED;
  } catch (...) {
    keep("an exception of unknown type was thrown");
    return XPOSE_STATUS_FAILED;
  }
}

}  // namespace xpose::c_api

using namespace xpose;

uint32_t xpose_c_version() { return XPOSE_C_VERSION; }

const char* xpose_version() { return version(); }

const char* xpose_last_error() { return c_api::last_error.data(); }

const char* xpose_status_text(xpose_status_t status) {
  switch (status) {
    case XPOSE_STATUS_OK:
      return "no error";
    case XPOSE_STATUS_INVALID:
      return "the problem or the call is malformed";
    case XPOSE_STATUS_NO_STRATEGY:
      return "no strategy serves the problem";
    case XPOSE_STATUS_DEVICE:
      return "a device is missing or reported an error";
    case XPOSE_STATUS_NO_MEMORY:
      return "host or device memory ran out";
    case XPOSE_STATUS_WRONG:
      return "every strategy for the problem failed verification";
    case XPOSE_STATUS_FAILED:
      return "a file, a process or a thread failed";
    default:
      return "unknown status";
  }
}

void xpose_text_free(char* text) { delete[] text; }
