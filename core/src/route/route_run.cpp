#include "route/route_run.hpp"

#include <algorithm>
#include <new>

namespace xpose {
namespace {

// Of an output cache line at least, so that no strategy meets a worse address than a caller's.
constexpr std::align_val_t kAlignment{256};

std::shared_ptr<std::byte[]> make_buffer(std::uint64_t bytes) {
  return {static_cast<std::byte*>(::operator new(bytes, kAlignment)),
          [](std::byte* buffer) { ::operator delete(buffer, kAlignment); }};
}

}  // namespace

RouteRun::RouteRun(const Setting& setting, const void* in, void* out)
    : setting_(setting),
      ranks_(setting.ranks),
      exchange_(setting.exchange),
      roll_call_(ranks_, setting.digest, setting.deadline_seconds),
      in_(static_cast<const std::byte*>(in)),
      out_(static_cast<std::byte*>(out)) {}

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
  roll_call_.begin();
  check();
  while (!roll_call_.all_are_here()) pump(roll_call_.seconds_to_sign());
  open_passages();
  for (auto& [rank, passage] : incoming_) receive(passage);
  // From the next rank on, so that not all send to rank 0 first. A passage that ends meanwhile
  // leaves the map.
  std::vector<int> targets;
  for (const auto& [rank, passage] : outgoing_) targets.push_back(rank);
  std::rotate(targets.begin(), std::ranges::upper_bound(targets, ranks_.rank()), targets.end());
  for (const int rank : targets) {
    pack_and_send(outgoing_.at(rank));
    pump(0);
  }
  move_kept();
  while (!outgoing_.empty() || !incoming_.empty()) pump(roll_call_.seconds_to_sign());
  roll_call_.say_done();
  while (!roll_call_.all_are_done()) pump(roll_call_.seconds_to_sign());
}

void RouteRun::open_passages() {
  const auto open = [&](std::map<int, Passage>& passages, const Message& message,
                        TransferKind kind) {
    const std::int64_t lines =
        std::min(lines_in(setting_.most_chunk_bytes, message.line() * exchange_.element_bytes()),
                 message.lines());
    Passage& passage = passages.emplace(message.rank, Passage{message, lines}).first->second;
    std::shared_ptr<std::byte[]>& buffer = setting_.buffers[transfer_id(message.rank, kind)];
    if (buffer == nullptr) buffer = make_buffer(chunk_bytes(passage));
    passage.buffer = buffer;
  };
  for (const Message& message : exchange_.sends(ranks_.rank()))
    open(outgoing_, message, TransferKind::chunk_out);
  for (const Message& message : exchange_.receives(ranks_.rank()))
    open(incoming_, message, TransferKind::chunk_in);
  report_.messages_sent = static_cast<std::int64_t>(outgoing_.size());
  report_.messages_received = static_cast<std::int64_t>(incoming_.size());
}

std::uint64_t RouteRun::chunk_bytes(const Passage& passage) const {
  return static_cast<std::uint64_t>((passage.end() - passage.next) * passage.message.line()) *
         exchange_.element_bytes();
}

void RouteRun::pack_and_send(Passage& passage) {
  execute(exchange_.packing(passage.message, passage.next, passage.end()), in_,
          passage.buffer.get());
  const std::uint64_t bytes = chunk_bytes(passage);
  ++report_.chunks_sent;
  report_.bytes_sent += static_cast<std::int64_t>(bytes);
  ranks_.send(passage.message.rank, kChunkChannel, passage.buffer, bytes,
              transfer_id(passage.message.rank, TransferKind::chunk_out));
}

void RouteRun::receive(Passage& passage) {
  ranks_.receive(passage.message.rank, kChunkChannel, passage.buffer, chunk_bytes(passage),
                 transfer_id(passage.message.rank, TransferKind::chunk_in));
}

void RouteRun::unpack(Passage& passage) {
  report_.bytes_received += static_cast<std::int64_t>(chunk_bytes(passage));
  execute(exchange_.unpacking(passage.message, passage.next, passage.end()), passage.buffer.get(),
          out_);
}

void RouteRun::move_kept() {
  const std::optional<Message> kept = exchange_.kept(ranks_.rank());
  if (!kept) return;
  const std::int64_t line_bytes = kept->line() * exchange_.element_bytes();
  const std::int64_t lines = lines_in(kMovedAtOnce, line_bytes);
  for (std::int64_t line = 0; line < kept->lines(); line += lines) {
    execute(exchange_.moving(*kept, line, std::min(line + lines, kept->lines())), in_, out_);
    pump(0);
  }
  report_.bytes_kept = kept->lines() * line_bytes;
}

void RouteRun::execute(const std::vector<Tile>& tiles, const std::byte* in, std::byte* out) {
  const std::int64_t bytes = exchange_.element_bytes();
  for (const Tile& tile : tiles)
    setting_.move(tile.problem, in + tile.in * bytes, out + tile.out * bytes);
  report_.tiles += static_cast<std::int64_t>(tiles.size());
}

void RouteRun::pump(double seconds) {
  const std::vector<std::uint64_t> ids = ranks_.wait(seconds);
  for (const std::uint64_t id : ids) {
    handle(id);
    roll_call_.give_sign();
  }
  roll_call_.give_sign();
  // A look does not prove silence: what has arrived may take more than one to be seen.
  if (ids.empty() && seconds > 0) roll_call_.check_silence();
}

void RouteRun::handle(std::uint64_t id) {
  const TransferKind kind = kind_of(id);
  if (kind == TransferKind::notice_in || kind == TransferKind::notice_out)
    return roll_call_.ended(id);
  const bool is_incoming = kind == TransferKind::chunk_in;
  std::map<int, Passage>& passages = is_incoming ? incoming_ : outgoing_;
  const auto found = passages.find(rank_of(id));
  Passage& passage = found->second;
  if (is_incoming) {
    roll_call_.heard(rank_of(id));
    unpack(passage);
  }
  passage.next = passage.end();
  if (passage.is_over())
    passages.erase(found);
  else if (is_incoming)
    receive(passage);
  else
    pack_and_send(passage);
}

}  // namespace xpose
