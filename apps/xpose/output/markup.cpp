#include "output/markup.hpp"

#include "xpose/xpose.hpp"

namespace xpose::app {
namespace {

// The last two code points of the first plane are valid UTF-8, but no characters of XML.
bool is_noncharacter(std::string_view text) {
  return text.starts_with("\xEF\xBF\xBE") || text.starts_with("\xEF\xBF\xBF");
}

}  // namespace

std::string xml_text(std::string_view text) {
  const std::string line = one_line(text, text.size() + 3);
  std::string safe;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '&')
      safe += "&amp;";
    else if (c == '"')
      safe += "&quot;";
    else if (is_noncharacter(std::string_view(line).substr(i))) {
      safe += '?';
      i += 2;
    } else
      safe += c;
  }
  return safe;
}

std::string markdown_text(std::string_view text) {
  constexpr std::string_view kMarkup = R"(\`*_[]<>|&~$#@!)";
  const std::string line = one_line(text, text.size() + 3);
  std::string safe;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool begins_address = line.compare(i, 2, ":/") == 0;
    if (begins_address || kMarkup.find(line[i]) != std::string_view::npos) safe += '\\';
    safe += line[i];
  }
  return safe;
}

std::string markdown_code(std::string_view text) {
  const std::string line = one_line(text, text.size() + 3);
  if (line.empty() || line.find_first_of("`|\\") != std::string::npos) return markdown_text(line);
  return '`' + line + '`';
}

}  // namespace xpose::app
