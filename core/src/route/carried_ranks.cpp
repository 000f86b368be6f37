#include "route/carried_ranks.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <thread>

#include "route/alone.hpp"

namespace xpose {
namespace {

constexpr std::uint64_t kDigest = 0x6361727269656473;  // that no route among hosts has
constexpr std::uint64_t kMostPiece = std::uint64_t{4} << 20;
// Short enough to be sent at once, and long enough to be announced before.
constexpr std::uint64_t kTrialBytes[] = {24, (std::uint64_t{1} << 20) + 8};

constexpr double kSecondsOfReason = 1;  // within which it has come, from a rank that has stated it

// A byte of the pattern that a rank sends to the one at a distance.
std::byte pattern(int rank, int distance, std::uint64_t place) {
  std::uint64_t bits = place + (static_cast<std::uint64_t>(rank) << 32) +
                       (static_cast<std::uint64_t>(distance) << 48) + 1;
  bits *= 0x9e3779b97f4a7c15;
  return static_cast<std::byte>(bits >> 40);
}

std::uint64_t piece_bytes(const Ranks& carrier, std::uint64_t memory) {
  const auto slots = static_cast<std::uint64_t>(4 * std::max(carrier.size() - 1, 1));
  return std::clamp<std::uint64_t>(memory / slots, 1, kMostPiece);
}

std::string text_of_current() {
  try {
    if (std::current_exception() != nullptr) throw;
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
  }
  return "its own error says why";
}

// The memory of a transfer, which the carrier keeps as long as it may use it.
std::shared_ptr<std::byte[]> kept(const DeviceRanks::Transfer& transfer) {
  return {transfer.owner, static_cast<std::byte*>(transfer.data)};
}

}  // namespace

// A notice while the ranks are made.
struct Carried::Claim {
  std::uint64_t piece_bytes;
  std::int32_t kind;  // of the device
  std::int32_t is_right;
};

Carried::Carried(std::shared_ptr<Ranks> carrier, Backend& backend, const CarriedOptions& options)
    : carrier_(carrier != nullptr ? std::move(carrier) : std::make_shared<Alone>()),
      backend_(backend),
      stream_(options.stream),
      options_(options),
      staging_(*carrier_, backend_, piece_bytes(*carrier_, options.memory)) {
  if (!(options.seconds > 0))
    throw Error(ErrorKind::invalid, "carried ranks have more than 0 seconds to be made in");
  try {
    agree();
    part();
  } catch (...) {
    abandon();
    throw;
  }
}

// Every rank has the same answer.
void Carried::agree() {
  Claim own{piece_bytes(*carrier_, options_.memory), static_cast<std::int32_t>(device().kind),
            options_.may_be_direct};
  const std::vector<Claim> claimed = claims(own);
  for (std::size_t i = 0; i < claimed.size(); ++i)
    if (claimed[i].piece_bytes != own.piece_bytes || claimed[i].kind != own.kind)
      throw Error(ErrorKind::invalid,
                  "rank " + std::to_string(i) + " and rank " + std::to_string(rank()) +
                      " have devices of two kinds, or another CarriedOptions::memory; state the "
                      "same on all ranks");
  const auto all_are_right = [](const std::vector<Claim>& of_all) {
    return std::ranges::all_of(of_all, [](const Claim& claim) { return claim.is_right != 0; });
  };
  if (size() < 2 || !all_are_right(claimed)) return;
  // The next rank may be on this host, the one half around on another.
  for (const int distance : std::set<int>{1, size() / 2})
    if (!arrives_right(distance)) own.is_right = 0;
  is_direct_ = all_are_right(claims(own));
}

std::vector<Carried::Claim> Carried::claims(const Claim& own) {
  Notice notice{};
  std::memcpy(notice.data(), &own, sizeof own);
  std::vector<Claim> all;
  for (const Notice& one : gather(notice, options_.seconds)) {
    all.emplace_back();
    std::memcpy(&all.back(), one.data(), sizeof(Claim));
  }
  return all;
}

bool Carried::arrives_right(int distance) {
  const int to = (rank() + distance) % size(), from = (rank() - distance + size()) % size();
  bool is_right = true;
  for (const std::uint64_t bytes : kTrialBytes) {
    std::vector<std::byte> sent(bytes), wanted(bytes), wrong(bytes), found(bytes);
    for (std::uint64_t i = 0; i < bytes; ++i) {
      sent[i] = pattern(rank(), distance, i);
      wanted[i] = pattern(from, distance, i);
      wrong[i] = ~wanted[i];
    }
    const auto source = std::make_shared<DeviceBuffer>(backend_, bytes);
    const auto target = std::make_shared<DeviceBuffer>(backend_, bytes);
    backend_.upload(source->data(), sent.data(), bytes);
    backend_.upload(target->data(), wrong.data(), bytes);
    const double end = carrier_->seconds() + 2 * options_.seconds;  // a silent rank is met before
    exchange_directly({{to, source->data(), bytes, source}},
                      {{from, target->data(), bytes, target}}, [&] {
                        if (carrier_->seconds() < end) return;
                        throw Error(ErrorKind::failed,
                                    "rank " + std::to_string(rank()) +
                                        " tried messages between device memory, and they have not "
                                        "arrived; state CarriedOptions::may_be_direct as false");
                      });
    backend_.download(found.data(), target->data(), bytes);
    is_right = is_right && found == wanted;
  }
  return is_right;
}

std::vector<DeviceRanks::Notice> Carried::gather(const Notice& own, double seconds) {
  check_open();
  if (!roll_call_) {
    roll_call_.emplace(*carrier_, kDigest, seconds);
    roll_call_->begin(true);
  }
  const auto bytes_of = [](const std::shared_ptr<Notice>& notice) {
    return std::shared_ptr<std::byte[]>(notice, notice->data());
  };
  const auto stated = std::make_shared<Notice>(own);
  std::vector<std::shared_ptr<Notice>> received(static_cast<std::size_t>(size()), stated);
  for (int distance = 1; distance < size(); ++distance) {
    const int other = (rank() + distance) % size();
    const auto notice = std::make_shared<Notice>();
    received[static_cast<std::size_t>(other)] = notice;
    open_ += 2;
    carrier_->receive(other, kChunkChannel, bytes_of(notice), sizeof own,
                      piece_id(transfer_id(other, TransferKind::chunk_in), PieceKind::notice));
    carrier_->send(other, kChunkChannel, bytes_of(stated), sizeof own,
                   piece_id(transfer_id(other, TransferKind::chunk_out), PieceKind::notice));
  }
  is_gathering_ = true;
  pump_until([&] { return open_ == 0; });
  is_gathering_ = false;
  std::vector<Notice> all;
  all.reserve(received.size());
  for (const std::shared_ptr<Notice>& notice : received) all.push_back(*notice);
  return all;
}

void Carried::exchange(const std::vector<Transfer>& sends, const std::vector<Transfer>& receives,
                       double) {
  check_open();
  throw_late_failure();
  if (is_direct_) return exchange_directly(sends, receives, [] {});
  staging_.begin(sends, receives, stream_);
  pump_until([this] { return staging_.is_over(); });
}

void Carried::exchange_directly(const std::vector<Transfer>& sends,
                                const std::vector<Transfer>& receives,
                                const std::function<void()>& check) {
  wait_for_stream();
  const auto id_of = [](const Transfer& transfer, TransferKind kind) {
    return piece_id(transfer_id(transfer.rank, kind), PieceKind::direct);
  };
  for (const Transfer& wanted : receives) {
    if (wanted.bytes == 0) continue;
    ++open_;
    carrier_->receive(wanted.rank, kChunkChannel, kept(wanted), wanted.bytes,
                      id_of(wanted, TransferKind::chunk_in));
  }
  for (const Transfer& sent : sends) {
    if (sent.bytes == 0) continue;
    ++open_;
    carrier_->send(sent.rank, kChunkChannel, kept(sent), sent.bytes,
                   id_of(sent, TransferKind::chunk_out));
  }
  pump_until([&] {
    check();
    return open_ == 0;
  });
}

void Carried::finish(double) {
  check_open();
  throw_late_failure();
  wait_for_stream();
  part();
}

// A rank that is done gives no more signs, and is not missed.
void Carried::part() {
  if (!roll_call_) return;
  throw_late_failure();
  roll_call_->say_done();
  pump_until([this] { return roll_call_->all_are_done(); });
  roll_call_.reset();
}

void Carried::abandon() noexcept {
  if (is_given_up_) return;
  is_given_up_ = true;
  try {
    if (roll_call_) roll_call_->give_up(text_of_current());
  } catch (...) {  // no memory for the text: the others will find this rank silent
  }
  carrier_->abandon();
  staging_.wait_for_copies();  // the caller may free its arrays now
}

void Carried::check_open() const {
  if (is_given_up_)
    throw Error(ErrorKind::failed, "these ranks were given up after a failure; make new ones");
}

void Carried::throw_late_failure() {
  if (failure_ != nullptr) std::rethrow_exception(failure_);
}

void Carried::pump_until(const std::function<bool()>& is_over) {
  while (!is_over()) {
    pump(staging_.copies() ? 0 : roll_call_->seconds_to_wait());
    staging_.look_after_copies();
  }
}

void Carried::wait_for_stream() {
  while (!backend_.has_ended(stream_)) pump(0);
}

void Carried::pump(double seconds) {
  const std::vector<std::uint64_t> ids = carrier_->wait(seconds);
  for (const std::uint64_t id : ids) handle(id);
  roll_call_->give_sign();
  if (failure_ != nullptr && carrier_->seconds() > failure_end_) throw_late_failure();
  // A look does not prove silence: what has arrived may take more than one to be seen.
  if (seconds <= 0)
    std::this_thread::yield();
  else if (ids.empty() && failure_ == nullptr)
    roll_call_->nothing_came([this](int rank) { return !roll_call_->is_done(rank); });
}

// A rank that gives up amid a gathering has sent a notice that says why.
void Carried::handle(std::uint64_t id) {
  const PieceKind kind = piece_kind_of(id);
  const std::uint64_t transfer = id & kIdsOfRollCall;
  if (kind == PieceKind::none) {
    try {
      return roll_call_->ended(transfer);
    } catch (const Error&) {
      if (!is_gathering_) throw;
      if (failure_ != nullptr) return;
      failure_ = std::current_exception();
      failure_end_ = carrier_->seconds() + kSecondsOfReason;
      return;
    }
  }
  if (kind_of(transfer) == TransferKind::chunk_in) roll_call_->heard(rank_of(transfer));
  if (kind == PieceKind::notice || kind == PieceKind::direct)
    --open_;
  else
    staging_.ended(id);
}

std::shared_ptr<CarriedRanks> carried_ranks(std::shared_ptr<Ranks> carrier, Device device,
                                            const CarriedOptions& options) {
  return std::make_shared<Carried>(std::move(carrier), backend(device), options);
}

}  // namespace xpose
