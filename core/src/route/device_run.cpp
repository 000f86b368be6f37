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

std::string text_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an unknown failure";
  }
}

bool all_agree(const auto& notices) {
  return std::ranges::all_of(notices, [](const auto& notice) { return notice.agrees != 0; });
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
  if (writes_ && !setting_.in_place)
    prepare_to_push();
  else
    prepare_chunks();
}

void DeviceRun::prepare_to_push() {
  std::vector<Message> sends;
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

// From then on, where all ranks can open the memory that rank 0 offers.
void DeviceRun::meet_in_memory(const std::vector<Notice>& notices) {
  std::unique_ptr<SharedMeeting> meeting =
      offered_ != nullptr ? std::move(offered_)
                          : SharedMeeting::open(notices[0].meeting, ranks_.size());
  if (all_agree(ask(meeting != nullptr))) streams_.meet_in(std::move(meeting));
}

std::vector<DeviceRun::Notice> DeviceRun::ask(bool agrees) {
  agrees_ = agrees;
  return meet(nullptr);
}

// Whether all ranks reach what they write to. They ask each other where one of them has an array in
// another allocation than before, which all of them see. Where one does not reach another, all send
// messages from then on.
void DeviceRun::agree(const std::vector<Notice>& notices) {
  std::vector<MemoryName> names;
  for (const Notice& notice : notices) names.push_back(notice.out);
  MappedArrays& arrays = streams_.arrays();
  if (arrays.has(names)) return;
  std::vector<int> targets;
  for (const Chunks& parts : sends_) targets.push_back(parts.message.rank);
  if (streams_.meeting() == nullptr && ranks_.rank() == 0)
    offered_ = SharedMeeting::make(ranks_.size());
  const std::vector<Notice> answers = ask(arrays.map(names, targets));
  if (all_agree(answers)) {
    if (streams_.meeting() == nullptr) meet_in_memory(answers);
    return;
  }
  arrays.refuse();
  streams_.meet_in(nullptr);
  writes_ = false;
  meet(failure_of([&] {
    streams_.wait_for_all();
    push_.reset();
    prepare_chunks();
  }));
}

std::vector<DeviceRanks::Notice> DeviceRun::gather(const DeviceRanks::Notice& own) {
  if (streams_.meeting() != nullptr)
    return streams_.meeting()->gather(ranks_.rank(), own, setting_.deadline_seconds);
  has_gathered_ = true;
  return ranks_.gather(own, setting_.deadline_seconds);
}

MemoryName DeviceRun::name_of_output() const {
  if (ranks_.reaches_others() || !writes_) return {reinterpret_cast<std::uint64_t>(out_)};
  return streams_.backend().name_of(out_);
}

// Throws the own failure once the others know of it, or theirs.
std::vector<DeviceRun::Notice> DeviceRun::meet(const std::exception_ptr& failure) {
  static_assert(sizeof(Notice) == sizeof(DeviceRanks::Notice));
  Notice own{failure != nullptr ? Kind::failed
             : has_begun_       ? Kind::goes_on
                                : Kind::begins,
             agrees_ ? 1U : 0U,
             setting_.digest,
             name_of_output(),
             setting_.to.leading_dimension,
             setting_.to.offset,
             most_chunks(),
             offered_ == nullptr ? SharedMeeting::Name{} : offered_->name(),
             {}};
  if (failure != nullptr) text_of(failure).copy(own.text.data(), own.text.size() - 1);
  DeviceRanks::Notice bytes;
  std::memcpy(bytes.data(), &own, sizeof own);
  std::vector<DeviceRanks::Notice> gathered;
  try {
    gathered = gather(bytes);
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
                               ? reinterpret_cast<std::byte*>(notice.out.address)
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
