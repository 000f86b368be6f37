// Tells a rank which others are there, which are done, and which is lost: by small notices that
// every rank sends to every other beside its messages.
#pragma once

#include <array>
#include <cstdint>
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

// Errors of a rank about another: invalid where that has stated another route, failed where it was
// silent for longer than the deadline or has given up.
[[noreturn]] void throw_differs(int rank, int own);
[[noreturn]] void throw_silent(int rank, int ranks, double seconds, bool is_here);
[[noreturn]] void throw_gave_up(int rank, ErrorKind kind, const char* why);

// A rank is never silent for long: it sends a sign of life while it waits and between pieces of
// work. So the lost rank is the silent one, not one that waits for it.
class RollCall {
 public:
  // `digest` is equal on all ranks that have stated the same route.
  RollCall(Ranks& ranks, std::uint64_t digest, double deadline_seconds);

  void begin();  // greets all others
  bool all_are_here() const { return here_ == others_; }
  void say_done();
  // All others are done, and know that this one is.
  bool all_are_done() const { return done_ == others_ && open_ == 0; }

  // Of a notice that was received or sent. Throws Error invalid where another rank has stated
  // another route, failed where it gave up.
  void ended(std::uint64_t id);
  void heard(int rank) { peer(rank).heard = ranks_.seconds(); }
  // Sends signs of life where it is time.
  void give_sign();
  // Throws Error failed where a rank is silent for too long. After a wait() that returned nothing,
  // so that no notice lies unread.
  void check_silence() const;
  double seconds_to_sign() const;

  // Tells all others why this rank gives up, as far as the transport still works.
  void give_up(const std::string& why) noexcept;

 private:
  enum class Kind : std::uint32_t { hello, sign, done, differs, failed };
  struct Notice {
    Kind kind;
    std::uint32_t reserved;
    std::uint64_t digest;
    std::array<char, 1008> text;  // with a zero at its end
  };
  struct Peer {
    double heard = 0;  // seconds of the ranks' clock
    int open = 0;      // notices that are being sent to it
    bool is_here = false, is_done = false;
    std::shared_ptr<std::byte[]> incoming;
  };

  Peer& peer(int rank) { return peers_[static_cast<std::size_t>(rank)]; }
  const Peer& peer(int rank) const { return peers_[static_cast<std::size_t>(rank)]; }
  template <class Body>
  void for_others(const Body& body) const;
  void send(int rank, Kind kind, const std::string& text = {});
  void receive(int rank);
  void take(int rank);

  Ranks& ranks_;
  std::uint64_t digest_;
  double deadline_;
  int others_, here_ = 0, done_ = 0, open_ = 0;
  double last_sign_ = 0;
  bool has_said_done_ = false, differs_ = false;
  std::vector<Peer> peers_;
};

}  // namespace xpose
