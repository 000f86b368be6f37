// A name in place of a misspelt one, for messages of the library and of the command.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace xpose::detail {

// Letters to insert, drop or replace, and neighbours to swap: the optimal string alignment
// distance, by https://en.wikipedia.org/wiki/Damerau-Levenshtein_distance.
inline std::size_t letters_apart(std::string_view one, std::string_view other) {
  std::vector<std::size_t> before(other.size() + 1), row(before), next(before);
  for (std::size_t j = 0; j <= other.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= one.size(); ++i) {
    next[0] = i;
    for (std::size_t j = 1; j <= other.size(); ++j) {
      const std::size_t replaced = row[j - 1] + (one[i - 1] == other[j - 1] ? 0 : 1);
      next[j] = std::min({replaced, row[j] + 1, next[j - 1] + 1});
      if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1])
        next[j] = std::min(next[j], before[j - 2] + 1);
    }
    std::swap(before, row);
    std::swap(row, next);
  }
  return row.back();
}

// "; the nearest name is 'tune'" for 'tuen': the first of the nearest names. "" where one is the
// name, or all differ in more than one letter and in more than a quarter of the letters.
template <class Names>
std::string name_hint(std::string_view name, const Names& names) {
  constexpr std::size_t kLongest = 256;  // no name is, so a longer one is not compared
  if (name.size() > kLongest) return {};
  std::size_t least = std::max<std::size_t>(1, name.size() / 4) + 1;
  std::string nearest;
  for (const auto& offered : names)
    if (const std::size_t apart = letters_apart(name, offered); apart < least) {
      if (apart == 0) return {};
      least = apart;
      nearest = offered;
    }
  return nearest.empty() ? "" : "; the nearest name is '" + nearest + '\'';
}

}  // namespace xpose::detail
