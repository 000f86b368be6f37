#include "output/screen.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

namespace xpose::app {
namespace {

constexpr std::size_t kUsualWidth = 80;
constexpr std::size_t kLeastWidth = 40;

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

std::size_t window_of(int descriptor) {
  winsize window{};
  return ioctl(descriptor, TIOCGWINSZ, &window) == 0 ? window.ws_col : 0;
}

void wrap_line(std::string_view rest, std::size_t width, LongWords long_words,
               std::vector<std::string>& lines) {
  if (width_of(rest) > width) rest = rest.substr(0, rest.find_last_not_of(' ') + 1);
  while (width_of(rest) > width) {
    const std::string_view head =
        head_of(rest, width + 1);  // a space may follow the text that fits
    std::size_t end = head.find_last_of(' ');
    const bool has_word = end != std::string_view::npos &&
                          rest.substr(0, end).find_first_not_of(' ') != std::string_view::npos;
    if (!has_word && long_words == LongWords::split)
      end = head_of(rest, std::max<std::size_t>(width, 1)).size();
    else if (!has_word)
      end = rest.find(' ', std::min(rest.find_first_not_of(' '), rest.size()));
    if (end >= rest.size()) break;
    std::string_view line = rest.substr(0, end);
    line = line.substr(0, line.find_last_not_of(' ') + 1);
    lines.emplace_back(line);
    rest.remove_prefix(end);
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  }
  lines.emplace_back(rest);
}

}  // namespace

Screen screen_of(int descriptor) {
  if (isatty(descriptor) == 0) return {};
  return {terminal_width(std::getenv("COLUMNS"), window_of(descriptor)),
          allows_escapes(std::getenv("TERM"), std::getenv("NO_COLOR"))};
}

std::size_t terminal_width(const char* columns, std::size_t window) {
  std::size_t width = 0;
  if (columns != nullptr) {
    const char* end = columns + std::strlen(columns);
    if (const auto [last, error] = std::from_chars(columns, end, width);
        error != std::errc() || last != end)
      width = 0;
  }
  if (width == 0) width = window;
  return width == 0 ? kUsualWidth : std::max(width, kLeastWidth);
}

bool allows_escapes(const char* term, const char* no_color) {
  return (term == nullptr || std::string_view(term) != "dumb") &&
         (no_color == nullptr || *no_color == '\0');
}

std::size_t width_of(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, continues_character));
}

std::string_view head_of(std::string_view text, std::size_t width) {
  std::size_t end = 0;
  for (; end < text.size(); ++end)
    if (!continues_character(text[end]) && width-- == 0) break;
  return text.substr(0, end);
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width, LongWords long_words) {
  std::vector<std::string> lines;
  while (true) {
    const std::size_t end = text.find('\n');
    wrap_line(text.substr(0, end), width, long_words, lines);
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

std::string wrapped_text(std::string_view text, std::size_t width, std::size_t indent) {
  // The first line is as narrow as the others: the text before it takes the indent's place.
  const auto lines = wrapped(text, width == kNoLimit ? width : width - indent);
  std::string result = lines.front();
  for (std::size_t i = 1; i < lines.size(); ++i)
    result += '\n' + (lines[i].empty() ? "" : std::string(indent, ' ') + lines[i]);
  return result;
}

}  // namespace xpose::app
