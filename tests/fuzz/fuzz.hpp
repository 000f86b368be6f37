// A fuzz target: a function of any bytes that returns, or ends the process where a property fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace xpose::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// A property that must hold for every input.
inline void require(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", property);
  std::abort();
}

// Of a message for people: one line, that says something, and cannot steer a terminal.
inline void require_sentence(std::string_view message) {
  require(!message.empty(), "an error says what is wrong");
  require(message.size() < 1000, "an error is short");
  for (const char c : message)
    require(static_cast<unsigned char>(c) >= ' ' && c != 0x7f, "an error has no control character");
}

}  // namespace xpose::fuzz
