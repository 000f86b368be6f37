#include "simulator/warp_log.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

namespace xpose::simulator {
namespace {
constexpr std::size_t kFirstEntries = 68;  // an odd number of cache lines
}  // namespace

WarpLog::~WarpLog() {
  for (const Log& log : lanes_) std::free(log.begin);
}

void WarpLog::reserve() {
  for (Log& log : lanes_)
    if (log.begin == nullptr) {
      auto* const memory = static_cast<Entry*>(std::malloc(kFirstEntries * sizeof(Entry)));
      if (memory == nullptr) throw std::bad_alloc();
      log = {memory, memory, memory + kFirstEntries};
    }
}

bool WarpLog::grow(unsigned lane) {
  Log& log = lanes_[lane];
  const auto used = static_cast<std::size_t>(log.next - log.begin);
  const std::size_t room = 2 * static_cast<std::size_t>(log.end - log.begin);
  auto* const memory = static_cast<Entry*>(std::realloc(log.begin, room * sizeof(Entry)));
  if (memory == nullptr) return false;
  log = {memory, memory + used, memory + room};
  return true;
}

void WarpLog::clear() {
  for (Log& log : lanes_) log.next = log.begin;
}

void WarpLog::tell(const xpose_observer& observer, uint32_t warp) {
  access_.size = sizeof access_;
  access_.warp = warp;
  if (!tell_in_step(observer)) tell_aligned(observer);
  clear();
}

namespace {

void describe(uint64_t key, xpose_access& access) {
  access.space = space_of(key);
  access.kind = kind_of(key);
  access.lane_bytes = bytes_of(key);
  access.site = site_of(key);
}

}  // namespace

// The usual warp: lanes that noted anything noted the same keys.
bool WarpLog::tell_in_step(const xpose_observer& observer) {
  const Entry* active[32];
  unsigned lane_of[32];
  unsigned count = 0;
  std::ptrdiff_t length = 0;
  access_.lanes = 0;
  for (unsigned i = 0; i < 32; ++i) {
    const Log& log = lanes_[i];
    if (log.next == log.begin) continue;
    if (count != 0 && log.next - log.begin != length) return false;
    length = log.next - log.begin;
    active[count] = log.begin;
    lane_of[count++] = i;
    access_.lanes |= 1u << i;
  }
  for (std::ptrdiff_t k = 0; k < length; ++k) {
    const uint64_t key = active[0][k].key;
    uint64_t differ = 0;
    for (unsigned i = 1; i < count; ++i) differ |= active[i][k].key ^ key;
    if (differ != 0) return false;
  }
  for (std::ptrdiff_t k = 0; k < length; ++k) {
    describe(active[0][k].key, access_);
    for (unsigned i = 0; i < count; ++i) access_.address[lane_of[i]] = active[i][k].address;
    observer.access(observer.context, &access_);
  }
  return true;
}

void WarpLog::number_notes() {
  of_key_.clear();
  lanes_left_.clear();
  std::unordered_map<uint64_t, std::size_t> times;  // how often this lane noted a key so far
  for (unsigned i = 0; i < 32; ++i) {
    times.clear();
    numbers_[i].clear();
    for (const Entry* note = lanes_[i].begin; note != lanes_[i].next; ++note) {
      std::vector<uint32_t>& numbers = of_key_[note->key];
      const std::size_t nth = times[note->key]++;
      if (nth == numbers.size()) {
        numbers.push_back(static_cast<uint32_t>(lanes_left_.size()));
        lanes_left_.push_back(0);
      }
      numbers_[i].push_back(numbers[nth]);
      ++lanes_left_[numbers[nth]];
    }
  }
}

// Tells next what all lanes that ever note it are at; where lanes wait for each other, what the
// first of them is at.
void WarpLog::tell_aligned(const xpose_observer& observer) {
  number_notes();
  std::array<std::size_t, 32> at{};
  for (;;) {
    uint32_t chosen = 0, first = 0, lanes = 0;
    bool any = false;
    for (unsigned i = 0; i < 32; ++i) {
      if (at[i] == numbers_[i].size()) continue;
      const uint32_t number = numbers_[i][at[i]];
      if (any && number == chosen) continue;
      uint32_t here = 0, count = 0;
      for (unsigned j = i; j < 32; ++j)
        if (at[j] != numbers_[j].size() && numbers_[j][at[j]] == number) {
          here |= 1u << j;
          ++count;
        }
      if (!any || count == lanes_left_[number]) {
        any = true;
        chosen = number;
        first = i;
        lanes = here;
      }
      if (count == lanes_left_[number]) break;
    }
    if (!any) return;
    describe(lanes_[first].begin[at[first]].key, access_);
    access_.lanes = lanes;
    for (unsigned i = first; i < 32; ++i)
      if (lanes >> i & 1) {
        access_.address[i] = lanes_[i].begin[at[i]++].address;
        --lanes_left_[chosen];
      }
    observer.access(observer.context, &access_);
  }
}

}  // namespace xpose::simulator
