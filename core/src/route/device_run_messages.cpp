// A run between devices that do not reach each other: by messages, chunk by chunk.
#include "route/device_run.hpp"
#include "route/roll_call.hpp"

namespace xpose {

// While a chunk is on its way, the one before it is unpacked and the next one packed.
void DeviceRun::pass() {
  Backend& backend = streams_.backend();
  void* const wire = ranks_.stream();
  void* const work = streams_.stream(0);
  const std::int64_t chunks = most_chunks();
  streams_.all_follow(wire);
  pack(0);
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
    backend.follow(wire, work);  // packed is this one, and the half that it comes into is unpacked
    backend.follow(work, wire);  // the chunk before has come, and has left its half
    if (!ranks_.exchange_waits()) exchange(chunk);
    unpack(chunk - 1);
    pack(chunk + 1);
    move_kept(chunk, chunks, streams_.stream(2));
    if (ranks_.exchange_waits()) exchange(chunk);
  }
  if (chunks == 0) move_kept(0, 1, streams_.stream(2));
  backend.follow(work, wire);
  unpack(chunks - 1);
  ranks_.finish(setting_.deadline_seconds);
  streams_.wait_for_all();
}

void DeviceRun::exchange(std::int64_t chunk) {
  const auto transfers = [&](const std::vector<Chunks>& side, bool is_sent) {
    std::vector<DeviceRanks::Transfer> all;
    for (const Chunks& parts : side) {
      if (chunk >= parts.count()) continue;
      const Half half = this->half(parts, chunk, is_sent);
      all.push_back({parts.message.rank, half.data, half.bytes, half.owner});
      if (is_sent) ++report_.chunks_sent;
    }
    return all;
  };
  const auto sent = transfers(sends_, true), received = transfers(receives_, false);
  ranks_.exchange(sent, received, setting_.deadline_seconds);
}

DeviceRun::Half DeviceRun::half(const Chunks& parts, std::int64_t chunk, bool is_sent) {
  const auto bytes = [&](std::int64_t number) {
    return static_cast<std::uint64_t>(parts.box(number).elements()) * exchange_.element_bytes();
  };
  const std::uint64_t number =
      transfer_id(parts.message.rank, is_sent ? TransferKind::chunk_out : TransferKind::chunk_in);
  const std::shared_ptr<DeviceBuffer> buffer =
      streams_.buffer(number * 2 + static_cast<std::uint64_t>(chunk % 2), bytes(0));
  return {buffer->data(), bytes(chunk), buffer};
}

void DeviceRun::pack(std::int64_t chunk) {
  for (const Chunks& parts : sends_)
    if (chunk < parts.count())
      execute(exchange_.packing(parts.message, parts.box(chunk)), in_,
              half(parts, chunk, true).data, streams_.stream(0));
}

void DeviceRun::unpack(std::int64_t chunk) {
  for (const Chunks& parts : receives_)
    if (chunk >= 0 && chunk < parts.count())
      execute(exchange_.unpacking(parts.message, parts.box(chunk)), half(parts, chunk, false).data,
              out_, streams_.stream(0));
}

}  // namespace xpose
