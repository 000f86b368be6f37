#include "route/device_run.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>

#include "route/roll_call.hpp"
#include "route/route_run.hpp"

namespace xpose {
namespace {

// Enough for a device to be busy with one part, and few enough for those of several streams to be
// under way at once.
constexpr std::int64_t kPartBytes = std::int64_t{16} << 20;
// Of what stays, out of place: launches of small parts leave much of the memory idle.
constexpr std::int64_t kKeptPartBytes = std::int64_t{64} << 20;
// Of a message. The first is packed and the last unpacked while nothing is on its way; each takes
// calls of the transport.
constexpr std::int64_t kChunks = 8;
// Of a square that is transposed in place by one problem: all, since a device gives no signs of
// life. Other squares have tiles that change places, of which two stay in a device's cache.
constexpr std::int64_t kWholeSquareBytes = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kSwappedBytes = std::int64_t{8} << 20;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

DeviceRun::DeviceRun(const Setting& setting, const void* in, void* out)
    : setting_(setting),
      ranks_(setting.ranks),
      exchange_(setting.exchange),
      streams_(setting.streams),
      in_(static_cast<const std::byte*>(in)),
      out_(static_cast<std::byte*>(out)),
      writes_(ranks_.reaches_others() ||
              (ranks_.may_map_arrays() && streams_.arrays().may_reach())) {}

RouteReport DeviceRun::run(const std::function<void()>& check) {
  const double begin = seconds_now();
  try {
    all_of_it(check);
    report_.seconds = seconds_now() - begin;
    return report_;
  } catch (...) {
    if (streams_.meeting() != nullptr) streams_.meeting()->give_up(ranks_.rank());
    ranks_.abandon();
    wait_for_all();  // the caller may free its arrays now
    throw;
  }
}

void DeviceRun::wait_for_all() noexcept try {
  streams_.wait_for_all();
} catch (...) {  // a device that does not answer: the run has failed for that reason already
}

void DeviceRun::all_of_it(const std::function<void()>& check) {
  const std::vector<Notice> notices = meet(failure_of([&] {
    check();
    prepare();
  }));
  has_begun_ = true;
  if (writes_ && !ranks_.reaches_others()) agree(notices);
  if (!writes_) {
    pass();
  } else if (setting_.in_place) {
    push_in_place(notices);
  } else {
    meet(failure_of([&] { push(notices); }));
  }
  if (writes_ && has_gathered_ && !ranks_.reaches_others())
    ranks_.finish(setting_.deadline_seconds);
  report_.bytes_sent = bytes_of(sends_);
  report_.bytes_received = bytes_of(receives_);
}

// Others are told of it then, and nothing is written into their arrays any more.
std::exception_ptr DeviceRun::failure_of(const std::function<void()>& work) noexcept try {
  work();
  return nullptr;
} catch (...) {
  std::exception_ptr failure = std::current_exception();
  wait_for_all();
  return failure;
}

// All memory is there before the ranks meet: an allocation may wait for work on a device, which may
// wait for this rank.
void DeviceRun::prepare() {
  const std::vector<Message> sends = from_the_next(exchange_.sends(ranks_.rank()));
  sends_ = chunks_of(sends, true);
  receives_ = chunks_of(from_the_next(exchange_.receives(ranks_.rank())), false);
  if (const std::optional<Message> kept = exchange_.kept(ranks_.rank())) prepare_kept(*kept);
  report_.messages_sent = static_cast<std::int64_t>(sends_.size());
  report_.messages_received = static_cast<std::int64_t>(receives_.size());
  // The others write into the output from the first notice on. So work of this run follows the
  // caller's, too.
  if (writes_) streams_.backend().wait_for(ranks_.stream());
  name_of_out_ =
      writes_ && !ranks_.reaches_others() ? streams_.backend().name_of(out_) : MemoryName{out_};
  if (writes_ && !setting_.in_place)
    prepare_to_push();
  else
    prepare_chunks();
}

void DeviceRun::prepare_to_push() {
  std::vector<Message> sends;
  sends.reserve(sends_.size());
  for (const Chunks& parts : sends_) sends.push_back(parts.message);
  push_.emplace(exchange_, sends, streams_, setting_.memory, setting_.push);
  push_->begin_to_pack(in_, executing());
}

void DeviceRun::prepare_chunks() {
  for (std::int64_t chunk = 0; chunk < 2; ++chunk) {
    for (const Chunks& parts : sends_) half(parts, chunk, true);
    if (writes_) continue;
    for (const Chunks& parts : receives_) half(parts, chunk, false);
  }
}

// So that not all write to rank 0 first.
std::vector<Message> DeviceRun::from_the_next(std::vector<Message> messages) const {
  const auto distance = [&](const Message& message) {
    return (message.rank - ranks_.rank() + ranks_.size()) % ranks_.size();
  };
  std::ranges::sort(messages, {}, distance);
  return messages;
}

std::vector<Chunks> DeviceRun::chunks_of(const std::vector<Message>& messages, bool is_sent) const {
  const std::int64_t bytes = exchange_.element_bytes();
  std::vector<Chunks> all;
  for (const Message& message : messages) {
    const std::int64_t chunk = std::min(std::max(message.elements() * bytes / kChunks, kPartBytes),
                                        setting_.most_chunk_bytes);
    all.push_back(
        setting_.in_place
            ? chunks_in_place(message, is_sent, ranks_.rank(), chunk / bytes)
            : chunks_in_lines(message, whole_tiles(lines_in(chunk, message.line() * bytes))));
  }
  return all;
}

std::int64_t DeviceRun::most_chunks() const {
  std::int64_t most = 0;
  for (const std::vector<Chunks>* side : {&sends_, &receives_})
    for (const Chunks& parts : *side) most = std::max(most, parts.count());
  return most;
}

std::int64_t DeviceRun::bytes_of(const std::vector<Chunks>& all) const {
  std::int64_t elements = 0;
  for (const Chunks& parts : all) elements += parts.message.elements();
  return elements * exchange_.element_bytes();
}

std::vector<DevicePush::Target> DeviceRun::targets_of(const std::vector<Notice>& notices) const {
  std::vector<DevicePush::Target> targets;
  targets.reserve(notices.size());
  for (const Notice& notice : notices) {
    std::byte* const out = ranks_.reaches_others()
                               ? notice.out.address
                               : streams_.arrays().at(static_cast<int>(targets.size()), notice.out);
    targets.push_back({out, notice.leading_dimension, notice.offset});
  }
  return targets;
}

void DeviceRun::push(const std::vector<Notice>& notices) {
  push_->begin(in_, targets_of(notices), executing(),
               [this](std::int64_t turn, std::int64_t turns, void* stream) {
                 move_kept(turn, turns, stream);
               });
  streams_.wait_for_all();
  report_.chunks_sent = push_->parts();
}

DevicePush::Execute DeviceRun::executing() {
  return [this](const std::vector<Tile>& tiles, const std::byte* in, std::byte* out, void* stream) {
    execute(tiles, in, out, stream);
  };
}

void DeviceRun::prepare_kept(const Message& kept) {
  const std::int64_t bytes = exchange_.element_bytes();
  report_.bytes_kept = kept.elements() * bytes;
  if (setting_.in_place) {
    square_.emplace(
        exchange_, kept,
        KeptSquare::Limits{kWholeSquareBytes, std::min(kSwappedBytes, setting_.most_chunk_bytes)});
    square_buffers();
  } else {
    const std::int64_t lines = lines_in(kKeptPartBytes, kept.line() * bytes);
    kept_ = chunks_in_lines(kept, whole_tiles(std::max(lines, kTileLines)));
  }
}

void DeviceRun::move_kept(std::int64_t turn, std::int64_t turns, void* stream) {
  if (square_ && turn == 0) transpose_square(stream);
  if (!kept_) return;
  const std::int64_t count = kept_->count();
  for (std::int64_t part = turn * count / turns; part < (turn + 1) * count / turns; ++part)
    execute(exchange_.moving(kept_->message, kept_->box(part)), in_, out_, stream);
}

void DeviceRun::execute(const std::vector<Tile>& tiles, const std::byte* in, std::byte* out,
                        void* stream) {
  const std::int64_t bytes = exchange_.element_bytes();
  for (const Tile& tile : tiles)
    setting_.move(tile.problem, in + tile.in * bytes, out + tile.out * bytes, stream);
  report_.tiles += static_cast<std::int64_t>(tiles.size());
}

}  // namespace xpose
