// Python literals as they stand in a .npy header, or in a dtype: strings, integers, True and False,
// tuples, lists and dicts.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace xpose::app {

struct Literal {
  enum class Kind { string, integer, boolean, tuple, list, dict };
  Kind kind = Kind::tuple;
  std::string_view source = {};     // where it stands in the parsed text
  std::string_view text = {};       // string: between its quotes, escapes as written
  std::int64_t number = 0;          // integer; boolean: 0 or 1
  std::vector<Literal> items = {};  // tuple, list; dict: key, value, key, value, ...
};

// The one literal that a text holds, white space around it allowed. The result refers to the text.
// Throws std::runtime_error with the position of what is malformed, for integers beyond 64 bits,
// for nesting deeper than 32 and for anything after the literal. `whose`: the text's name in these
// errors, "the header".
Literal parse_literal(std::string_view text, std::string_view whose);

}  // namespace xpose::app
