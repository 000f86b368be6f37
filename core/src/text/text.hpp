// Texts of others, character by character.
#pragma once

#include <string_view>

namespace xpose {

// Takes the first character off a text that is not empty, and says what a terminal may show of it:
// itself; " " for a control character; "\n" where a line ends; "?" for a byte that is no UTF-8, and
// for a mark that turns the direction of what follows.
std::string_view take_character(std::string_view& rest);

}  // namespace xpose
