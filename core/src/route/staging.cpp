#include "route/staging.hpp"

#include <algorithm>

#include "route/roll_call.hpp"

namespace xpose {

Staging::Staging(Ranks& carrier, Backend& backend, std::uint64_t piece_bytes)
    : carrier_(carrier), backend_(backend), piece_bytes_(piece_bytes) {}

Staging::~Staging() {
  wait_for_copies();
  for (auto& [key, lane] : lanes_)
    for (Slot& slot : lane.slots)
      if (slot.stream != nullptr) backend_.release_stream(slot.stream);
}

// Each rank has lanes of its own to every other, so that no message waits for one of a third rank.
void Staging::begin(const std::vector<DeviceRanks::Transfer>& sends,
                    const std::vector<DeviceRanks::Transfer>& receives, void* stream) {
  for (const DeviceRanks::Transfer& wanted : receives) open(wanted, false, stream);
  for (const DeviceRanks::Transfer& sent : sends) open(sent, true, stream);
  for (auto& [key, lane] : lanes_)
    if (lane.is_open) begin_pieces(key, lane);
}

void Staging::open(const DeviceRanks::Transfer& transfer, bool is_sent, void* stream) {
  if (transfer.bytes == 0) return;
  Lane& lane = lanes_[{transfer.rank, is_sent}];
  lane.rest.push_back({static_cast<std::byte*>(transfer.data), transfer.bytes});
  for (Slot& slot : lane.slots) {
    make(slot, std::min(piece_bytes_, transfer.bytes));
    backend_.follow(slot.stream, stream);
  }
  if (!lane.is_open) ++open_;
  lane.is_open = true;
}

void Staging::make(Slot& slot, std::uint64_t bytes) const {
  if (slot.stream == nullptr) {
    backend_.make_current();
    slot.stream = backend_.make_stream();
  }
  if (slot.capacity >= bytes) return;
  slot.pinned = nullptr;
  slot.pinned = {static_cast<std::byte*>(backend_.allocate_pinned(bytes)),
                 [&owner = backend_](std::byte* memory) { owner.release_pinned(memory); }};
  slot.capacity = bytes;
}

void Staging::begin_pieces(const Key& key, Lane& lane) {
  const auto [rank, is_sent] = key;
  while (!lane.rest.empty() && lane.slots[lane.begun % 2].state == State::is_free) {
    const std::size_t number = lane.begun++ % 2;
    Slot& slot = lane.slots[number];
    Rest& rest = lane.rest.front();
    slot.memory = rest.memory;
    slot.bytes = std::min(piece_bytes_, rest.bytes);
    rest.memory += slot.bytes;
    rest.bytes -= slot.bytes;
    if (rest.bytes == 0) lane.rest.pop_front();
    if (is_sent) {
      begin_copy(slot, slot.pinned.get(), slot.memory);
    } else {
      slot.state = State::is_on_its_way;
      carrier_.receive(rank, kChunkChannel, slot.pinned, slot.bytes,
                       piece_id(transfer_id(rank, TransferKind::chunk_in), slot_kind(number)));
    }
  }
  const auto is_free = [](const Slot& slot) { return slot.state == State::is_free; };
  if (!lane.is_open || !lane.rest.empty() || !std::ranges::all_of(lane.slots, is_free)) return;
  lane.is_open = false;
  --open_;
}

void Staging::begin_copy(Slot& slot, void* to, const void* from) {
  backend_.copy(to, from, slot.bytes, slot.stream);
  slot.state = State::is_copied;
  ++copying_;
}

bool Staging::has_been_copied(Slot& slot) {
  if (slot.state != State::is_copied || !backend_.has_ended(slot.stream)) return false;
  slot.state = State::is_free;
  --copying_;
  return true;
}

// Pieces are sent in their order, whichever copy ends first.
void Staging::look_after_copies() {
  if (copying_ == 0) return;
  for (auto& [key, lane] : lanes_) {
    if (!lane.is_open) continue;
    const auto [rank, is_sent] = key;
    if (!is_sent)
      for (Slot& slot : lane.slots) has_been_copied(slot);
    while (is_sent && lane.sent < lane.begun && has_been_copied(lane.slots[lane.sent % 2])) {
      const std::size_t number = lane.sent++ % 2;
      Slot& slot = lane.slots[number];
      slot.state = State::is_on_its_way;
      carrier_.send(rank, kChunkChannel, slot.pinned, slot.bytes,
                    piece_id(transfer_id(rank, TransferKind::chunk_out), slot_kind(number)));
    }
    begin_pieces(key, lane);
  }
}

void Staging::ended(std::uint64_t id) {
  const std::uint64_t transfer = id & kIdsOfRollCall;
  const Key key{rank_of(transfer), kind_of(transfer) == TransferKind::chunk_out};
  Lane& lane = lanes_[key];
  Slot& slot = lane.slots[piece_kind_of(id) == PieceKind::slot_1 ? 1 : 0];
  slot.state = State::is_free;
  if (!key.second) begin_copy(slot, slot.memory, slot.pinned.get());
  begin_pieces(key, lane);
}

void Staging::wait_for_copies() noexcept try {
  for (auto& [key, lane] : lanes_)
    for (Slot& slot : lane.slots)
      if (slot.state == State::is_copied) backend_.wait_for(slot.stream);
} catch (...) {  // a device that does not answer: its error is told where it was met
}

}  // namespace xpose
