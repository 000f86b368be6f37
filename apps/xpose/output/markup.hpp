// Foreign text inside documents: names of plugins, devices and files, and the words of errors.
// Each function makes one line of it and removes control characters.
#pragma once

#include <string>
#include <string_view>

namespace xpose::app {

// Text of an XML or HTML document, also inside an attribute's double quotes.
std::string xml_text(std::string_view text);

// Text of a Markdown document or of a cell of its tables: no character starts markup or a link.
std::string markdown_text(std::string_view text);

// The same as a code span where the text allows one, else as markdown_text().
std::string markdown_code(std::string_view text);

}  // namespace xpose::app
