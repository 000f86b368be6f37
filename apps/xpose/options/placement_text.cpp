#include "options/placement_text.hpp"

#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "options/options.hpp"

namespace xpose::app {
namespace {

constexpr std::int64_t kMostRanks = std::int64_t{1} << 20;

std::optional<std::int64_t> number(std::string_view text, std::int64_t least, std::int64_t most) {
  std::int64_t found = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), found);
  if (error != std::errc() || end != text.data() + text.size() || text.empty() || found < least ||
      found > most)
    return std::nullopt;
  return found;
}

using Pair = std::pair<std::int64_t, std::int64_t>;

std::optional<Pair> pair_of(std::string_view text, std::int64_t most) {
  const std::size_t cross = text.find('x');
  if (cross == text.npos) return std::nullopt;
  const auto one = number(text.substr(0, cross), 1, most);
  const auto other = number(text.substr(cross + 1), 1, most);
  return one && other ? std::optional(Pair(*one, *other)) : std::nullopt;
}

// Blocks over a grid.
std::optional<BlockCyclic> descriptor_of(std::string_view text) {
  BlockCyclic descriptor;
  if (text.ends_with(":col")) {
    descriptor.grid = Order::column_major;
    text.remove_suffix(4);
  }
  const std::size_t colon = text.find(':');
  if (colon == text.npos) return std::nullopt;
  const auto block = pair_of(text.substr(0, colon), std::numeric_limits<std::int64_t>::max());
  const auto grid = pair_of(text.substr(colon + 1), kMostRanks);
  if (!block || !grid || grid->first * grid->second > kMostRanks) return std::nullopt;
  descriptor.mb = block->first;
  descriptor.nb = block->second;
  descriptor.nprow = static_cast<int>(grid->first);
  descriptor.npcol = static_cast<int>(grid->second);
  return descriptor;
}

}  // namespace

Placement parse_placement(const std::string& option, const std::string& text, std::int64_t rows,
                          std::int64_t cols, std::uint32_t element_bytes) {
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  const std::string_view rest =
      colon == text.npos ? std::string_view() : std::string_view(text).substr(colon + 1);
  if (kind == "rows" || kind == "cols")
    if (const auto ranks = number(rest, 1, kMostRanks))
      return (kind == "rows" ? row_slabs : column_slabs)(rows, cols, element_bytes,
                                                         static_cast<int>(*ranks));
  if (kind == "rank")
    if (const auto rank = number(rest, 0, kMostRanks - 1))
      return on_one_rank(rows, cols, element_bytes, static_cast<int>(*rank));
  if (auto descriptor = descriptor_of(text)) {
    descriptor->m = rows;
    descriptor->n = cols;
    return block_cyclic(*descriptor, element_bytes);
  }
  throw UsageError("--" + option + " '" + text +
                   "' is no placement: give rows:64 or cols:64 for slabs on 64 ranks, rank:0 for "
                   "all on one, or 128x128:8x8 for blocks of 128x128 over a grid of 8x8 ranks; "
                   "2^20 ranks are the most");
}

}  // namespace xpose::app
