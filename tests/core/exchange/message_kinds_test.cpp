// Kinds and their numbers against every message by itself.
#include "exchange/message_kinds.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>

#include "../route/scattered.hpp"

namespace xpose {
namespace {

// Elements of a line, lines, and the problems of packing, unpacking and moving along both axes.
using Traits = std::array<std::int64_t, 8>;

struct Ends {
  std::int64_t inside = 0, between = 0;
  bool operator==(const Ends&) const = default;
};
using Numbers = std::map<Traits, Ends>;

Traits traits_of(const Message& message) {
  Traits traits{message.line(), message.lines()};
  std::size_t next = 2;
  for (const auto& [in, out] : {std::pair{Place::from, Place::packed},
                                {Place::packed, Place::to},
                                {Place::from, Place::to}})
    for (const int axis : {message.fast, 1 - message.fast}) {
      const SharedIndices& shared = *message.shared[static_cast<std::size_t>(axis)];
      traits[next++] = static_cast<std::int64_t>(runs(shared, in, out).size());
    }
  return traits;
}

Traits traits_of(const MessageKind& kind) {
  return {kind.line,           kind.lines,           kind.packing.along,
          kind.packing.across, kind.unpacking.along, kind.unpacking.across,
          kind.moving.along,   kind.moving.across};
}

Numbers numbers_of(const std::vector<Message>& messages, int rank, int per_host) {
  Numbers all;
  for (const Message& message : messages) {
    Ends& ends = all[traits_of(message)];
    ++(message.rank / per_host == rank / per_host ? ends.inside : ends.between);
  }
  return all;
}

Numbers numbers_of(const std::vector<MessageKinds::Number>& numbers, const MessageKinds& kinds) {
  Numbers all;
  for (const auto& [kind, inside, between] : numbers) {
    Ends& ends = all[traits_of(kinds.at(kind))];
    ends.inside += inside;
    ends.between += between;
  }
  return all;
}

TEST(MessageKindsTest, TheyAreAllMessagesOfRandomLayouts) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Draw draw(seed);
    const auto ranks = static_cast<int>(draw.number(1, 16));
    const auto per_host = static_cast<int>(draw.number(1, 17));
    const bool transpose = draw.coin();
    const std::int64_t rows = draw.number(0, 80), cols = draw.number(0, 80);
    Placement from = draw.placement(rows, cols, 4, ranks);
    Placement to =
        transpose ? draw.placement(cols, rows, 4, ranks) : draw.placement(rows, cols, 4, ranks);
    // As they are mostly: in the order of the cells.
    if (draw.coin()) std::ranges::sort(from.ranks);
    if (draw.coin()) std::ranges::sort(to.ranks);
    const Exchange exchange(from, to, transpose);
    const MessageKinds kinds(exchange);
    for (int rank = 0; rank < exchange.ranks(); ++rank) {
      const int first = rank / per_host * per_host;
      const auto host = kinds.host(first, std::min(first + per_host, exchange.ranks()));
      ASSERT_EQ(numbers_of(kinds.sends(rank, host), kinds),
                numbers_of(exchange.sends(rank), rank, per_host))
          << seed;
      ASSERT_EQ(numbers_of(kinds.receives(rank, host), kinds),
                numbers_of(exchange.receives(rank), rank, per_host))
          << seed;
      const auto own = kinds.kept(rank);
      const auto kept = exchange.kept(rank);
      ASSERT_EQ(own.has_value(), kept.has_value()) << seed;
      if (kept) {
        ASSERT_EQ(traits_of(kinds.at(*own)), traits_of(*kept)) << seed;
      }
    }
  }
}

}  // namespace
}  // namespace xpose
