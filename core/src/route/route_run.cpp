#include "route/route_run.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "exchange/kept_square.hpp"

namespace xpose {
namespace {

// Of an output cache line at least, so that no strategy meets a worse address than a caller's.
constexpr std::align_val_t kAlignment{256};
// Of a tile that changes places with another one: both stay in a processor's cache.
constexpr std::int64_t kSwappedAtOnce = std::int64_t{512} << 10;
// The digest behind the elements of a chunk: another route's may come on the same channel.
constexpr std::uint64_t kSealBytes = 8;

std::shared_ptr<std::byte[]> make_buffer(std::uint64_t bytes) {
  return {static_cast<std::byte*>(::operator new(bytes, kAlignment)),
          [](std::byte* buffer) { ::operator delete(buffer, kAlignment); }};
}

}  // namespace

RouteRun::RouteRun(const Setting& setting, const void* in, void* out)
    : setting_(setting),
      ranks_(setting.ranks),
      exchange_(setting.exchange),
      chunk_channel_(chunk_channel(setting.digest)),
      roll_call_(ranks_, setting.digest, setting.deadline_seconds),
      in_(static_cast<const std::byte*>(in)),
      out_(static_cast<std::byte*>(out)),
      outgoing_(setting.passages.outgoing),
      incoming_(setting.passages.incoming) {}

RouteReport RouteRun::run(const std::function<void()>& check) {
  const double begin = ranks_.seconds();
  std::string why = "an unknown failure";
  try {
    all_of_it(check);
    report_.seconds = ranks_.seconds() - begin;
    return report_;
  } catch (const std::exception& error) {
    why = error.what();
    roll_call_.give_up(why);
    ranks_.abandon();
    throw;
  } catch (...) {
    roll_call_.give_up(why);
    ranks_.abandon();
    throw;
  }
}

void RouteRun::all_of_it(const std::function<void()>& check) {
  check();
  open_passages();
  roll_call_.begin(false);
  begin_messages();
  move_kept();
  while (open_ > 0 || !roll_call_.all_are_here()) pump(roll_call_.seconds_to_wait());
}

// In rounds that pair ranks whose sum is the round, modulo their number: two ranks meet once, and
// no rank is the first target of all. Each sends before it receives. MPI announces a long message,
// and the receiver answers on the connection that its own messages take: an answer that is sent
// before the own announcement lets the other rank fill that connection, behind which the own
// message waits.
void RouteRun::begin_messages() {
  const int ranks = ranks_.size();
  for (int round = 0; round < ranks; ++round) {
    const int rank = (round - ranks_.rank() + ranks) % ranks;
    if (rank == ranks_.rank()) continue;
    Passage& outgoing = outgoing_.at(rank);
    pack_and_send(outgoing);
    receive(incoming_.at(rank));
    if (!outgoing.is_greeting()) pump(0);
  }
}

void RouteRun::make_passages() {
  const auto make = [&](Passages::ByRank& passages, const std::vector<Message>& messages,
                        bool is_sent) {
    for (int rank = 0; rank < ranks_.size(); ++rank)
      if (rank != ranks_.rank()) passages[rank].rank = rank;
    for (const Message& message : messages)
      passages[message.rank].chunks = chunks_of(message, is_sent);
    for (auto& [rank, passage] : passages)
      passage.buffer = make_buffer(chunk_bytes(passage) + kSealBytes);
  };
  make(outgoing_, exchange_.sends(ranks_.rank()), true);
  make(incoming_, exchange_.receives(ranks_.rank()), false);
  setting_.passages.are_made = true;
}

void RouteRun::open_passages() {
  if (!setting_.passages.are_made) make_passages();
  for (Passages::ByRank* const passages : {&outgoing_, &incoming_})
    for (auto& [rank, passage] : *passages) {
      passage.next = passage.packed = 0;
      passage.has_come = false;
    }
  open_ = outgoing_.size() + incoming_.size();
  const auto messages = [](const Passages::ByRank& passages) {
    return std::ranges::count_if(passages,
                                 [](const auto& one) { return !one.second.is_greeting(); });
  };
  report_.messages_sent = messages(outgoing_);
  report_.messages_received = messages(incoming_);
}

Chunks RouteRun::chunks_of(const Message& message, bool is_sent) const {
  const std::int64_t bytes = exchange_.element_bytes();
  return setting_.in_place
             ? chunks_in_place(message, is_sent, ranks_.rank(), setting_.most_chunk_bytes / bytes)
             : chunks_in_lines(message,
                               lines_in(setting_.most_chunk_bytes, message.line() * bytes));
}

const std::vector<Tile>& RouteRun::tiles_of(Passage& passage, bool is_sent) const {
  if (passage.tiled == passage.next || passage.is_greeting()) return passage.tiles;
  const Message& message = passage.chunks->message;
  const Box box = passage.chunks->box(passage.next);
  passage.tiles = is_sent ? exchange_.packing(message, box) : exchange_.unpacking(message, box);
  passage.tiled = passage.next;
  return passage.tiles;
}

void RouteRun::pack_and_send(Passage& passage) {
  execute(tiles_of(passage, true), in_, passage.buffer.get());
  passage.packed = passage.next + 1;
  const std::uint64_t bytes = chunk_bytes(passage);
  std::memcpy(passage.buffer.get() + bytes, &setting_.digest, kSealBytes);
  report_.chunks_sent += passage.is_greeting() ? 0 : 1;
  report_.bytes_sent += static_cast<std::int64_t>(bytes);
  ranks_.send(passage.rank, chunk_channel_, passage.buffer, bytes + kSealBytes,
              transfer_id(passage.rank, TransferKind::chunk_out));
  unpack(incoming_.at(passage.rank));
}

void RouteRun::receive(Passage& passage) {
  ranks_.receive(passage.rank, chunk_channel_, passage.buffer, chunk_bytes(passage) + kSealBytes,
                 transfer_id(passage.rank, TransferKind::chunk_in));
}

// In place the chunk comes to where the own one of its number lay.
void RouteRun::unpack(Passage& passage) {
  const bool is_free = !setting_.in_place || outgoing_.at(passage.rank).packed > passage.next;
  if (!passage.has_come || !is_free) return;
  report_.bytes_received += static_cast<std::int64_t>(chunk_bytes(passage));
  execute(tiles_of(passage, false), passage.buffer.get(), out_);
  passage.has_come = false;
  ++passage.next;
  if (passage.is_over())
    --open_;
  else
    receive(passage);
}

void RouteRun::move_kept() {
  const std::optional<Message> kept = exchange_.kept(ranks_.rank());
  if (!kept) return;
  report_.bytes_kept = kept->elements() * exchange_.element_bytes();
  if (setting_.in_place) return transpose_kept(*kept);
  const std::int64_t line_bytes = kept->line() * exchange_.element_bytes();
  const Chunks parts = chunks_in_lines(*kept, lines_in(kMovedAtOnce, line_bytes));
  std::vector<Tile>& tiles = setting_.passages.kept;
  for (std::int64_t part = 0; part < parts.count(); ++part) {
    if (tiles.empty() || parts.count() > 1) tiles = exchange_.moving(*kept, parts.box(part));
    execute(tiles, in_, out_);
    pump(0);
  }
}

void RouteRun::transpose_kept(const Message& kept) {
  const KeptSquare square(exchange_, kept,
                          {kMovedAtOnce, std::min(kSwappedAtOnce, setting_.most_chunk_bytes)});
  std::array<std::byte*, 2> buffers{};
  for (std::size_t i = 0; square.buffer_bytes() > 0 && i < buffers.size(); ++i) {
    std::shared_ptr<std::byte[]>& buffer = setting_.passages.swapped[i];
    if (buffer == nullptr) buffer = make_buffer(square.buffer_bytes());
    buffers[i] = buffer.get();
  }
  const auto move = [this](const std::vector<Tile>& tiles, const std::byte* in, std::byte* out) {
    execute(tiles, in, out);
  };
  square.transpose(out_, buffers, move, [this] { pump(0); });
}

void RouteRun::execute(const std::vector<Tile>& tiles, const std::byte* in, std::byte* out) {
  const std::int64_t bytes = exchange_.element_bytes();
  for (const Tile& tile : tiles)
    setting_.move(tile.problem, in + tile.in * bytes, out + tile.out * bytes);
  report_.tiles += static_cast<std::int64_t>(tiles.size());
  if (!tiles.empty()) roll_call_.give_sign();
}

bool RouteRun::is_waited_for(int rank) const {
  return !roll_call_.is_here(rank) || !outgoing_.at(rank).is_over() ||
         !incoming_.at(rank).is_over();
}

void RouteRun::pump(double seconds) {
  const std::vector<std::uint64_t> ids = ranks_.wait(seconds);
  for (const std::uint64_t id : ids) handle(id);
  roll_call_.give_sign();
  // A look does not prove silence: what has arrived may take more than one to be seen.
  if (!ids.empty() || seconds <= 0) return;
  roll_call_.nothing_came([this](int rank) { return is_waited_for(rank); });
}

void RouteRun::handle(std::uint64_t id) {
  const TransferKind kind = kind_of(id);
  if (kind == TransferKind::notice_in || kind == TransferKind::notice_out)
    return roll_call_.ended(id);
  if (kind == TransferKind::chunk_in) {
    Passage& passage = incoming_.at(rank_of(id));
    std::uint64_t digest = 0;
    std::memcpy(&digest, passage.buffer.get() + chunk_bytes(passage), kSealBytes);
    roll_call_.check(rank_of(id), digest);
    roll_call_.heard(rank_of(id));
    passage.has_come = true;
    return unpack(passage);
  }
  Passage& passage = outgoing_.at(rank_of(id));
  ++passage.next;
  if (passage.is_over())
    --open_;
  else
    pack_and_send(passage);
}

}  // namespace xpose
