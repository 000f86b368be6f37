#include "worker/output_tail.hpp"

#include <algorithm>

#include "text/text.hpp"

namespace xpose {
namespace {

constexpr std::string_view kSeparator = " | ";

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

// The last bytes, beginning with a whole character.
std::string_view tail(std::string_view text) {
  if (text.size() <= OutputTail::kLimit) return text;
  text.remove_prefix(text.size() - OutputTail::kLimit);
  for (int i = 0; i < 3 && !text.empty() && continues(text[0]); ++i) text.remove_prefix(1);
  return text;
}

}  // namespace

void OutputTail::add(std::string_view bytes) {
  constexpr std::size_t kKept =
      2 * kLimit;  // more than a line, so that tail() finds where to begin
  bytes_ += bytes.substr(bytes.size() - std::min(bytes.size(), kKept));
  if (bytes_.size() > 2 * kKept) bytes_.erase(0, bytes_.size() - kKept);
}

std::string OutputTail::line() const {
  std::string line;
  std::string_view between;  // what stands between the last visible character and the next
  for (std::string_view rest = tail(bytes_); !rest.empty();) {
    const std::string_view character = take_character(rest);
    if (character == "\n") {
      between = kSeparator;
    } else if (character == " ") {
      if (between.empty()) between = " ";
    } else {
      if (!line.empty()) line += between;
      line += character;
      between = {};
    }
  }
  return std::string(tail(line));
}

}  // namespace xpose
