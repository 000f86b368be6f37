// One run of a route on one rank: packs, sends, receives and unpacks the messages of an exchange.
// It ends when the own messages have left, those of others are unpacked, and all others have been
// heard.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "route/passages.hpp"
#include "route/roll_call.hpp"
#include "xpose/route.hpp"

namespace xpose {

// Executes a problem on two addresses.
using Move = std::function<void(const Problem& problem, const void* in, void* out)>;

// Bytes that stay on a rank are moved in parts of so many, between which it gives signs of life.
constexpr std::int64_t kMovedAtOnce = std::int64_t{64} << 20;

// The share of a message in the buffers' memory, the same on both of its ranks, and the lines that
// a chunk of so many bytes has. In place the elements that stay may pass through buffers as well.
inline std::int64_t most_chunk_bytes(std::uint64_t memory, const RouteFigures& figures,
                                     bool in_place = false) {
  const auto messages = static_cast<std::uint64_t>(
      std::max<std::int64_t>(figures.most_messages + (in_place ? 1 : 0), 1));
  return static_cast<std::int64_t>(
      std::min<std::uint64_t>(memory / 2 / messages, std::uint64_t{1} << 56));
}
inline std::int64_t lines_in(std::int64_t bytes, std::int64_t line_bytes) {
  return std::max<std::int64_t>(bytes / line_bytes, 1);
}

class RouteRun {
 public:
  struct Setting {
    Ranks& ranks;
    const Exchange& exchange;  // laid out for the rank
    std::uint64_t digest;      // of all that the ranks must have stated alike
    std::int64_t most_chunk_bytes;
    double deadline_seconds;
    const Move& move;
    Passages& passages;  // of earlier runs of the same route, or none
    bool in_place = false;
  };
  // The arrays of the own rank; in place they are one.
  RouteRun(const Setting& setting, const void* in, void* out);

  // Once. `check` is called where the other ranks can be told of its Error.
  RouteReport run(const std::function<void()>& check);

 private:
  void all_of_it(const std::function<void()>& check);
  void make_passages();
  void open_passages();
  void begin_messages();
  Chunks chunks_of(const Message& message, bool is_sent) const;
  const std::vector<Tile>& tiles_of(Passage& passage, bool is_sent) const;
  void pack_and_send(Passage& passage);
  void receive(Passage& passage);
  // Once the chunk has come and its place is free.
  void unpack(Passage& passage);
  void move_kept();
  void transpose_kept(const Message& kept);
  void execute(const std::vector<Tile>& tiles, const std::byte* in, std::byte* out);
  bool is_waited_for(int rank) const;
  // Handles what has ended, or comes to an end within `seconds`.
  void pump(double seconds);
  void handle(std::uint64_t id);
  std::uint64_t chunk_bytes(const Passage& passage) const {
    return passage.chunk_elements() * exchange_.element_bytes();
  }

  Setting setting_;
  Ranks& ranks_;
  const Exchange& exchange_;
  int chunk_channel_;
  RollCall roll_call_;
  const std::byte* in_;
  std::byte* out_;
  Passages::ByRank &outgoing_, &incoming_;
  std::size_t open_ = 0;  // of both, that are not over
  RouteReport report_;
};

}  // namespace xpose
