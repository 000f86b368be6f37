// Messages between device memory and a carrier that knows host memory alone. They pass through
// pinned memory in pieces, two of each message at once: one is copied while another is on its way.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "device/device.hpp"
#include "xpose/ranks.hpp"

namespace xpose {

class Staging {
 public:
  // Both ends of a message state the same `piece_bytes`.
  Staging(Ranks& carrier, Backend& backend, std::uint64_t piece_bytes);
  ~Staging();
  Staging(const Staging&) = delete;  // owns its streams
  Staging& operator=(const Staging&) = delete;

  // Begins transfers, after the work that is on `stream`. Those before are over.
  void begin(const std::vector<DeviceRanks::Transfer>& sends,
             const std::vector<DeviceRanks::Transfer>& receives, void* stream);
  bool is_over() const { return open_ == 0; }
  bool copies() const { return copying_ > 0; }
  // Goes on with copies that have ended.
  void look_after_copies();
  // Of a piece that was sent or has arrived, by the id that wait() of the carrier returned.
  void ended(std::uint64_t id);
  void wait_for_copies() noexcept;

 private:
  enum class State { is_free, is_copied, is_on_its_way };
  struct Slot {
    State state = State::is_free;
    std::shared_ptr<std::byte[]> pinned;
    std::uint64_t capacity = 0;  // of it
    void* stream = nullptr;
    std::byte* memory = nullptr;  // of the piece, on the device
    std::uint64_t bytes = 0;
  };
  struct Rest {
    std::byte* memory;
    std::uint64_t bytes;
  };
  // The messages between this rank and another in one direction, whose pieces take slots in turn.
  struct Lane {
    std::array<Slot, 2> slots;
    std::deque<Rest> rest = {};       // that has had no slot yet
    std::size_t begun = 0, sent = 0;  // pieces
    bool is_open = false;
  };
  using Key = std::pair<int, bool>;  // rank; is it sent

  void open(const DeviceRanks::Transfer& transfer, bool is_sent, void* stream);
  void make(Slot& slot, std::uint64_t bytes) const;
  void begin_pieces(const Key& key, Lane& lane);
  void begin_copy(Slot& slot, void* to, const void* from);
  bool has_been_copied(Slot& slot);

  Ranks& carrier_;
  Backend& backend_;
  std::uint64_t piece_bytes_;
  std::map<Key, Lane> lanes_;
  std::size_t open_ = 0;     // lanes
  std::size_t copying_ = 0;  // slots
};

// The ids of what carried ranks send and receive: those of a roll call, and pieces.
constexpr int kShiftOfPiece = 40;
constexpr std::uint64_t kIdsOfRollCall = (std::uint64_t{1} << kShiftOfPiece) - 1;
enum class PieceKind : std::uint64_t { none, slot_0, slot_1, notice, direct };
inline std::uint64_t piece_id(std::uint64_t transfer, PieceKind kind) {
  return transfer | static_cast<std::uint64_t>(kind) << kShiftOfPiece;
}
inline PieceKind slot_kind(std::size_t number) {
  return number == 0 ? PieceKind::slot_0 : PieceKind::slot_1;
}
inline PieceKind piece_kind_of(std::uint64_t id) {
  return static_cast<PieceKind>(id >> kShiftOfPiece);
}

}  // namespace xpose
