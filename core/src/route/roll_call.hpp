// Tells a rank which others are there, which are done, and which is lost: by their messages, and by
// small notices beside these.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "xpose/ranks.hpp"

namespace xpose {

// The transfers of a route, in the ids that wait() returns.
enum class TransferKind : std::uint64_t { notice_in, notice_out, chunk_in, chunk_out };
inline std::uint64_t transfer_id(int rank, TransferKind kind) {
  return static_cast<std::uint64_t>(rank) * 4 + static_cast<std::uint64_t>(kind);
}
inline int rank_of(std::uint64_t id) { return static_cast<int>(id / 4); }
inline TransferKind kind_of(std::uint64_t id) { return static_cast<TransferKind>(id % 4); }

constexpr int kNoticeChannel = 0, kChunkChannel = 1;

// Of the chunks of a route among hosts. Most other routes have another one, so that a chunk of
// other bytes is not received.
inline int chunk_channel(std::uint64_t digest) {
  constexpr std::uint64_t kChannels = 32767 - kChunkChannel;
  return kChunkChannel + 1 + static_cast<int>(digest % kChannels);
}

// Errors of a rank about another: invalid where that has stated another route, failed where it was
// silent for longer than the deadline or has given up.
[[noreturn]] void throw_differs(int rank, int own);
[[noreturn]] void throw_silent(int rank, int ranks, double seconds, bool is_here);
[[noreturn]] void throw_gave_up(int rank, ErrorKind kind, const char* why);

// A rank is never silent for long: it sends a sign of life while it waits and between pieces of
// work. So the lost rank is the silent one, not one that waits for it.
//
// All ranks make a roll call for each run. A run without a long wait sends no sign. Ranks leave it
// when they have all that they wait for, so a notice may meet a later run, or one before its own.
class RollCall {
 public:
  // `digest` is equal on all ranks that have stated the same route.
  RollCall(Ranks& ranks, std::uint64_t digest, double deadline_seconds);

  // Sends a sign to all others where they get no message.
  void begin(bool greets);
  bool is_here(int rank) const { return peer(rank).is_here; }
  // Every other rank has sent a sign or a message of this run, and the own notices have left.
  bool all_are_here() const { return here_ == others_ && open_ == 0; }
  void say_done();
  bool is_done(int rank) const { return peer(rank).is_done; }
  // All others are done, and know that this one is.
  bool all_are_done() const { return done_ == others_ && open_ == 0; }

  // Of a notice that was received or sent. Throws Error invalid where another rank has stated
  // another route, failed where it gave up.
  void ended(std::uint64_t id);
  // Throws Error invalid where it is another digest than the own one.
  void check(int rank, std::uint64_t digest);
  void heard(int rank);  // by a message of this run
  // Sends signs of life where it is time.
  void give_sign();
  // After a wait() of seconds_to_wait() that returned nothing, so that no notice lies unread. Gives
  // a sign at the first time; then throws Error failed where a rank that is waited for, or does
  // not take a notice, is silent for too long.
  void nothing_came(const std::function<bool(int rank)>& is_waited_for);
  double seconds_to_wait() const;

  // Tells all others why this rank gives up, as far as the transport still works.
  void give_up(const std::string& why) noexcept;

 private:
  enum class Kind : std::uint64_t { sign, done, differs, failed };
  struct Notice {
    Kind kind;
    std::uint64_t run, digest;
    std::array<char, 1000> text;  // with a zero at its end
  };
  struct Peer {
    double heard = 0;   // seconds of the ranks' clock
    int open = 0;       // notices that are being sent to it
    double opened = 0;  // when the first of them was
    bool is_here = false, is_done = false;
  };

  Peer& peer(int rank) { return peers_[static_cast<std::size_t>(rank)]; }
  const Peer& peer(int rank) const { return peers_[static_cast<std::size_t>(rank)]; }
  Ranks::Awaited& awaited(int rank) { return ranks_.awaited_[static_cast<std::size_t>(rank)]; }
  template <class Body>
  void for_others(const Body& body) const;
  void send(int rank, Kind kind, const std::string& text = {});
  void receive(int rank);
  void take(int rank);

  Ranks& ranks_;
  std::uint64_t digest_;
  double deadline_;
  std::uint64_t run_;
  int others_, here_ = 0, done_ = 0, open_ = 0;
  double last_sign_ = 0;
  bool has_waited_ = false, has_said_done_ = false, differs_ = false;
  std::vector<Peer> peers_;
};

}  // namespace xpose
