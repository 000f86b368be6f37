// Threads that wait for each other, and kernels in which they never meet.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>
#include <xpose/simulator/cuda_words.hpp>

#include "simulator/block.hpp"

namespace xpose::simulator {

namespace {
bool same_text(const char* a, const char* b) { return a == b || std::strcmp(a, b) == 0; }
}  // namespace

bool Wait::same_place(const Wait& other) const {
  return mask == other.mask && line == other.line && same_text(what, other.what) &&
         same_text(file, other.file);
}

uint32_t Device::barrier(const Wait& wait, bool predicate) {
  thread_[running_].wait = wait;
  thread_[running_].predicate = predicate;
  suspend();
  return votes_;
}

uint32_t Device::collective(const Wait& wait, const Value& offered) {
  thread_[running_].wait = wait;
  const unsigned self = lane();
  offered_[self] = offered;
  suspend();
  return partners_[self];
}

unsigned Device::active_lanes() const {
  unsigned lanes = 0;
  for (uint32_t i = running_ & ~31u; i < warp_end_; ++i)
    if (thread_[i].state != State::ended) lanes |= 1u << (i & 31);
  return lanes;
}

// Every thread has returned or waits for the block: all must wait, at one place.
void Device::pass_barrier() {
  const Wait& wait = thread_[0].wait;
  votes_ = 0;
  for (const Thread& thread : thread_) {
    if (thread.state != State::waiting || !thread.wait.same_place(wait)) divergent(0, threads_);
    votes_ += thread.predicate;
  }
  for (Thread& thread : thread_) thread.state = State::released;
  observer_->barrier(observer_->context, wait.site, XPOSE_ALL_WARPS);
}

// Every thread of the warp has returned or waits. Lets those go on whose whole mask waits with
// them; returned lanes are not waited for. False if none waits for others of its warp.
bool Device::release_collectives(uint32_t warp) {
  const uint32_t first = warp * 32;
  uint32_t live = 0, waiting = 0, released = 0;
  for (uint32_t i = first; i < warp_end_; ++i)
    if (thread_[i].state == State::waiting) {
      live |= 1u << (i - first);
      if (thread_[i].wait.mask != 0) waiting |= 1u << (i - first);
    }
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (((waiting & ~released) >> lane & 1) == 0) continue;
    const Wait& wait = thread_[first + lane].wait;
    const uint32_t wanted = wait.mask & live;
    bool complete = (wait.mask >> lane & 1) != 0;
    for (uint32_t i = 0; i < 32 && complete; ++i)
      if (wanted >> i & 1)
        complete = (released >> i & 1) == 0 && thread_[first + i].wait.same_place(wait);
    if (!complete) continue;
    for (uint32_t i = 0; i < 32; ++i)
      if (wanted >> i & 1) {
        thread_[first + i].state = State::released;
        given_[i] = offered_[i];
        partners_[i] = wanted;
      }
    released |= wanted;
    if (wait.barrier && wanted == live) observer_->barrier(observer_->context, wait.site, warp);
  }
  if (waiting != 0 && released == 0) divergent(first, warp_end_);
  return released != 0;
}

namespace {

// The place of a wait: "__syncwarp (kernel.cu:12, mask 0xffff)".
std::string place_of(const Wait& wait) {
  const char* const slash = std::strrchr(wait.file, '/');
  const char* const file = slash == nullptr ? wait.file : slash + 1;
  char text[192];
  if (wait.mask == 0)
    std::snprintf(text, sizeof text, "%s (%s:%u)", wait.what, file, wait.line);
  else
    std::snprintf(text, sizeof text, "%s (%s:%u, mask %#x)", wait.what, file, wait.line, wait.mask);
  return text;
}

}  // namespace

// The threads [first, last) will never meet: says where they are. Numbers are written by snprintf:
// std::to_string has a symbol that cannot be made local.
void Device::divergent(uint32_t first, uint32_t last) {
  struct Group {
    std::string place;
    uint32_t threads = 0;
  };
  std::vector<Group> groups;
  uint32_t returned = 0, culprit = last;
  for (uint32_t i = first; i < last; ++i) {
    if (thread_[i].state == State::ended) {
      ++returned;
      continue;
    }
    if (culprit == last) culprit = i;
    const std::string place = place_of(thread_[i].wait);
    auto group = groups.begin();
    while (group != groups.end() && group->place != place) ++group;
    if (group == groups.end()) group = groups.insert(group, Group{place});
    ++group->threads;
  }
  char number[64];
  std::snprintf(number, sizeof number, "of %u threads", last - first);
  std::string text = number;
  for (const Group& group : groups) {
    const char* const comma = &group == &groups.front() ? "" : ",";
    std::snprintf(number, sizeof number, "%s %u wait at ", comma, group.threads);
    text += number + group.place;
  }
  std::snprintf(number, sizeof number, ", %u have returned", returned);
  if (returned != 0) text += number;

  std::snprintf(text_, sizeof text_, "%s", text.c_str());
  faulted_ = true;
  fault_.what = XPOSE_DIVERGENT_BARRIER;
  fault_.access = 0;
  fault_.site = thread_[culprit].wait.site;
  fault_.thread = culprit;
  end_fault(first / 32);
}

void exchange(unsigned mask, void* value, std::size_t bytes, unsigned lane, const char* what,
              const char* file, unsigned line) {
  Value offered = {};
  std::memcpy(offered.bytes, value, bytes);
  const void* const site = __builtin_extract_return_addr(__builtin_return_address(0));
  const uint32_t came = device.collective({what, file, line, site, mask, false}, offered);
  if (lane < 32 && (came >> lane & 1)) std::memcpy(value, device.given_by(lane).bytes, bytes);
}

unsigned ballot(unsigned mask, bool predicate, const char* what, const char* file, unsigned line) {
  Value offered = {};
  offered.bytes[0] = predicate;
  const void* const site = __builtin_extract_return_addr(__builtin_return_address(0));
  const uint32_t came = device.collective({what, file, line, site, mask, false}, offered);
  unsigned votes = 0;
  for (unsigned i = 0; i < 32; ++i)
    if (came >> i & 1) votes |= unsigned{device.given_by(i).bytes[0]} << i;
  return votes;
}

unsigned lane() { return device.lane(); }
unsigned active_lanes() { return device.active_lanes(); }

}  // namespace xpose::simulator

using xpose::simulator::device;

#define SITE __builtin_extract_return_addr(__builtin_return_address(0))

void __syncthreads(const char* file, unsigned line) {
  device.barrier({"__syncthreads", file, line, SITE, 0, true}, false);
}
int __syncthreads_count(int predicate, const char* file, unsigned line) {
  return static_cast<int>(
      device.barrier({"__syncthreads_count", file, line, SITE, 0, true}, predicate != 0));
}
int __syncthreads_and(int predicate, const char* file, unsigned line) {
  return device.barrier({"__syncthreads_and", file, line, SITE, 0, true}, predicate != 0) ==
         device.threads();
}
int __syncthreads_or(int predicate, const char* file, unsigned line) {
  return device.barrier({"__syncthreads_or", file, line, SITE, 0, true}, predicate != 0) != 0;
}
void __syncwarp(unsigned mask, const char* file, unsigned line) {
  device.collective({"__syncwarp", file, line, SITE, mask, true}, {});
}
