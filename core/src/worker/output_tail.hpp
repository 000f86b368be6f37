// The end of what a process wrote, as one line for a report.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace xpose {

class OutputTail {
 public:
  static constexpr std::size_t kLimit = 2048;  // bytes of a line

  void add(std::string_view bytes);

  // Valid UTF-8 of at most `limit` bytes: lines joined by " | ", control characters as spaces, what
  // is no UTF-8 as "?".
  std::string line() const;

 private:
  std::string bytes_;
};

}  // namespace xpose
