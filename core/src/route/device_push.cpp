#include "route/device_push.hpp"

#include <algorithm>

#include "route/route_run.hpp"

namespace xpose {
namespace {

// One part is on its way while the next one is packed.
constexpr std::size_t kSlots = 2;

// Of whole lines of the target.
std::vector<Box> growing_parts(const Message& message, std::int64_t line_bytes,
                               std::int64_t first_bytes, std::int64_t growth,
                               std::int64_t most_bytes) {
  std::vector<Box> parts;
  std::int64_t bytes = first_bytes;
  for (std::int64_t line = 0; line < message.lines();) {
    const std::int64_t lines = whole_tiles(std::max(lines_in(bytes, line_bytes), kTileLines));
    const std::int64_t end = std::min(line + lines, message.lines());
    parts.push_back(message.box_of_lines(line, end));
    line = end;
    bytes = std::min(bytes * growth, most_bytes);
  }
  return parts;
}

}  // namespace

DevicePush::DevicePush(const Exchange& exchange, const std::vector<Message>& messages,
                       DeviceStreams& streams, std::int64_t memory, const Policy& policy)
    : exchange_(exchange), streams_(streams) {
  const std::int64_t bytes = exchange.element_bytes();
  const std::int64_t most_slot_bytes = memory / std::int64_t{kSlots};
  for (const Message& message : messages) {
    const std::int64_t line_bytes = message.line() * bytes;
    const std::vector<Box> parts =
        growing_parts(message, line_bytes, policy.first_part_bytes, policy.growth,
                      std::min(policy.most_part_bytes, most_slot_bytes));
    const Box& largest = *std::ranges::max_element(parts, {}, &Box::elements);
    const std::int64_t part_bytes = largest.elements() * bytes;
    if (message.elements() * bytes >= policy.least_copied_bytes && part_bytes <= most_slot_bytes &&
        suits_copies(exchange, message, largest, policy)) {
      by_copies_.push_back({message, parts});
      slot_bytes_ = std::max(slot_bytes_, part_bytes);
    } else {
      const std::int64_t stored = policy.stored_part_bytes;
      by_kernels_.push_back({message, growing_parts(message, line_bytes, stored, 1, stored)});
    }
  }
  copied_ = in_turn(by_copies_);
  stored_ = in_turn(by_kernels_);
  for (std::size_t part = 0; part < std::min(kSlots, copied_.size()); ++part) slot(part);
}

std::byte* DevicePush::slot(std::size_t part) {
  return streams_.buffer(part % kSlots, static_cast<std::uint64_t>(slot_bytes_))->data();
}

std::int64_t DevicePush::parts() const {
  return static_cast<std::int64_t>(copied_.size() + stored_.size());
}

// One of each message, and then the next, so that all targets are written to at once.
std::vector<DevicePush::Part> DevicePush::in_turn(const std::vector<Passage>& passages) {
  std::size_t most = 0;
  for (const Passage& passage : passages) most = std::max(most, passage.parts.size());
  std::vector<Part> all;
  for (std::size_t number = 0; number < most; ++number)
    for (const Passage& passage : passages)
      if (number < passage.parts.size()) all.push_back({&passage.message, passage.parts[number]});
  return all;
}

bool DevicePush::suits_copies(const Exchange& exchange, const Message& message, const Box& box,
                              const Policy& policy) {
  const std::int64_t bytes = exchange.element_bytes();
  const Exchange::Pieces pieces = exchange.pieces(message);
  const std::int64_t run = std::min(pieces.shortest, box.extent(message.fast));
  return run * bytes >= policy.least_run_bytes &&
         message.elements() * bytes / pieces.count >= policy.least_rectangle_bytes;
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

void DevicePush::pack(std::size_t part, const std::byte* in, const Execute& execute) {
  const Part& packed = copied_[part];
  execute(exchange_.packing(*packed.of, packed.box), in, slot(part), streams_.stream(0));
}

void DevicePush::begin_to_pack(const std::byte* in, const Execute& execute) {
  if (copied_.empty()) return;
  pack(0, in, execute);
  streams_.backend().follow(streams_.stream(1), streams_.stream(0));
}

// Copies and packing have a stream each, which wait for each other where a slot changes hands. What
// stays has a third one.
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
  const std::int64_t turns = std::max<std::int64_t>(parts(), 1);
  std::int64_t turn = 0;
  for (std::size_t i = 0; i < copied_.size(); ++i) {
    const Part& part = copied_[i];
    if (i > 0) backend.follow(work, wire);  // the part before this one has left its slot
    copy(exchange_, backend, *part.of, part.box, slot(i), target(part), wire);
    if (i + 1 < copied_.size()) {
      pack(i + 1, in, execute);
      backend.follow(wire, work);
    }
    move_kept(turn++, turns, rest);
  }
  for (const Part& part : stored_) {
    // On two streams, because the end of one leaves room for the next.
    execute(exchange_.pushing(*part.of, part.box, target(part).strides(exchange_, *part.of)), in,
            target(part).out, turn % 2 == 0 ? work : wire);
    move_kept(turn++, turns, rest);
  }
  if (turn == 0) move_kept(0, 1, rest);
}

}  // namespace xpose
