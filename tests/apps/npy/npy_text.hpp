// Files of the .npy format, made of the text of their headers.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace xpose::app {

inline std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// A file of one version around a header text.
inline std::string file_of(char major, const std::string& text) {
  std::string file = std::string("\x93NUMPY") + major + '\0';
  for (std::size_t i = 0; i < (major == 1 ? 2 : 4); ++i)
    file += static_cast<char>((text.size() >> (8 * i)) & 0xFF);
  return file + text;
}

inline std::string dict_of(const std::string& descr, const std::string& shape = "(2, 3)") {
  return "{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + ", }";
}

}  // namespace xpose::app
