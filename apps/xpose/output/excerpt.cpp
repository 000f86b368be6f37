#include "output/excerpt.hpp"

#include "xpose/xpose.hpp"

namespace xpose::app {
namespace {

std::string escaped(char control) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  switch (control) {
    case '\t':
      return "\\t";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    default:
      const auto code = static_cast<unsigned char>(control);
      return {'\\', 'x', kDigits[code / 16], kDigits[code % 16]};
  }
}

}  // namespace

std::string excerpt(std::string_view text) {
  constexpr std::size_t kMax = 60;
  std::string shown;
  for (const char c : text.substr(0, kMax + 1))
    if (const auto code = static_cast<unsigned char>(c); code < ' ' || code == 0x7f)
      shown += escaped(c);
    else
      shown += c;
  return one_line(shown, kMax);
}

}  // namespace xpose::app
