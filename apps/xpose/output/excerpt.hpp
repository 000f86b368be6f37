// A part of a foreign text, for a message.
#pragma once

#include <string>
#include <string_view>

namespace xpose::app {

// At most 60 bytes of a text, in whole characters. Control characters are escaped, as in C; a byte
// that is no UTF-8 becomes '?', and so does a mark that turns the direction of what follows.
std::string excerpt(std::string_view text);

}  // namespace xpose::app
