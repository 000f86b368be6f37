#include "route/device_push.hpp"

#include <algorithm>

#include "route/route_run.hpp"

namespace xpose {
namespace {

// One part is on its way while the next one is packed.
constexpr std::int64_t kSlots = 2;
// Of rows, that a part has at most: each is a call.
constexpr std::int64_t kMostRectangles = 8;

}  // namespace

DevicePush::DevicePush(const Exchange& exchange, const std::vector<Message>& messages,
                       DeviceStreams& streams, std::int64_t memory, const Policy& policy)
    : exchange_(exchange), streams_(streams) {
  const std::int64_t bytes = exchange.element_bytes();
  for (const Message& message : messages) {
    const auto cut = [&](std::int64_t part_bytes) {
      const std::int64_t lines = lines_in(part_bytes, message.line() * bytes);
      return chunks_in_lines(message, whole_tiles(std::max(lines, kTileLines)));
    };
    const std::int64_t even = message.elements() * bytes / policy.parts;
    const Chunks parts = cut(std::clamp(even, policy.least_part_bytes, policy.most_part_bytes));
    const std::int64_t longest = parts.box(0).elements() * bytes;
    if (parts.count() > 1 && suits_copies(exchange, parts, policy) && kSlots * longest <= memory) {
      by_copies_.push_back(parts);
      slot_bytes_ = std::max(slot_bytes_, longest);
    } else {
      by_kernels_.push_back(cut(policy.least_part_bytes));
    }
  }
  for (std::size_t number = 0; number < kSlots && slot_bytes_ > 0; ++number) slot(number);
}

std::byte* DevicePush::slot(std::size_t number) {
  return streams_.buffer(number, static_cast<std::uint64_t>(slot_bytes_))->data();
}

std::int64_t DevicePush::parts() const {
  std::int64_t count = 0;
  for (const auto* all : {&by_copies_, &by_kernels_})
    for (const Chunks& parts : *all) count += parts.count();
  return count;
}

// One of each message, and then the next, so that all targets are written to at once.
std::vector<DevicePush::Part> DevicePush::in_turn(const std::vector<Chunks>& messages) {
  std::int64_t most = 0;
  for (const Chunks& parts : messages) most = std::max(most, parts.count());
  std::vector<Part> all;
  for (std::int64_t number = 0; number < most; ++number)
    for (const Chunks& parts : messages)
      if (number < parts.count()) all.push_back({&parts.message, parts.box(number)});
  return all;
}

bool DevicePush::suits_copies(const Exchange& exchange, const Chunks& parts, const Policy& policy) {
  const Exchange::Pieces pieces = exchange.pieces(parts.message);
  const std::int64_t run = std::min(pieces.shortest, parts.box(0).extent(parts.message.fast));
  return run * exchange.element_bytes() >= policy.least_run_bytes &&
         pieces.count <= parts.count() * kMostRectangles;
}

void DevicePush::copy(const Exchange& exchange, Backend& backend, const Message& message,
                      const Box& box, const std::byte* packed, const Target& target, void* stream) {
  const std::int64_t bytes = exchange.element_bytes();
  for (const Rectangle& rows : exchange.sending(message, box, target.strides(exchange, message)))
    backend.copy_rows(
        {target.out + rows.out * bytes, static_cast<std::uint64_t>(rows.out_pitch * bytes),
         packed + rows.packed * bytes, static_cast<std::uint64_t>(rows.packed_pitch * bytes),
         static_cast<std::uint64_t>(rows.run * bytes), static_cast<std::uint64_t>(rows.rows)},
        stream);
}

// Copies and packing have a stream each, which wait for each other where a slot changes hands. What
// stays has a third one. It follows the packing, so that it takes the memory from copies no more
// than it must.
void DevicePush::begin(
    const std::byte* in, const std::vector<Target>& targets, const Execute& execute,
    const std::function<void(std::int64_t turn, std::int64_t turns, void* stream)>& move_kept) {
  Backend& backend = streams_.backend();
  void* const work = streams_.stream(0);
  void* const wire = streams_.stream(1);
  void* const rest = streams_.stream(2);
  const auto target = [&](const Part& part) {
    return targets[static_cast<std::size_t>(part.of->rank)];
  };
  const std::vector<Part> stored = in_turn(by_kernels_), copied = in_turn(by_copies_);
  const auto turns =
      static_cast<std::int64_t>(std::max<std::size_t>(stored.size() + copied.size(), 1));
  std::int64_t turn = 0;
  const auto pack = [&](std::size_t i) {
    const Part& part = copied[i];
    execute(exchange_.packing(*part.of, part.box), in, slot(i % kSlots), work);
  };
  if (!copied.empty()) pack(0);
  for (std::size_t i = 0; i < copied.size(); ++i) {
    const Part& part = copied[i];
    backend.follow(wire, work);  // the part is packed
    backend.follow(work, wire);  // the part before it has left its slot
    copy(exchange_, backend, *part.of, part.box, slot(i % kSlots), target(part), wire);
    if (i + 1 < copied.size()) pack(i + 1);
    backend.follow(rest, work);
    move_kept(turn++, turns, rest);
  }
  for (const Part& part : stored) {
    // On two streams, because the end of one leaves room for the next.
    execute(exchange_.pushing(*part.of, part.box, target(part).strides(exchange_, *part.of)), in,
            target(part).out, turn % 2 == 0 ? work : wire);
    move_kept(turn++, turns, rest);
  }
  if (turn == 0) move_kept(0, 1, rest);
}

}  // namespace xpose
