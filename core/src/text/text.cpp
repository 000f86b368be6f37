#include "text/text.hpp"

#include <algorithm>
#include <string>

#include "xpose/xpose.hpp"

namespace xpose {
namespace {

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

// Of a whole character.
char32_t code_of(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first;
  char32_t code = first & (0x7fU >> character.size());
  for (const char byte : character.substr(1))
    code = code << 6 | (static_cast<unsigned char>(byte) & 0x3fU);
  return code;
}

bool is_control(char32_t code) { return code < 0x20 || (code >= 0x7f && code < 0xa0); }

bool ends_line(char32_t code) {
  return code == '\n' || code == '\r' || code == 0x2028 || code == 0x2029;
}

bool turns_direction(char32_t code) {
  return code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x206f);
}

}  // namespace

std::string_view take_character(std::string_view& rest) {
  const std::size_t bytes = character_bytes(rest);
  const std::string_view character = rest.substr(0, std::max<std::size_t>(bytes, 1));
  rest.remove_prefix(character.size());
  if (bytes == 0) return "?";
  const char32_t code = code_of(character);
  if (ends_line(code)) return "\n";
  if (is_control(code)) return " ";
  return turns_direction(code) ? "?" : character;
}

std::string one_line(std::string_view text, std::size_t limit) {
  constexpr std::string_view kCut = "...";
  std::string line;
  std::size_t fits = 0;  // bytes of the line that leave room for the mark of a cut
  while (!text.empty()) {
    const std::string_view character = take_character(text);
    if (line.size() + character.size() > limit) return line.substr(0, fits).append(kCut);
    line += character == "\n" ? " " : character;
    if (line.size() + kCut.size() <= limit) fits = line.size();
  }
  return line;
}

}  // namespace xpose
