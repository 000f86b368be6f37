// The parts of a run that are in place alone: the elements that stay, and writes into the arrays of
// others, of which each holds elements that have not left yet.
#include "route/device_run.hpp"
#include "route/roll_call.hpp"

namespace xpose {

std::array<std::byte*, 2> DeviceRun::square_buffers() {
  const std::uint64_t bytes = square_->buffer_bytes();
  if (bytes == 0) return {};
  const auto buffer = [&](TransferKind kind) {
    return streams_.buffer(transfer_id(ranks_.rank(), kind) * 2, bytes)->data();
  };
  return {buffer(TransferKind::chunk_out), buffer(TransferKind::chunk_in)};
}

void DeviceRun::transpose_square(void* stream) {
  const auto move = [&](const std::vector<Tile>& tiles, const std::byte* in, std::byte* out) {
    execute(tiles, in, out, stream);
  };
  square_->transpose(out_, square_buffers(), move, [] {});
}

// A chunk is packed before a meeting and written to the others after it, when they have packed
// theirs of the same number. Meanwhile the next one is packed.
void DeviceRun::push_in_place(const std::vector<Notice>& notices) {
  Backend& backend = streams_.backend();
  const std::vector<DevicePush::Target> targets = targets_of(notices);
  std::int64_t chunks = 0;
  for (const Notice& notice : notices) chunks = std::max(chunks, notice.chunks);
  for (std::int64_t step = 0; step <= chunks; ++step)
    meet(failure_of([&] {
      push_packed(step - 1, targets);
      pack(step);
      move_kept(step, chunks + 1, streams_.stream(2));
      for (const std::size_t stream : {0, 1}) backend.wait_for(streams_.stream(stream));
      if (step == chunks) streams_.wait_for_all();
    }));
}

void DeviceRun::push_packed(std::int64_t chunk, const std::vector<DevicePush::Target>& targets) {
  void* const stream = streams_.stream(1);
  for (const Chunks& parts : sends_) {
    if (chunk < 0 || chunk >= parts.count()) continue;
    const Message& message = parts.message;
    const DevicePush::Target& target = targets[static_cast<std::size_t>(message.rank)];
    const Box box = parts.box(chunk);
    const std::byte* const packed = half(parts, chunk, true).data;
    if (DevicePush::suits_copies(exchange_, message, parts.box(0), setting_.push))
      DevicePush::copy(exchange_, streams_.backend(), message, box, packed, target, stream);
    else
      execute(exchange_.unpacking(message, box, target.strides(exchange_, message)), packed,
              target.out, stream);
    ++report_.chunks_sent;
  }
}

}  // namespace xpose
