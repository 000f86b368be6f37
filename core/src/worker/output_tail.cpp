#include "worker/output_tail.hpp"

#include <algorithm>

namespace xpose {
namespace {

constexpr std::string_view separator = " | ";

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

// Bytes of the character that the text begins with, by table 3-7 of the Unicode standard; 0: none.
std::size_t character_bytes(std::string_view text) {
  const auto at = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const unsigned first = at(0), second = at(1);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const unsigned least = first == 0xe0   ? 0xa0
                         : first == 0xf0 ? 0x90
                                         : 0x80;                             // else too long a form
  const unsigned most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;  // surrogates, the end
  if (second < least || second > most) return 0;
  const std::size_t bytes = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  for (std::size_t i = 2; i < bytes; ++i)
    if (i >= text.size() || !continues(text[i])) return 0;
  return bytes;
}

bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7f;
  return first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;
}

// The last bytes, beginning with a whole character.
std::string_view tail(std::string_view text) {
  if (text.size() <= OutputTail::limit) return text;
  text.remove_prefix(text.size() - OutputTail::limit);
  for (int i = 0; i < 3 && !text.empty() && continues(text[0]); ++i) text.remove_prefix(1);
  return text;
}

}  // namespace

void OutputTail::add(std::string_view bytes) {
  constexpr std::size_t kept = 2 * limit;  // more than a line, so that tail() finds where to begin
  bytes_ += bytes.substr(bytes.size() - std::min(bytes.size(), kept));
  if (bytes_.size() > 2 * kept) bytes_.erase(0, bytes_.size() - kept);
}

std::string OutputTail::line() const {
  std::string line;
  std::string_view between;  // what stands between the last visible character and the next
  for (std::string_view rest = tail(bytes_); !rest.empty();) {
    const std::size_t bytes = character_bytes(rest);
    const std::string_view character = bytes == 0 ? "?" : rest.substr(0, bytes);
    rest.remove_prefix(std::max<std::size_t>(bytes, 1));
    if (character == "\n" || character == "\r") {
      between = separator;
    } else if (character == " " || is_control(character)) {
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
