#include "commands/shell_command.hpp"

#include <algorithm>

namespace xpose::app {
namespace {

bool is_control(unsigned char c) { return c < ' ' || c == 0x7f; }

// "$'a\012b'"
std::string escaped(const std::string& word) {
  std::string text = "$'";
  for (const unsigned char c : word)
    if (is_control(c))
      text += {'\\', char('0' + c / 64), char('0' + c / 8 % 8), char('0' + c % 8)};
    else
      text += c == '\'' || c == '\\' ? std::string{'\\', char(c)} : std::string{char(c)};
  return text + '\'';
}

}  // namespace

std::string shell_word(const std::string& word) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,+:@";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  if (std::ranges::any_of(word, is_control)) return escaped(word);
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + '\'';
}

std::string shell_command(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + shell_word(word);
  return text;
}

}  // namespace xpose::app
