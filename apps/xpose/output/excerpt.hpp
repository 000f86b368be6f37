// A part of a foreign text, for a message.
#pragma once

#include <string>
#include <string_view>

namespace xpose::app {

// At most 60 characters of a text. A character that is not printable ASCII becomes '?'.
std::string excerpt(std::string_view text);

}  // namespace xpose::app
