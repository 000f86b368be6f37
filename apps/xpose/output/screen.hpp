// The screen that text is laid out for: its width, whether it takes escapes, and lines that break
// at words. Widths are in columns; a character of UTF-8 takes one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace xpose::app {

constexpr std::size_t kNoLimit = static_cast<std::size_t>(-1);

struct Screen {
  std::size_t width = kNoLimit;  // of a line
  bool bold = false;             // whether text may be emphasised by escapes
};

// The screen behind a descriptor. One that is no terminal has no limit: programs read whole lines.
Screen screen_of(int descriptor);

// The width of a terminal: $COLUMNS where that is a number above 0, else the terminal's own,
// else 80. At least 40.
std::size_t terminal_width(const char* columns, std::size_t window);

// Whether a terminal takes escapes, by $TERM and $NO_COLOR.
bool allows_escapes(const char* term, const char* no_color);

std::size_t width_of(std::string_view text);
std::string_view head_of(std::string_view text, std::size_t width);  // whole characters

// The lines of a text, broken at its line ends and at spaces. A word wider than that is a line of
// its own, whole, unless it is to be split.
enum class LongWords { whole, split };
std::vector<std::string> wrapped(std::string_view text, std::size_t width,
                                 LongWords long_words = LongWords::whole);

// The same as one text without a last line end; lines but the first begin with `indent` spaces.
std::string wrapped_text(std::string_view text, std::size_t width, std::size_t indent = 0);

}  // namespace xpose::app
