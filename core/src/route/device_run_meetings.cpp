// The meetings of a run, and on what the ranks agree in them.
#include <algorithm>
#include <cstring>

#include "route/device_run.hpp"
#include "route/roll_call.hpp"

namespace xpose {
namespace {

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
  names.reserve(notices.size());
  for (const Notice& notice : notices) names.push_back(notice.out);
  MappedArrays& arrays = streams_.arrays();
  if (arrays.has(names)) return;
  std::vector<int> targets;
  targets.reserve(sends_.size());
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

// Throws the own failure once the others know of it, or theirs.
std::vector<DeviceRun::Notice> DeviceRun::meet(const std::exception_ptr& failure) {
  static_assert(sizeof(Notice) == sizeof(DeviceRanks::Notice));
  Notice own{failure != nullptr ? Kind::failed
             : has_begun_       ? Kind::goes_on
                                : Kind::begins,
             agrees_ ? 1U : 0U,
             setting_.digest,
             name_of_out_,
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

}  // namespace xpose
