#include "route/roll_call.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <sstream>
#include <utility>

#include "xpose/xpose.hpp"

namespace xpose {
namespace {

// Signs of life in a deadline: late ones, and a lost one, do no harm.
constexpr double kSigns = 8;
// Seconds without a message after which others may wonder.
constexpr double kLongWait = 1e-3;

std::string seconds_text(double seconds) {
  std::ostringstream text;
  text << seconds << (seconds == 1 ? " second" : " seconds");
  return text.str();
}

}  // namespace

Ranks::~Ranks() = default;
double Ranks::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void throw_differs(int rank, int own) {
  throw Error(
      ErrorKind::invalid,
      "rank " + std::to_string(rank) + " has stated another route than rank " +
          std::to_string(own) +
          "; placements (but for leading dimension and offset), transpose, in_place, memory, "
          "deadline_seconds and the version of xpose must be the same on all ranks");
}

void throw_silent(int rank, int ranks, double seconds, bool is_here) {
  throw Error(ErrorKind::failed,
              "rank " + std::to_string(rank) + " of " + std::to_string(ranks) +
                  " sent nothing for " + seconds_text(seconds) +
                  (is_here ? ": it has ended, is stopped, or works without a pause"
                           : ": it has ended, is stopped, or has not run the route") +
                  "; end the program, or give a longer RouteOptions::deadline_seconds");
}

void throw_gave_up(int rank, ErrorKind kind, const char* why) {
  throw Error(kind, "rank " + std::to_string(rank) + " gave up the route: " + one_line(why));
}

RollCall::RollCall(Ranks& ranks, std::uint64_t digest, double deadline_seconds)
    : ranks_(ranks),
      digest_(digest),
      deadline_(deadline_seconds),
      run_(++ranks.runs_),
      others_(ranks.size() - 1),
      peers_(static_cast<std::size_t>(ranks.size())) {
  static_assert(sizeof(Notice) == 1024);
  ranks_.awaited_.resize(peers_.size());
}

// From the next rank on, so that not all turn to rank 0 first.
template <class Body>
void RollCall::for_others(const Body& body) const {
  for (int i = 1; i <= others_; ++i) body((ranks_.rank() + i) % ranks_.size());
}

// Notices that came for this run before it began are taken last: the others can be told of an
// error.
void RollCall::begin(bool greets) {
  last_sign_ = ranks_.seconds();
  for_others([&](int rank) {
    peer(rank).heard = last_sign_;
    if (greets) send(rank, Kind::sign);
  });
  for_others([&](int rank) {
    if (awaited(rank).notice == nullptr)
      receive(rank);
    else if (std::exchange(awaited(rank).has_come, false))
      take(rank);
  });
}

void RollCall::say_done() {
  has_said_done_ = true;
  for_others([&](int rank) { send(rank, Kind::done); });
}

void RollCall::send(int rank, Kind kind, const std::string& text) {
  Notice notice{kind, run_, digest_, {}};
  text.copy(notice.text.data(), notice.text.size() - 1);
  std::shared_ptr<std::byte[]> bytes = std::make_shared<std::byte[]>(sizeof notice);
  std::memcpy(bytes.get(), &notice, sizeof notice);
  ranks_.send(rank, kNoticeChannel, std::move(bytes), sizeof notice,
              transfer_id(rank, TransferKind::notice_out));
  if (peer(rank).open++ == 0) peer(rank).opened = ranks_.seconds();
  ++open_;
}

void RollCall::receive(int rank) {
  std::shared_ptr<std::byte[]>& notice = awaited(rank).notice;
  if (notice == nullptr) notice = std::make_shared<std::byte[]>(sizeof(Notice));
  ranks_.receive(rank, kNoticeChannel, notice, sizeof(Notice),
                 transfer_id(rank, TransferKind::notice_in));
}

void RollCall::ended(std::uint64_t id) {
  const int rank = rank_of(id);
  if (kind_of(id) == TransferKind::notice_in) return take(rank);
  --peer(rank).open;
  --open_;
}

void RollCall::take(int rank) {
  Notice notice;
  std::memcpy(&notice, awaited(rank).notice.get(), sizeof notice);
  notice.text.back() = '\0';
  peer(rank).heard = ranks_.seconds();
  if (notice.run > run_) {
    awaited(rank).has_come = true;
    return;
  }
  if (notice.run == run_) check(rank, notice.digest);
  differs_ = notice.kind == Kind::differs;  // as this rank passes on
  if (notice.kind == Kind::differs || notice.kind == Kind::failed)
    throw_gave_up(rank, notice.kind == Kind::differs ? ErrorKind::invalid : ErrorKind::failed,
                  notice.text.data());
  if (notice.run == run_) heard(rank);
  if (notice.run == run_ && notice.kind == Kind::done) {
    peer(rank).is_done = true;
    ++done_;
  }
  receive(rank);
}

void RollCall::check(int rank, std::uint64_t digest) {
  if (digest == digest_) return;
  differs_ = true;
  throw_differs(rank, ranks_.rank());
}

void RollCall::heard(int rank) {
  peer(rank).heard = ranks_.seconds();
  if (!std::exchange(peer(rank).is_here, true)) ++here_;
}

void RollCall::give_sign() {
  const double now = ranks_.seconds();
  // A rest too short for a wait() would be waited for without end.
  if (last_sign_ + deadline_ / kSigns - now > deadline_ / kSigns / 100) return;
  last_sign_ = now;
  if (has_said_done_) return;
  for_others([&](int rank) {
    if (peer(rank).open == 0) send(rank, Kind::sign);
  });
}

double RollCall::seconds_to_wait() const {
  const double to_sign = std::max(last_sign_ + deadline_ / kSigns - ranks_.seconds(), 0.0);
  return has_waited_ ? to_sign : std::min(to_sign, kLongWait);
}

void RollCall::nothing_came(const std::function<bool(int rank)>& is_waited_for) {
  const double now = ranks_.seconds();
  if (!std::exchange(has_waited_, true)) {
    last_sign_ = now - deadline_;
    return give_sign();
  }
  for_others([&](int rank) {
    const Peer& other = peer(rank);
    const bool takes_none = other.open > 0 && now - other.opened >= deadline_;
    if ((!is_waited_for(rank) && !takes_none) || now - other.heard < deadline_) return;
    throw_silent(rank, ranks_.size(), deadline_, peer(rank).is_here);
  });
}

void RollCall::give_up(const std::string& why) noexcept try {
  if (has_said_done_) return;
  open_ = 0;  // the failure may have come before the ends of earlier ones were seen
  for_others([&](int rank) { send(rank, differs_ ? Kind::differs : Kind::failed, why); });
  // A lost rank takes nothing, the others take a small notice at once.
  for (const double end = ranks_.seconds() + std::min(deadline_ / kSigns, 1.0);
       open_ > 0 && ranks_.seconds() < end;)
    for (const std::uint64_t id : ranks_.wait(0.01))
      if (kind_of(id) == TransferKind::notice_out) ended(id);
} catch (...) {  // the transport has failed as well: the others will find this rank silent
}

}  // namespace xpose
