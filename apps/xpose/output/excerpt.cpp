#include "output/excerpt.hpp"

#include <algorithm>

namespace xpose::app {

std::string excerpt(std::string_view text) {
  constexpr std::size_t kMax = 60;
  std::string result(text.substr(0, text.size() > kMax ? kMax - 3 : kMax));
  std::ranges::replace_if(
      result, [](char c) { return c < ' ' || c > '~'; }, '?');
  return text.size() > kMax ? result + "..." : result;
}

}  // namespace xpose::app
