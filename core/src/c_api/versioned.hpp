// Structs of callers that were built for another version of xpose.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "xpose/problem.hpp"

namespace xpose::c_api {

// The longest struct that is believed: a larger size was never set.
inline constexpr std::uint32_t kMostBytes = 4096;

// This version's struct, of one that begins with its size; all zero for null. `name` is its type's.
// Throws Error invalid for a size that was not set, and for a field that is unknown here and is not
// zero.
template <class Struct>
Struct versioned(const Struct* given, const char* name) {
  Struct known{};
  known.size = sizeof known;
  if (given == nullptr) return known;
  const std::uint32_t bytes = given->size;
  if (bytes < 2 * sizeof(std::uint32_t) || bytes > kMostBytes)
    throw Error(ErrorKind::invalid, std::string(name) + "::size is " + std::to_string(bytes) +
                                        "; set it to sizeof(" + name + ")");
  const auto* const from = reinterpret_cast<const char*>(given);
  if (std::any_of(from + std::min<std::size_t>(bytes, sizeof known), from + bytes,
                  [](char byte) { return byte != 0; }))
    throw Error(ErrorKind::invalid, std::string("a field of ") + name +
                                        " is unknown to this version of the library; leave it "
                                        "zero, or use a newer library");
  std::memcpy(&known, from, std::min<std::size_t>(bytes, sizeof known));
  known.size = sizeof known;
  return known;
}

}  // namespace xpose::c_api
