#include "route/device_run.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "route/roll_call.hpp"
#include "route/route_run.hpp"

namespace xpose {
namespace {

// Enough for a device to be busy with one part, and few enough for those of several streams to be
// under way at once.
constexpr std::int64_t kPartBytes = std::int64_t{16} << 20;
// Of a message. The first is packed and the last unpacked while nothing is on its way; each takes
// calls of the transport.
constexpr std::int64_t kChunks = 8;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string text_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an unknown failure";
  }
}

}  // namespace

DeviceRun::DeviceRun(const Setting& setting, const void* in, void* out)
    : setting_(setting),
      ranks_(setting.ranks),
      exchange_(setting.exchange),
      streams_(setting.streams),
      in_(static_cast<const std::byte*>(in)),
      out_(static_cast<std::byte*>(out)) {}

RouteReport DeviceRun::run(const std::function<void()>& check) {
  const double begin = seconds_now();
  try {
    all_of_it(check);
    report_.seconds = seconds_now() - begin;
    return report_;
  } catch (...) {
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
  std::exception_ptr failure;
  try {
    check();
    prepare();
  } catch (...) {
    failure = std::current_exception();
  }
  const std::vector<Notice> notices = meet(failure);
  if (!ranks_.reaches_others()) return pass();
  try {
    push(notices);
  } catch (...) {
    failure = std::current_exception();
    wait_for_all();  // writes to the others, which are told then
  }
  meet(failure);
}

// All memory is there before the ranks meet: an allocation may wait for work on a device, which may
// wait for this rank.
void DeviceRun::prepare() {
  const std::vector<Message> sends = from_the_next(exchange_.sends(ranks_.rank()));
  sends_ = chunks_of(sends);
  receives_ = chunks_of(from_the_next(exchange_.receives(ranks_.rank())));
  if (const std::optional<Message> kept = exchange_.kept(ranks_.rank())) {
    const std::int64_t lines = lines_in(kPartBytes, kept->line() * exchange_.element_bytes());
    kept_ = chunks_in_lines(*kept, whole_tiles(std::max(lines, kTileLines)));
  }
  report_.messages_sent = static_cast<std::int64_t>(sends_.size());
  report_.messages_received = static_cast<std::int64_t>(receives_.size());
  if (ranks_.reaches_others()) {
    push_.emplace(exchange_, sends, streams_, setting_.memory, setting_.push);
    // The others write into the output from the first notice on.
    streams_.backend().wait_for(ranks_.stream());
    return;
  }
  for (std::int64_t chunk = 0; chunk < 2; ++chunk) {
    for (const Chunks& parts : sends_) half(parts, chunk, true);
    for (const Chunks& parts : receives_) half(parts, chunk, false);
  }
}

// Throws the own failure once the others know of it, or theirs.
std::vector<DeviceRun::Notice> DeviceRun::meet(const std::exception_ptr& failure) {
  static_assert(sizeof(Notice) == sizeof(DeviceRanks::Notice));
  Notice own{failure == nullptr ? Kind::here : Kind::failed,
             0,
             setting_.digest,
             out_,
             setting_.to.leading_dimension,
             setting_.to.offset,
             {}};
  if (failure != nullptr) text_of(failure).copy(own.text.data(), own.text.size() - 1);
  DeviceRanks::Notice bytes;
  std::memcpy(bytes.data(), &own, sizeof own);
  std::vector<DeviceRanks::Notice> gathered;
  try {
    gathered = ranks_.gather(bytes, setting_.deadline_seconds);
  } catch (...) {
    if (failure != nullptr) std::rethrow_exception(failure);
    throw;
  }
  if (failure != nullptr) std::rethrow_exception(failure);
  std::vector<Notice> notices(gathered.size());
  for (std::size_t i = 0; i < gathered.size(); ++i) {
    std::memcpy(&notices[i], gathered[i].data(), sizeof notices[i]);
    notices[i].text.back() = '\0';
  }
  for (int rank = 0; rank < ranks_.size(); ++rank) {
    const Notice& notice = notices[static_cast<std::size_t>(rank)];
    if (notice.digest != setting_.digest) throw_differs(rank, ranks_.rank());
    if (notice.kind == Kind::failed) throw_gave_up(rank, ErrorKind::failed, notice.text.data());
  }
  return notices;
}

// So that not all write to rank 0 first.
std::vector<Message> DeviceRun::from_the_next(std::vector<Message> messages) const {
  const auto distance = [&](const Message& message) {
    return (message.rank - ranks_.rank() + ranks_.size()) % ranks_.size();
  };
  std::ranges::sort(messages, {}, distance);
  return messages;
}

std::vector<Chunks> DeviceRun::chunks_of(const std::vector<Message>& messages) const {
  std::vector<Chunks> all;
  for (const Message& message : messages) {
    const std::int64_t line_bytes = message.line() * exchange_.element_bytes();
    const std::int64_t chunk = std::max(message.lines() * line_bytes / kChunks, kPartBytes);
    const std::int64_t lines =
        std::min(lines_in(chunk, line_bytes), lines_in(setting_.most_chunk_bytes, line_bytes));
    all.push_back(chunks_in_lines(message, whole_tiles(lines)));
  }
  return all;
}

void DeviceRun::push(const std::vector<Notice>& notices) {
  std::vector<DevicePush::Target> targets;
  targets.reserve(notices.size());
  for (const Notice& notice : notices)
    targets.push_back({notice.out, notice.leading_dimension, notice.offset});
  streams_.all_follow(ranks_.stream());
  push_->begin(
      in_, targets,
      [this](const std::vector<Tile>& tiles, const std::byte* in, std::byte* out, void* stream) {
        execute(tiles, in, out, stream);
      },
      [this](std::int64_t turn, std::int64_t turns, void* stream) {
        move_kept(turn, turns, stream);
      });
  streams_.wait_for_all();
  const auto bytes = [&](const std::vector<Chunks>& all) {
    std::int64_t elements = 0;
    for (const Chunks& parts : all) elements += parts.message.elements();
    return elements * exchange_.element_bytes();
  };
  report_.chunks_sent = push_->parts();
  report_.bytes_sent = bytes(sends_);
  report_.bytes_received = bytes(receives_);
}

// While a chunk is on its way, the one before it is unpacked and the next one packed.
void DeviceRun::pass() {
  Backend& backend = streams_.backend();
  void* const wire = ranks_.stream();
  void* const work = streams_.stream(0);
  std::int64_t chunks = 0;
  for (const std::vector<Chunks>* side : {&sends_, &receives_})
    for (const Chunks& parts : *side) chunks = std::max(chunks, parts.count());
  streams_.all_follow(wire);
  pack(0);
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
    backend.follow(wire, work);  // packed is this one, and the half that it comes into is unpacked
    backend.follow(work, wire);  // the chunk before has come, and has left its half
    exchange(chunk);
    unpack(chunk - 1);
    pack(chunk + 1);
    move_kept(chunk, chunks, streams_.stream(1));
  }
  if (chunks == 0) move_kept(0, 1, streams_.stream(1));
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
      all.push_back({parts.message.rank, half.data, half.bytes});
      (is_sent ? report_.bytes_sent : report_.bytes_received) +=
          static_cast<std::int64_t>(half.bytes);
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
  return {streams_.buffer(number * 2 + static_cast<std::uint64_t>(chunk % 2), bytes(0)),
          bytes(chunk)};
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

void DeviceRun::move_kept(std::int64_t turn, std::int64_t turns, void* stream) {
  if (!kept_) return;
  const std::int64_t count = kept_->count();
  for (std::int64_t part = turn * count / turns; part < (turn + 1) * count / turns; ++part) {
    const Box box = kept_->box(part);
    execute(exchange_.moving(kept_->message, box), in_, out_, stream);
    report_.bytes_kept += box.elements() * exchange_.element_bytes();
  }
}

void DeviceRun::execute(const std::vector<Tile>& tiles, const std::byte* in, std::byte* out,
                        void* stream) {
  const std::int64_t bytes = exchange_.element_bytes();
  for (const Tile& tile : tiles)
    setting_.move(tile.problem, in + tile.in * bytes, out + tile.out * bytes, stream);
  report_.tiles += static_cast<std::int64_t>(tiles.size());
}

}  // namespace xpose
